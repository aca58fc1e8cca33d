// Operator objects of search bodies: closed objects with at least one operator; and what batches are listed and searched by, the same in both
// versions. Spec decisions, "Lists, filters, searches".
import { z } from 'zod';
import { ACTOR_TYPES, BATCH_STATUSES, TASK_NAMES, taskNameSchema } from '../../../model/task.ts';
import type { BatchFilter } from '../../store/store.ts';
import { list, oneOf } from './parameters.ts';
import { atLeastOneOf, closedObject } from './validation.ts';

/** More values than anybody means; keeps statements within what databases take. */
const MAX_VALUES = 1_000;

/** `eq`, `ne`, `in`, `nin` over values of one kind. */
export function valueFilter<S extends z.ZodType<string>>(value: S) {
  const values = z.array(value).min(1).max(MAX_VALUES);
  return atLeastOneOf({ eq: value.optional(), ne: value.optional(), in: values.optional(), nin: values.optional() });
}

/** A time in a body. */
export const isoUtc = z.iso.datetime({ error: 'accepted: an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z' });

/** `eq`, `ne`, `gt`, `gte`, `lt`, `lte` over times; as ms. */
export function dateFilter() {
  const bound = isoUtc.transform((text) => Date.parse(text)).optional();
  return atLeastOneOf({ eq: bound, ne: bound, gt: bound, gte: bound, lt: bound, lte: bound });
}

export const batchListShape = {
  task_name: list(TASK_NAMES.join(', '), oneOf(TASK_NAMES), { enum: TASK_NAMES }),
};

export const batchSearchShape = {
  status: valueFilter(z.enum(BATCH_STATUSES)).optional(),
  task_name: valueFilter(taskNameSchema).optional(),
  actor_type: closedObject({ eq: z.enum(ACTOR_TYPES) }).optional(),
  created_at: dateFilter().optional(),
};

export const toListFilter = ({ task_name }: z.infer<z.ZodObject<typeof batchListShape>>): BatchFilter =>
  task_name === undefined ? {} : { name: { in: [...new Set(task_name)] } };

export function toSearchFilter(body: z.infer<z.ZodObject<typeof batchSearchShape>>): BatchFilter {
  const { status, task_name: name, actor_type: actorType, created_at: createdAt } = body;
  return { status, name, actorType, createdAt };
}

// Operator objects of search bodies: closed objects with at least one operator; and what batches are listed and searched by, the same in both
// versions. Spec decisions, "Lists, filters, searches".
import { z } from 'zod';
import { ACTOR_TYPES, BATCH_STATUSES, TASK_NAMES, taskNameSchema } from '../../../model/task.ts';
import type { BatchFilter } from '../../store/store.ts';
import { list, oneOf } from './parameters.ts';
import { closedObject, ofGoodFields } from './validation.ts';

/** More values than anybody means; keeps statements within what databases take. */
const MAX_VALUES = 1_000;

const atLeastOne = <S extends z.ZodType<object>>(schema: S, operators: readonly string[]) =>
  schema
    .refine((filter) => Object.values(filter).some((value) => value !== undefined), {
      ...ofGoodFields,
      error: `received {}, accepted: an object with at least one of ${operators.join(', ')}`,
    })
    .meta({ minProperties: 1 });

/** `eq`, `ne`, `in`, `nin` over values of one kind. */
export function valueFilter<S extends z.ZodType<string>>(value: S) {
  const values = z.array(value).min(1).max(MAX_VALUES);
  const shape = { eq: value.optional(), ne: value.optional(), in: values.optional(), nin: values.optional() };
  return atLeastOne(closedObject(shape), Object.keys(shape));
}

/** `eq` only. */
export function equalFilter<S extends z.ZodType<string>>(value: S) {
  return closedObject({ eq: value });
}

/** A time in a body. */
export const isoUtc = z.iso.datetime({ error: 'accepted: an ISO 8601 time in UTC such as 2026-01-31T12:00:00Z' });

/** `eq`, `ne`, `gt`, `gte`, `lt`, `lte` over times. */
export function dateFilter() {
  const bound = isoUtc.optional();
  const shape = { eq: bound, ne: bound, gt: bound, gte: bound, lt: bound, lte: bound };
  return atLeastOne(closedObject(shape), Object.keys(shape));
}

/** ISO texts of a date filter as ms. */
export function toTimes(filter: z.infer<ReturnType<typeof dateFilter>>) {
  const at = (iso: string | undefined) => (iso === undefined ? undefined : Date.parse(iso));
  return {
    eq: at(filter.eq),
    ne: at(filter.ne),
    gt: at(filter.gt),
    gte: at(filter.gte),
    lt: at(filter.lt),
    lte: at(filter.lte),
  };
}

export const batchListShape = {
  task_name: list(TASK_NAMES.join(', '), oneOf(TASK_NAMES), { enum: TASK_NAMES }),
};
const listSchema = z.object(batchListShape);

export const batchSearchShape = {
  status: valueFilter(z.enum(BATCH_STATUSES)).optional(),
  task_name: valueFilter(taskNameSchema).optional(),
  actor_type: equalFilter(z.enum(ACTOR_TYPES)).optional(),
  created_at: dateFilter().optional(),
};
const searchSchema = z.object(batchSearchShape);

export const toListFilter = ({ task_name }: z.infer<typeof listSchema>): BatchFilter =>
  task_name === undefined ? {} : { name: { in: [...new Set(task_name)] } };

export const toSearchFilter = ({
  status,
  task_name: name,
  actor_type: actorType,
  created_at,
}: z.infer<typeof searchSchema>): BatchFilter => ({
  status,
  name,
  actorType,
  createdAt: created_at && toTimes(created_at),
});

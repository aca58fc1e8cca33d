// What batches are listed and searched by, the same in both versions.
import { z } from 'zod';
import { ACTOR_TYPES, BATCH_STATUSES, TASK_NAMES, taskNameSchema } from '../../../model/task.ts';
import { orNull } from '../../../model/tasks/or-null.ts';
import { closedObject, dateFilter, valueFilter } from '../../../wire/api/forms.ts';
import type { BatchFilter } from '../../store/store.ts';
import { list, oneOf } from './parameters.ts';

export const batchListShape = {
  task_name: list(TASK_NAMES.join(', '), oneOf(TASK_NAMES), { enum: TASK_NAMES }),
};

export const batchSearchShape = {
  status: orNull(valueFilter(z.enum(BATCH_STATUSES))),
  task_name: orNull(valueFilter(taskNameSchema)),
  actor_type: orNull(closedObject({ eq: z.enum(ACTOR_TYPES) })),
  created_at: orNull(dateFilter()),
};

export const toListFilter = ({ task_name }: z.infer<z.ZodObject<typeof batchListShape>>): BatchFilter =>
  task_name === undefined ? {} : { name: { in: [...new Set(task_name)] } };

export function toSearchFilter(body: z.infer<z.ZodObject<typeof batchSearchShape>>): BatchFilter {
  const { status, task_name: name, actor_type: actorType, created_at: createdAt } = body;
  return { status, name, actorType, createdAt };
}

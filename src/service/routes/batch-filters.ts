// What batches are listed and searched by, the same in both versions; the page is each version's own.
import { z } from 'zod';
import { ACTOR_TYPES, BATCH_STATUSES, TASK_NAMES, taskNameSchema } from '../../model/task.ts';
import type { BatchFilter } from '../store/store.ts';
import { dateFilter, equalFilter, toTimes, valueFilter } from './filters.ts';
import { list, oneOf } from './parameters.ts';

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

// The task batches of a farm, as its service keeps them: what was asked of agents from anywhere, how far it is, and
// giving it up.
import { z } from 'zod';
import { MAX_PAGE_SIZE } from '../../wire/api/envelope.ts';
import { batchDetailSchema, batchV2Schema, taskV2Schema } from '../../wire/api/tasks.ts';
import type { ServiceClient } from './service-client.ts';

const batchFields = batchV2Schema.pick({
  ...{ id: true, task_name: true, status: true, created_by: true, created_at: true },
  ...{ task_count: true, succeed_count: true, unsuccessful_count: true },
});
const batchesAnswer = z.object({
  data: z.array(batchFields.loose()),
  pagination: z.object({ total: z.number() }),
});
const taskFields = taskV2Schema.pick({
  ...{ id: true, miner_id: true, agent_id: true, status: true, message: true, evidence: true, updated_at: true },
});
const tasksAnswer = z.object({ data: z.array(taskFields.loose()) });
const countsAnswer = z.object({
  data: batchDetailSchema.pick({ pending_count: true, running_count: true }).loose(),
});

export type ServiceBatch = z.output<typeof batchesAnswer>['data'][number];
export type ServiceTask = z.output<typeof tasksAnswer>['data'][number];

type Service = Pick<ServiceClient, 'ask'>;

/** The newest `limit`; `total` = all that there are. `isOpen` = only those that wait or run. */
export async function listBatches(service: Service, limit: number, isOpen: boolean) {
  const { data, pagination } = await service.ask(batchesAnswer, {
    method: 'POST',
    path: '/task-batches/search',
    body: { page_size: limit, ...(isOpen && { status: { in: ['pending', 'running'] } }) },
  });
  return { batches: data, total: pagination.total };
}

/** Newest first: a batch fits on one page. Throws CommandFailed where the farm has no such batch. */
export async function tasksOfBatch(service: Service, id: string): Promise<readonly ServiceTask[]> {
  const path = `${pathOf(id)}/tasks?page_size=${MAX_PAGE_SIZE}`;
  const { data } = await service.ask(tasksAnswer, { method: 'GET', path });
  return data;
}

/** How many of its tasks wait or run. */
export const openTasks = ({ task_count: all, succeed_count: proven, unsuccessful_count: others }: ServiceBatch) =>
  all - proven - others;

/** How many of its tasks are not over then: what an agent has taken ends when that says so. */
export async function cancelBatch(service: Service, id: string): Promise<number> {
  const { data } = await service.ask(countsAnswer, { method: 'POST', path: `${pathOf(id)}/cancel`, body: {} });
  return data.pending_count + data.running_count;
}

const pathOf = (id: string) => `/task-batches/${encodeURIComponent(id)}`;

// Follows one task batch of a service to its end: its counts once a second, its tasks where these have changed. It
// changes nothing.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { PeerError } from '../../../base/errors.ts';
import { isFinal, type TaskStatus } from '../../../model/task.ts';
import { batchDetailSchema } from '../../../wire/api/tasks.ts';
import { type ServiceTask, tasksOfBatch } from '../../connection/batches.ts';
import type { ServiceClient } from '../../connection/service-client.ts';

const LOOK_MS = 1_000;
/** A service that is away for longer has to be asked again by a person; the batch goes on without that. */
const AWAY_MS = 5 * 60_000;

const detailAnswer = z.object({
  data: batchDetailSchema
    .pick({ pending_count: true, running_count: true, succeed_count: true, unsuccessful_count: true })
    .loose(),
});
export type BatchTask = {
  readonly minerId: string;
  readonly status: TaskStatus;
  readonly message: string | null;
  readonly evidence: Readonly<Record<string, unknown>>;
};

type Parts = { readonly clock: Clock; readonly service: Pick<ServiceClient, 'ask'> };

/** Each change of a task is handed over once. Resolves when all are over. Throws what `service.ask` throws. */
export async function followBatch(
  { clock, service }: Parts,
  batchId: string,
  onTask: (task: BatchTask) => void,
): Promise<void> {
  const known = new Map<string, string>();
  let counts = '';
  await untilOver(clock, async () => {
    const { data } = await service.ask(detailAnswer, { method: 'GET', path: `/task-batches/${batchId}` });
    const { pending_count: pending, running_count: running, succeed_count, unsuccessful_count } = data;
    const now = [pending, running, succeed_count, unsuccessful_count].join();
    if (now !== counts) for (const task of await tasksOfBatch(service, batchId)) report(task, known, onTask);
    counts = now;
    return pending + running === 0;
  });
}

/** Looks once a second until it is over; a service that is away for a while is borne. Throws what `isOver` throws. */
export async function untilOver(clock: Clock, isOver: () => Promise<boolean>): Promise<void> {
  let heardMs = clock.monotonicMs();
  for (;;) {
    try {
      if (await isOver()) return;
      heardMs = clock.monotonicMs();
    } catch (error) {
      if (!(error instanceof PeerError) || error.retry === 'never') throw error;
      if (clock.monotonicMs() - heardMs > AWAY_MS) throw error;
    }
    await clock.sleep(LOOK_MS);
  }
}

function report(task: ServiceTask, known: Map<string, string>, onTask: (task: BatchTask) => void): void {
  const { miner_id: minerId, status, message, evidence } = task;
  if (minerId === null) return;
  const state = `${status} ${isFinal(status) ? '' : message}`;
  if (known.get(minerId) === state) return;
  known.set(minerId, state);
  onTask({ minerId, status, message, evidence });
}

// Brings tasks to their agents: at once when they are connected, when they come back, again while no receipt came; and ends what has waited
// too long. Sending twice is harmless: the task's id makes it once.
import type { Clock } from '../../base/clock.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { Notice, TaskCommand } from '../../wire/frames.ts';
import type { TaskStore } from '../store/store.ts';

/** A connected agent that has not confirmed a task by then is sent it again. */
const RESEND_MS = 30_000;
/** How long after its expiry a task that the agent has taken may stay without outcome: reboots are proven slowly, links break. */
const OUTCOME_GRACE_MS = 30 * 60_000;
/** Tasks are brought when they are made; this finds those of which another copy's message was lost, and those that are over. */
const SWEEP_MS = 5_000;
/** Together, even with the largest params, less than what an agent may leave unread before its connection is ended. */
const PAGE = 100;

type DispatcherParts = {
  readonly tasks: TaskStore;
  /** False when the agent is not connected here. */
  readonly send: (agentId: string, message: TaskCommand | Notice) => boolean;
  /** It is connected here, and has read most of what it was sent. What is not sent for want of room comes with the next sweep. */
  readonly hasRoom: (agentId: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
};

export type TaskDispatcher = ReturnType<typeof createTaskDispatcher>;

export function createTaskDispatcher({ tasks, send, hasRoom, clock, log }: DispatcherParts) {
  /** The last turn of each agent: two that look at the same time would both send the same. */
  const turns = new Map<string, Promise<void>>();

  const bring = (agentId: string, sentBeforeMs: () => number): Promise<void> => {
    const turn = (turns.get(agentId) ?? Promise.resolve())
      .catch(() => {})
      .then(() => bringNow(agentId, sentBeforeMs()));
    turns.set(agentId, turn);
    return turn.finally(() => {
      if (turns.get(agentId) === turn) turns.delete(agentId);
    });
  };
  const bringCancels = async (agentId: string, sentBeforeMs: number) => {
    const nowMs = clock.nowMs();
    for (let afterId = ''; hasRoom(agentId); ) {
      const ids = await tasks.listCancels({ agentId, nowMs, sentBeforeMs, afterId, limit: PAGE });
      const sent = ids.filter((task_id) => send(agentId, { type: 'cancel', task_id }));
      // One past the time at which it was asked for, so that it counts as told.
      await tasks.markSent(sent, Math.max(nowMs, sentBeforeMs) + 1);
      afterId = ids.at(-1) ?? '';
      if (ids.length < PAGE) return;
    }
  };
  const bringNow = async (agentId: string, sentBeforeMs: number) => {
    const nowMs = clock.nowMs();
    while (hasRoom(agentId)) {
      // One past the bound, so that the next page begins after these.
      const sentMs = Math.max(nowMs, sentBeforeMs + 1);
      const claim = await tasks.claim({ agentId, nowMs, sentBeforeMs, sentMs, limit: PAGE });
      const { commands, undecryptable, isFull } = claim;
      if (undecryptable.length > 0) {
        log.warn(
          { agentId, tasks: undecryptable.length },
          'tasks end that were encrypted with a key file that is not here',
        );
        await tasks.endUndecryptable(undecryptable, nowMs);
      }
      const unsent = commands.filter((command) => !send(agentId, command)).map(({ task_id }) => task_id);
      // They are due again for whoever looks next.
      await tasks.markSent(unsent, sentBeforeMs);
      if (!isFull || unsent.length > 0) break;
    }
    await bringCancels(agentId, sentBeforeMs);
  };
  const deliver = (agentId: string) => bring(agentId, () => clock.nowMs() - RESEND_MS);

  const deliverToEach = async () => {
    for (const agentId of await tasks.listWaitedFor(clock.nowMs())) if (hasRoom(agentId)) await deliver(agentId);
  };

  const sweep = async () => {
    const nowMs = clock.nowMs();
    const expired = await tasks.expire(nowMs, OUTCOME_GRACE_MS);
    if (expired > 0) log.info({ expired }, 'tasks ended without outcome');
    await deliverToEach();
  };

  const round = createRound('sweeping tasks', SWEEP_MS, sweep, clock, log);
  return {
    /** Sends what the agent has not been sent within the time to resend. */
    deliver,
    /** The agent is back: whatever was sent before may be lost. */
    deliverAll: (agentId: string) => bring(agentId, () => clock.nowMs()),
    /** Delivers to every agent here that has something to get. */
    deliverToEach,
    received: (agentId: string, taskId: string) => tasks.markReceived(agentId, taskId, clock.nowMs()),
    start: round.start,
    stop: round.stop,
  };
}

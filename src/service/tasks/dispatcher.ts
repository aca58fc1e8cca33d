// Sends tasks to their agents: at once when they are connected, when they connect again, and again while no receipt
// comes. Ends what has waited too long. Sending twice is harmless: the agent runs each task id once.
import type { Clock } from '../../base/clock.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import type { Notice, TaskCommand } from '../../wire/frames.ts';
import type { TaskStore } from '../store/store.ts';

/** A connected agent that has not confirmed a task by then is sent it again. */
const RESEND_MS = 30_000;
/**
 * How long after its expiry a task that the agent has taken may stay without outcome: reboots are proven slowly, links
 * break.
 */
const OUTCOME_GRACE_MS = 30 * 60_000;
/**
 * Tasks are sent when they are created; the sweep finds those whose notification from another copy was lost, and those
 * whose time is over.
 */
const SWEEP_MS = 5_000;
/** Together, even with the largest params, less than what an agent may leave unread before its connection is ended. */
const PAGE = 100;

type DispatcherParts = {
  readonly tasks: TaskStore;
  /** False when the agent is not connected here. */
  readonly send: (agentId: string, message: TaskCommand | Notice) => boolean;
  /** It is connected here and has read most of what it was sent. The next sweep sends what does not fit now. */
  readonly hasRoom: (agentId: string) => boolean;
  readonly clock: Clock;
  readonly log: Log;
};

export type TaskDispatcher = ReturnType<typeof createTaskDispatcher>;

export function createTaskDispatcher({ tasks, send, hasRoom, clock, log }: DispatcherParts) {
  /** The last run for each agent: two at the same time would send the same tasks twice. */
  const running = new Map<string, Promise<void>>();

  const enqueue = (agentId: string, sentBeforeMs: () => number): Promise<void> => {
    const run = (running.get(agentId) ?? Promise.resolve())
      .catch(() => {})
      .then(() => sendDue(agentId, sentBeforeMs()));
    running.set(agentId, run);
    return run.finally(() => {
      if (running.get(agentId) === run) running.delete(agentId);
    });
  };
  const sendCancels = async (agentId: string, sentBeforeMs: number) => {
    const nowMs = clock.nowMs();
    for (let afterId = ''; hasRoom(agentId); ) {
      const ids = await tasks.listCancels({ agentId, nowMs, sentBeforeMs, afterId, limit: PAGE });
      const sent = ids.filter((task_id) => send(agentId, { type: 'cancel', task_id }));
      // One past the time of the cancel, so that it counts as sent.
      await tasks.markSent(sent, Math.max(nowMs, sentBeforeMs) + 1);
      afterId = ids.at(-1) ?? '';
      if (ids.length < PAGE) return;
    }
  };
  const sendDue = async (agentId: string, sentBeforeMs: number) => {
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
      // They are due again for the next sweep, here or on another copy.
      await tasks.markSent(unsent, sentBeforeMs);
      if (!isFull || unsent.length > 0) break;
    }
    await sendCancels(agentId, sentBeforeMs);
  };
  const deliver = (agentId: string) => enqueue(agentId, () => clock.nowMs() - RESEND_MS);

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
    /** The agent has connected again: what was sent before may be lost. */
    deliverAll: (agentId: string) => enqueue(agentId, () => clock.nowMs()),
    /** Delivers to every connected agent for which tasks or cancels wait. */
    deliverToEach,
    received: (agentId: string, taskId: string) => tasks.markReceived(agentId, taskId, clock.nowMs()),
    start: round.start,
    stop: round.stop,
  };
}

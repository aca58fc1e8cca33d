// Sends agents the ops status of their miners: the whole list when an agent connects, and again after each change. A
// regular look at all agents finds those whose notification from another copy was lost.
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import { OPS_STATUS_PAGE, type OpsStatusFrame } from '../../wire/frames.ts';
import type { MinerOpsStatus, OpsStatusStore } from '../store/store.ts';

const LOOK_MS = 30_000;

export type OpsStatusNotifier = ReturnType<typeof createOpsStatusNotifier>;

type NotifierParts = {
  readonly store: OpsStatusStore;
  /** False when the agent is not connected here. */
  readonly send: (agentId: string, frame: OpsStatusFrame) => boolean;
  readonly connected: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
};

export function createOpsStatusNotifier({ store, send, connected, clock, log }: NotifierParts) {
  /** Digest of the list sent last, by agent that is connected here. */
  const sent = new Map<string, string>();
  /** One after the other: an older list must not come after a newer one. */
  let queue: Promise<void> = Promise.resolve();

  const sendIfNew = (agentId: string, miners: readonly MinerOpsStatus[]) => {
    const digest = hash('sha256', JSON.stringify(miners));
    if (sent.get(agentId) === digest) return;
    const isSent = framesOf(miners).every((frame) => send(agentId, frame));
    if (isSent) sent.set(agentId, digest);
    else sent.delete(agentId);
  };
  const look = (agentIds: () => readonly string[], prepare = () => {}): Promise<void> => {
    const next = queue.then(async () => {
      prepare();
      const ids = agentIds();
      if (ids.length === 0) return;
      const lists = await store.listOfAgents(ids);
      for (const id of ids) sendIfNew(id, lists.get(id) ?? []);
    });
    queue = next.catch(() => {});
    return next;
  };

  const notifyAll = () =>
    look(connected, () => {
      const here = new Set(connected());
      for (const id of sent.keys()) if (!here.has(id)) sent.delete(id);
    });

  const round = createRound('sending ops status to agents', LOOK_MS, notifyAll, clock, log);

  return {
    /** Sends the list if the agent is connected here and got another one. */
    notify: (agentId: string) => look(() => connected().filter((id) => id === agentId)),
    /** The agent has connected: it has no list yet. */
    resend: (agentId: string) =>
      look(
        () => [agentId],
        () => sent.delete(agentId),
      ),
    /** Looks at every agent here. */
    notifyAll,
    start: round.start,
    async stop() {
      await round.stop();
      await queue;
    },
  };
}

function framesOf(miners: readonly MinerOpsStatus[]): OpsStatusFrame[] {
  const pages = Math.max(1, Math.ceil(miners.length / OPS_STATUS_PAGE));
  return Array.from({ length: pages }, (_, page) => ({
    type: 'ops-status',
    is_first: page === 0,
    miners: miners
      .slice(page * OPS_STATUS_PAGE, (page + 1) * OPS_STATUS_PAGE)
      .map(({ key, opsStatus }) => ({ miner_key: key, ops_status: opsStatus })),
  }));
}

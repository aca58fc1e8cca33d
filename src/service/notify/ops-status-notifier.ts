// Tells agents what operators say of their miners: all of it when one connects, and again when it is different from what was told last. Changes
// are told when they are made; a look at all agents now and then finds those whose message from another copy was lost.
import { hash } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { createRound } from '../../base/lifecycle.ts';
import type { Log } from '../../base/log.ts';
import { OPS_STATUS_PAGE, type OpsStatusFrame } from '../../wire/frames.ts';
import type { MinerOpsStatus, OpsStatusStore } from '../store/store.ts';

const LOOK_MS = 30_000;

export type Teller = ReturnType<typeof createTeller>;

type TellerParts = {
  readonly store: OpsStatusStore;
  /** False when the agent is not connected here. */
  readonly send: (agentId: string, frame: OpsStatusFrame) => boolean;
  readonly connected: () => readonly string[];
  readonly clock: Clock;
  readonly log: Log;
};

export function createTeller({ store, send, connected, clock, log }: TellerParts) {
  /** Digest of what was told last, of each agent that is connected here. */
  const told = new Map<string, string>();
  /** One after the other: an older list must not come after a newer one. */
  let turn: Promise<void> = Promise.resolve();

  const say = (agentId: string, miners: readonly MinerOpsStatus[]) => {
    const digest = hash('sha256', JSON.stringify(miners));
    if (told.get(agentId) === digest) return;
    const isSent = framesOf(miners).every((frame) => send(agentId, frame));
    if (isSent) told.set(agentId, digest);
    else told.delete(agentId);
  };
  const look = (agentIds: () => readonly string[], prepare = () => {}): Promise<void> => {
    const next = turn.then(async () => {
      prepare();
      const ids = agentIds();
      if (ids.length === 0) return;
      const lists = await store.listOfAgents(ids);
      for (const id of ids) say(id, lists.get(id) ?? []);
    });
    turn = next.catch(() => {});
    return next;
  };

  const tellEach = () =>
    look(connected, () => {
      const here = new Set(connected());
      for (const id of told.keys()) if (!here.has(id)) told.delete(id);
    });

  const round = createRound('telling agents of ops status', LOOK_MS, tellEach, clock, log);

  return {
    /** Tells the agent if it is connected here and was told something else. */
    tell: (agentId: string) => look(() => connected().filter((id) => id === agentId)),
    /** The agent has connected: nothing was told yet. */
    tellAnew: (agentId: string) =>
      look(
        () => [agentId],
        () => told.delete(agentId),
      ),
    /** Looks at every agent here. */
    tellEach,
    start: round.start,
    async stop() {
      await round.stop();
      await turn;
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

// What the store does when the clock of the service was set: miners that the time before keeps online too long, and history of minutes that come again.
// All other times stay as they were written, because nobody knows which clock was wrong; who reads them takes none that is later than now for good.

import type { Databases } from './databases.ts';
import { bringHistoryBack, setHistoryAside } from './history/history-set-back.ts';
import { staleAfterMs } from './ingest.ts';
import type { Db } from './schema.ts';

export type ClockRepairs = ReturnType<typeof createClockRepairs>;

export function createClockRepairs(databases: Databases) {
  const { read, write, sharedNowMs } = databases;
  const settleHistory = async (settle: typeof setHistoryAside, nowMs: number) => {
    let farms = 0;
    for (const { id } of await read.selectFrom('farms').select('id').execute())
      if (await settle(databases, id, nowMs)) farms++;
    return farms;
  };
  return {
    /** The clock that copies of the service share; undefined where there is none but ours. */
    sharedNowMs,
    /**
     * After a step of the clock, and at the start, when one may have been missed. `ourNowMs` counts only where the copies share no clock: a copy whose
     * clock is wrong must not change what the others wrote. `newestMs`: when something was last written, `aheadMs`: how much later than now that is.
     */
    async settle(ourNowMs: number) {
      const nowMs = (await sharedNowMs?.()) ?? ourNowMs;
      const newestMs = await readNewestMs(read);
      const aheadMs = Math.max(0, newestMs - nowMs);
      const miners = await endEarlier(write, nowMs, aheadMs);
      const setAside = await settleHistory(setHistoryAside, nowMs);
      const broughtBack = await settleHistory(bringHistoryBack, nowMs);
      return { newestMs, aheadMs, miners, setAside, broughtBack };
    },
  };
}

/** When the service last wrote something about an agent, by the clock that it had then. */
async function readNewestMs(read: Db): Promise<number> {
  const cursors = await read
    .selectFrom('ingest_cursors')
    .select((eb) => eb.fn.max('updated_at').as('at'))
    .executeTakeFirst();
  const agents = await read
    .selectFrom('agents')
    .select((eb) => eb.fn.max('last_seen_at').as('at'))
    .executeTakeFirst();
  return Math.max(cursors?.at ?? 0, agents?.at ?? 0);
}

/**
 * No miner stays online for longer than a report of now would keep it so; one that was reported by the clock of before, for no longer than it had left by
 * that. Gives how many miners that changed.
 */
async function endEarlier(write: Db, nowMs: number, aheadMs: number): Promise<number> {
  let changed = 0;
  for (const { id, poll_interval_ms } of await write
    .selectFrom('agents')
    .select(['id', 'poll_interval_ms'])
    .execute()) {
    const latestMs = nowMs + staleAfterMs(poll_interval_ms ?? 0);
    const { numUpdatedRows } = await write
      .updateTable('miners')
      .set((eb) => ({
        stale_at: eb
          .case()
          .when('stale_at', '<', nowMs + aheadMs)
          .then(nowMs)
          .when('stale_at', '>', latestMs + aheadMs)
          .then(latestMs)
          .else(eb('stale_at', '-', aheadMs))
          .end(),
      }))
      .where('agent_id', '=', id)
      .where('stale_at', '>', nowMs)
      .where((eb) => eb.or([eb('reported_at', '>', nowMs), eb('stale_at', '>', latestMs)]))
      .executeTakeFirst();
    changed += Number(numUpdatedRows);
  }
  return changed;
}

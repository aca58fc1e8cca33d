// The store and the clock of the service: keeps the last time that the service had, carries what lives over a step of
// the clock, and sets history aside that will be counted again. Copies that share a database share its clock; one of
// them carries a step over.
import { carryOver, carryStragglers, endWhatIsOver, type TimeStep } from './carry-over.ts';
import type { Databases } from './databases.ts';
import { bringHistoryBack, setHistoryAside } from './history/history-set-back.ts';
import { redateMiners } from './miners/redating.ts';
import type { Db } from './schema.ts';

export type ClockRepairs = ReturnType<typeof createClockRepairs>;

const ONE = 1;

export function createClockRepairs(databases: Databases) {
  const { read, write, transact, lock, sharedNowMs } = databases;
  return {
    /** The clock that copies of the service share; undefined where there is none but ours. */
    sharedNowMs,
    /** The time that the service had when it last looked; undefined in a new database. */
    lastMs: async (): Promise<number | undefined> => (await readTime(read))?.at,
    /**
     * It is now `nowMs`, `passedMs` after we last looked. Gives until when time has passed for certain: what is removed
     * because it is old goes by that. A clock that jumps ahead makes it go at twice its pace at most, as does time in
     * which no service ran. A new database begins with a time that is not a guess. The time that is kept goes back in
     * `carryOver` only: a copy that has not seen a step yet, or stood still, would undo what the first one kept.
     */
    keepTime: (nowMs: number, passedMs: number, isSure: boolean): Promise<number> =>
      transact(async (trx) => {
        await lock(trx, 'time');
        const kept = await readTime(trx);
        if (kept === undefined && !isSure) return nowMs;
        const gainedMs = 2 * Math.min(Math.max(0, nowMs - (kept?.at ?? nowMs)), Math.max(0, passedMs));
        const certainMs = kept?.certain_at ?? nowMs;
        await writeTime(
          trx,
          Math.max(nowMs, kept?.at ?? nowMs),
          Math.max(certainMs, Math.min(nowMs, certainMs + gainedMs)),
        );
        return Math.min(nowMs, certainMs + gainedMs);
      }),
    /**
     * Once for each step, whichever copy is first; see carry-over.ts. Gives the miners that it changed, undefined where
     * another copy was first.
     */
    carryOver: (step: TimeStep, freshMs: number): Promise<number | undefined> =>
      transact(async (trx) => {
        await lock(trx, 'time');
        const kept = await readTime(trx);
        const at = kept?.at ?? step.fromMs;
        if (sharedNowMs !== undefined && Math.abs(at - step.toMs) < Math.abs(at - step.fromMs)) return undefined;
        const miners = await carryOver(trx, step, freshMs);
        await writeTime(trx, step.toMs, kept?.certain_at ?? step.toMs);
        return miners;
      }),
    /** Before a step back is taken over, on each copy. `freshMs`: for so long others may go by it already. */
    endWhatIsOver: (step: TimeStep, freshMs: number) => endWhatIsOver(write, step, freshMs),
    carryStragglers: (step: TimeStep) => transact((trx) => carryStragglers(trx, step)),
    /** After a step back by so many ms: states of miners are dated in the future. */
    redate: (nowMs: number, byMs: number) => redateMiners(databases, nowMs, byMs),
    /**
     * After a step, and at the start, when one may have been missed. Gives of how many farms history was set aside, and
     * of how many it came back.
     */
    async repairHistory(nowMs: number) {
      const repair = async (repairFarm: typeof setHistoryAside) => {
        let farms = 0;
        for (const { id } of await read.selectFrom('farms').select('id').execute())
          if (await repairFarm(databases, id, nowMs)) farms++;
        return farms;
      };
      return { setAside: await repair(setHistoryAside), broughtBack: await repair(bringHistoryBack) };
    },
  };
}

const readTime = (db: Db) => db.selectFrom('service_time').select(['at', 'certain_at']).executeTakeFirst();

async function writeTime(db: Db, at: number, certain_at: number): Promise<void> {
  await db
    .insertInto('service_time')
    .values({ one: ONE, at, certain_at })
    .onConflict((conflict) => conflict.column('one').doUpdateSet({ at, certain_at }))
    .execute();
}

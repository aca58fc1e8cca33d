// Lines of the worklist of a farm that a person has taken: two people do not walk to the same trouble. It checks no
// permissions, and does not know whether there is still such trouble.
import { createHash } from 'node:crypto';
import { z } from 'zod';
import { CAUSES, keyOfLine, type LineName } from '../../../model/board/work-line.ts';
import { type Actor, actorSchema } from '../../../model/task.ts';
import type { Audited } from '../databases.ts';
import { HOUR_MS } from '../history/history-sums.ts';
import type { Db, Row } from '../schema.ts';

/** A shift: a person who has not released a line by then has gone home. */
export const TAKEN_MS = 12 * HOUR_MS;
/** Of a farm; of more the oldest is free again. */
export const MOST_TAKEN = 500;

/** Times in ms. */
export type TakenWork = Readonly<ReturnType<typeof toTaken>>;
type Take = {
  readonly farmId: string;
  readonly line: LineName;
  readonly actor: Actor;
  /** From another person too. */
  readonly isTakeover: boolean;
  readonly nowMs: number;
};

const lineSchema = z.tuple([
  z.enum(CAUSES),
  ...[z.string().nullable(), z.string().nullable(), z.string().nullable()],
] as const);

export function createTakenWorkStore({ read, transact, lock }: Audited) {
  const select = (db: Db, farmId: string, nowMs: number) =>
    db
      .selectFrom('taken_work')
      .selectAll()
      .where('farm_id', '=', farmId)
      .where('taken_at', '>', nowMs - TAKEN_MS)
      .orderBy('taken_at', 'desc')
      .orderBy('line_hash');
  const find = async (db: Db, { farmId, line, nowMs }: Pick<Take, 'farmId' | 'line' | 'nowMs'>) => {
    const row = await select(db, farmId, nowMs).where('line_hash', '=', hashOf(line)).executeTakeFirst();
    return row && toTaken(row);
  };
  return {
    /** The newest first. */
    list: async (farmId: string, nowMs: number): Promise<readonly TakenWork[]> =>
      (await select(read, farmId, nowMs).execute()).map(toTaken),
    find: (which: Pick<Take, 'farmId' | 'line' | 'nowMs'>) => find(read, which),
    /** Undefined = nothing was changed: another person has it, or this one already. */
    take: ({ farmId, line, actor, isTakeover, nowMs }: Take): Promise<TakenWork | undefined> =>
      transact(async (trx) => {
        await lock(trx, `taken-work ${farmId}`);
        const before = await find(trx, { farmId, line, nowMs });
        if (before !== undefined && (before.takenBy.id === actor.id || !isTakeover)) return undefined;
        const taken = { taken_by: JSON.stringify(actor), taken_at: nowMs };
        const row = await trx
          .insertInto('taken_work')
          .values({ farm_id: farmId, line_hash: hashOf(line), line: keyOfLine(line), ...taken })
          .onConflict((conflict) => conflict.columns(['farm_id', 'line_hash']).doUpdateSet(taken))
          .returningAll()
          .executeTakeFirstOrThrow();
        const beyond = (await select(trx, farmId, nowMs).execute()).slice(MOST_TAKEN);
        for (const { line_hash } of beyond) await remove(trx, farmId, line_hash);
        return toTaken(row);
      }),
    /** Says whether it was taken. */
    release: (farmId: string, line: LineName): Promise<boolean> => transact((trx) => remove(trx, farmId, hashOf(line))),
  };
}

async function remove(db: Db, farmId: string, lineHash: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('taken_work')
    .where('farm_id', '=', farmId)
    .where('line_hash', '=', lineHash)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** The address of a pool may be longer than the key of a database may be. */
const hashOf = (line: LineName): string => createHash('sha256').update(keyOfLine(line)).digest('hex');

function toTaken(row: Row<'taken_work'>) {
  const [cause, container, rack, pool] = lineSchema.parse(JSON.parse(row.line));
  const takenBy = actorSchema.parse(JSON.parse(row.taken_by));
  return { line: { cause, container, rack, pool }, takenBy, takenAtMs: row.taken_at };
}

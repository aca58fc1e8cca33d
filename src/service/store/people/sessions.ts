// Sessions at rest: hashes of their tokens, whose they are, when they end. The token itself is never here.
import type { Audited } from '../databases.ts';
import type { Db } from '../schema.ts';
import { type Person, type Session, toPerson, toSession } from './person-rows.ts';

/** Of a person: with one more the one goes that was not used for the longest time. */
export const MOST_SESSIONS = 20;

export type NewSession = Pick<Session, 'personId' | 'isPaired' | 'device' | 'address' | 'expiresAtMs'> & {
  readonly tokenHash: string;
};

export function createSessionStore({ read, write, transact, lock }: Audited, newId: (nowMs: number) => string) {
  return {
    beginSession: (session: NewSession, nowMs: number): Promise<Session> =>
      transact(async (trx) => {
        await lock(trx, `sessions ${session.personId}`);
        await removeOldest(trx, session.personId, nowMs);
        const row = await trx
          .insertInto('sessions')
          .values({
            id: newId(nowMs),
            person_id: session.personId,
            token_hash: session.tokenHash,
            is_paired: session.isPaired ? 1 : 0,
            device: session.device,
            address: session.address,
            created_at: nowMs,
            used_at: nowMs,
            expires_at: session.expiresAtMs,
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        return toSession(row);
      }),
    /** Also one that has ended, and one of a person that may not use it. */
    async findSession(tokenHash: string): Promise<{ session: Session; person: Person } | undefined> {
      const session = await read
        .selectFrom('sessions')
        .selectAll()
        .where('token_hash', '=', tokenHash)
        .executeTakeFirst();
      if (session === undefined) return undefined;
      const person = await read.selectFrom('people').selectAll().where('id', '=', session.person_id).executeTakeFirst();
      return person && { session: toSession(session), person: toPerson(person) };
    },
    /** Those that are good, newest first. */
    async listSessions(personId: string, nowMs: number): Promise<readonly Session[]> {
      const rows = await goodSessions(read, nowMs)
        .selectAll()
        .where('person_id', '=', personId)
        .orderBy('id', 'desc')
        .execute();
      return rows.map(toSession);
    },
    /** How many are good, by id of the person. */
    async countSessions(personIds: readonly string[], nowMs: number): Promise<ReadonlyMap<string, number>> {
      if (personIds.length === 0) return new Map();
      const rows = await goodSessions(read, nowMs)
        .select((eb) => ['person_id', eb.fn.countAll<number>().as('count')])
        .where('person_id', 'in', personIds)
        .groupBy('person_id')
        .execute();
      return new Map(rows.map(({ person_id, count }) => [person_id, Number(count)]));
    },
    async markSessionUsed(
      { id, personId }: Pick<Session, 'id' | 'personId'>,
      use: { readonly expiresAtMs: number | null; readonly address: string; readonly nowMs: number },
    ): Promise<void> {
      await write
        .updateTable('sessions')
        .set({ used_at: use.nowMs, expires_at: use.expiresAtMs, address: use.address })
        .where('id', '=', id)
        .where('ended_at', 'is', null)
        .execute();
      await write.updateTable('people').set({ last_seen_at: use.nowMs }).where('id', '=', personId).execute();
    },
    /** One of the person, or all but one; gives how many were good. */
    endSessions: (
      personId: string,
      which: { readonly onlyId?: string | undefined; readonly exceptId?: string | undefined; readonly nowMs: number },
    ): Promise<number> => endSessionsOf(write, personId, which),
  };
}

const goodSessions = (db: Db, nowMs: number) =>
  db
    .selectFrom('sessions')
    .where('ended_at', 'is', null)
    .where((eb) => eb.or([eb('expires_at', 'is', null), eb('expires_at', '>', nowMs)]));

export async function endSessionsOf(
  db: Db,
  personId: string,
  { onlyId, exceptId = '', nowMs }: { onlyId?: string | undefined; exceptId?: string | undefined; nowMs: number },
): Promise<number> {
  const all = db
    .updateTable('sessions')
    .set({ ended_at: nowMs })
    .where('person_id', '=', personId)
    .where('id', '!=', exceptId)
    .where('ended_at', 'is', null);
  const { numUpdatedRows } = await (onlyId === undefined ? all : all.where('id', '=', onlyId)).executeTakeFirst();
  return Number(numUpdatedRows);
}

async function removeOldest(transaction: Db, personId: string, nowMs: number): Promise<void> {
  const rows = await goodSessions(transaction, nowMs)
    .select('id')
    .where('person_id', '=', personId)
    .orderBy('used_at', 'desc')
    .orderBy('id', 'desc')
    .execute();
  const old = rows.slice(MOST_SESSIONS - 1).map(({ id }) => id);
  if (old.length > 0) await transaction.deleteFrom('sessions').where('id', 'in', old).execute();
}

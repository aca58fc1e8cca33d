// Records that an agent went offline, or came back: once, whichever copy of the service sees it first. An agent that
// was enrolled and never connected counts as offline too. Revoked agents and archived farms are left out.
import type { ExpressionBuilder } from 'kysely';
import type { Databases } from '../databases.ts';
import type { Tables } from '../schema.ts';
import { appendEvents } from './append.ts';

/** Not heard for this long: twice as long as until its status says so, so that a short break makes no event. */
const OFFLINE_MS = 120_000;
/** An agent that was enrolled has this long to connect for the first time. */
const FIRST_CONTACT_MS = 600_000;
/** Heard within this: it is back. */
const BACK_MS = 60_000;
/** Agents looked at in one call; the others wait for the next. */
const AT_A_TIME = 500;

type Builder = ExpressionBuilder<Tables, 'agents'>;

const hasGone = (nowMs: number) => (eb: Builder) =>
  eb.and([
    eb('offline_at', 'is', null),
    eb.or([
      eb('last_seen_at', '<=', nowMs - OFFLINE_MS),
      eb.and([eb('last_seen_at', 'is', null), eb('enrolled_at', '<=', nowMs - FIRST_CONTACT_MS)]),
    ]),
  ]);

const hasReturned = (nowMs: number) => (eb: Builder) =>
  eb.and([eb('offline_at', 'is not', null), eb('last_seen_at', '>', nowMs - BACK_MS)]);

/** Gives how many events it recorded. */
export async function notePresence(
  { read, transact }: Pick<Databases, 'read' | 'transact'>,
  nowMs: number,
): Promise<number> {
  const changed = await read
    .selectFrom('agents')
    .innerJoin('farms', 'farms.id', 'agents.farm_id')
    .select(['agents.id', 'farm_id', 'agents.name', 'last_seen_at', 'enrolled_at', 'offline_at'])
    .where('revoked_at', 'is', null)
    .where('archived_at', 'is', null)
    .where((eb) => eb.or([hasGone(nowMs)(eb), hasReturned(nowMs)(eb)]))
    .limit(AT_A_TIME)
    .execute();
  let recorded = 0;
  for (const { id, farm_id: farmId, name, last_seen_at, enrolled_at, offline_at } of changed) {
    const isBack = offline_at !== null;
    // Since when it was not heard.
    const sinceMs = last_seen_at ?? enrolled_at;
    const isFirst = await transact(async (trx) => {
      const { numUpdatedRows } = await trx
        .updateTable('agents')
        .set({ offline_at: isBack ? null : sinceMs })
        .where('id', '=', id)
        .where(isBack ? hasReturned(nowMs) : hasGone(nowMs))
        .executeTakeFirst();
      if (numUpdatedRows === 0n) return false;
      const detail = isBack
        ? { name, offline_since: new Date(offline_at).toISOString() }
        : { name, last_seen_at: last_seen_at === null ? null : new Date(last_seen_at).toISOString() };
      const type = isBack ? 'agent_online' : 'agent_offline';
      await appendEvents(trx, [{ farmId, agentId: id, minerId: null, type, atMs: nowMs, detail }]);
      return true;
    });
    if (isFirst) recorded++;
  }
  return recorded;
}

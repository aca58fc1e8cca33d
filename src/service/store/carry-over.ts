// When the clock of the service is set, the times by which it decides are moved: what was live stays live for the time
// that it had left, and what was over stays over. Times that only show when something happened stay, because it is not
// known which clock was wrong.
import type { ExpressionBuilder } from 'kysely';
import { staleAfterMs } from './ingest.ts';
import { LIVE_KEY_MS } from './miners/identity/known-miner.ts';
import { IDEMPOTENCY_MS } from './pruning.ts';
import type { Db, Tables } from './schema.ts';

/** From one time to the other, ms since the epoch. */
export type TimeStep = { readonly fromMs: number; readonly toMs: number };

/** For longer than this no report decides anything by its time, and no agent counts as online. */
const DECIDES_MS = LIVE_KEY_MS;
/** Beyond it what was carried over lies after everything that was not. */
const LARGE_MS = 2 * DECIDES_MS;
const STRAGGLING_MS = 60_000;

/**
 * Once for each step. `freshMs`: for so long the new time has been in use, and what was written since is left alone.
 * Gives the miners that it changed. After a step back the states of miners still have to be dated anew: see
 * miners/redating.ts.
 */
export async function carryOver(db: Db, step: TimeStep, freshMs: number): Promise<number> {
  const { fromMs, toMs } = step;
  const byMs = toMs - fromMs;
  const sinceMs = Math.min(fromMs, toMs) - DECIDES_MS;
  await db
    .updateTable('registrations')
    .set((eb) => ({ last_at: eb('last_at', '+', byMs) }))
    .where('last_at', '>', sinceMs)
    .where((eb) => eb.not(eb.between('last_at', toMs - freshMs, toMs)))
    .execute();
  await db
    .updateTable('registrations')
    .set((eb) => ({ replaced_at: eb('replaced_at', '+', byMs) }))
    .where('replaced_at', 'is not', null)
    .execute();
  await db
    .updateTable('agents')
    .set((eb) => ({ last_seen_at: eb('last_seen_at', '+', byMs) }))
    .where('last_seen_at', '>', sinceMs)
    .where((eb) => eb.not(eb.between('last_seen_at', toMs - freshMs, toMs)))
    .execute();
  await db
    .updateTable('agents')
    .set((eb) => ({ new_miners_at: eb('new_miners_at', '+', byMs), events_used_at: eb('events_used_at', '+', byMs) }))
    .execute();
  await carryTasks(db, step);
  await db
    .updateTable('webhooks')
    .set((eb) => ({
      failing_since: eb('failing_since', '+', byMs),
      given_up_at: eb('given_up_at', '+', byMs),
      next_attempt_at: eb('next_attempt_at', '+', byMs),
      leased_until: eb('leased_until', '+', byMs),
      older_secret_expires_at: eb('older_secret_expires_at', '+', byMs),
    }))
    .execute();
  await db
    .updateTable('idempotency_keys')
    .set((eb) => ({ created_at: eb('created_at', '+', byMs) }))
    .where('created_at', '>', fromMs - IDEMPOTENCY_MS)
    .execute();
  await db
    .updateTable('enrolment_codes')
    .set((eb) => ({
      expires_at: eb
        .case()
        .when('expires_at', '>', fromMs)
        .then(eb('expires_at', '+', byMs))
        .else(toMs)
        .end(),
    }))
    .where('used_at', 'is', null)
    .where('expires_at', '>', Math.min(fromMs, toMs))
    .execute();
  return byMs > 0 ? shiftMiners(db, step, sinceMs) : endSooner(db, step, freshMs);
}

/**
 * After `carryOver`, when everything goes by the new time: what was still written by the time of before. Miners would
 * be stale, or online for too long, until their next report.
 */
export async function carryStragglers(db: Db, step: TimeStep): Promise<number> {
  if (step.toMs - step.fromMs > LARGE_MS) return shiftMiners(db, step, step.fromMs - STRAGGLING_MS, step.fromMs);
  return endAtLatest(db, step.toMs);
}

/** Those that were reported since then, at the latest at `untilMs`, and all that are online if that is not given. */
async function shiftMiners(db: Db, { fromMs, toMs }: TimeStep, sinceMs: number, untilMs?: number): Promise<number> {
  const byMs = toMs - fromMs;
  const { numUpdatedRows } = await db
    .updateTable('miners')
    .set((eb) => ({
      reported_at: eb('reported_at', '+', byMs),
      seen_at: eb('seen_at', '+', byMs),
      // What is over is so for copies that do not go by the new time yet, too.
      stale_at: eb
        .case()
        .when('stale_at', '>', fromMs)
        .then(eb('stale_at', '+', byMs))
        .else(eb.ref('stale_at'))
        .end(),
    }))
    .where((eb) =>
      untilMs === undefined
        ? eb.or([eb('stale_at', '>', fromMs), eb('reported_at', '>', sinceMs)])
        : eb.and([eb('reported_at', '>', sinceMs), eb('reported_at', '<=', untilMs)]),
    )
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** Before a step back is taken over: what is over must not come alive again. By both times it is over then. */
export async function endWhatIsOver(db: Db, { fromMs, toMs }: TimeStep, freshMs: number): Promise<void> {
  await db
    .updateTable('miners')
    .set({ stale_at: toMs })
    .where('stale_at', '>', toMs)
    .where('stale_at', '<=', fromMs)
    .where((eb) => eb.not(eb.between('reported_at', toMs - freshMs, toMs)))
    .execute();
}

/** Back: what is live ends when it would have ended. */
async function endSooner(db: Db, step: TimeStep, freshMs: number): Promise<number> {
  const { fromMs, toMs } = step;
  await endWhatIsOver(db, step, freshMs);
  const { numUpdatedRows } = await db
    .updateTable('miners')
    .set((eb) => ({ stale_at: eb('stale_at', '+', toMs - fromMs) }))
    .where('stale_at', '>', fromMs)
    .where((eb) => eb.not(eb.between('reported_at', toMs - freshMs, toMs)))
    .executeTakeFirst();
  return Number(numUpdatedRows);
}

/** No miner is online for longer than a report of now would keep it so. */
async function endAtLatest(db: Db, nowMs: number): Promise<number> {
  let changed = 0;
  for (const { id, poll_interval_ms } of await db.selectFrom('agents').select(['id', 'poll_interval_ms']).execute()) {
    const latestMs = nowMs + staleAfterMs(poll_interval_ms ?? 0);
    const { numUpdatedRows } = await db
      .updateTable('miners')
      .set({ stale_at: latestMs })
      .where('agent_id', '=', id)
      .where('stale_at', '>', latestMs)
      .executeTakeFirst();
    changed += Number(numUpdatedRows);
  }
  return changed;
}

const OPEN = ['pending', 'running'] as const;

/**
 * Every time of those that are not over, so that they have waited for as long as before and may wait for as long as
 * before.
 */
async function carryTasks(db: Db, { fromMs, toMs }: TimeStep): Promise<void> {
  const byMs = toMs - fromMs;
  await db
    .updateTable('task_batches')
    .set((eb) => ({ created_at: eb('created_at', '+', byMs) }))
    .where('id', 'in', (eb) => eb.selectFrom('tasks').select('batch_id').where('status', 'in', OPEN))
    .execute();
  await db
    .updateTable('tasks')
    .set((eb: ExpressionBuilder<Tables, 'tasks'>) => ({
      created_at: eb('created_at', '+', byMs),
      expires_at: eb('expires_at', '+', byMs),
      sent_at: eb('sent_at', '+', byMs),
      received_at: eb('received_at', '+', byMs),
      updated_at: eb('updated_at', '+', byMs),
      cancel_at: eb('cancel_at', '+', byMs),
    }))
    .where((eb) =>
      eb.or([
        eb('status', 'in', OPEN),
        // The agent may still have to get it.
        eb.and([eb('status', '=', 'cancelled'), eb('cancel_at', 'is not', null), eb('expires_at', '>', fromMs)]),
      ]),
    )
    .execute();
}

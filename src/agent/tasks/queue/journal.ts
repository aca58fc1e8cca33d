// What became of every task, on disk: written before anything is done, so that a crash at any moment leaves a truth to
// go on from. Params, which may hold passwords of pools, are encrypted where there is a key, and kept only until the
// task is over; without secrets they stay where it failed. It decides nothing.
import type { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';
import { type Migrations, transact } from '../../../base/storage/sqlite.ts';
import { decryptWith, encryptWith, type Vault } from '../../../base/storage/vault.ts';
import { shownParams, type TaskStatus, taskStatusSchema } from '../../../model/task.ts';
import { parseJson } from '../../../wire/frames.ts';
import type { AuditTrail } from '../../state/audit-trail.ts';
import { sealTexts } from '../../state/database.ts';
import type { TaskOutcome } from '../contract.ts';
import { asJson, paramsSchema, rowSchema, type StoredTask } from '../stored-task.ts';
import { taskBegun, taskEnded, taskEntered } from '../task-acts.ts';
import { type BatchStop, batchStopSchema, type Rollout, rolloutRuleSchema } from './rollout-rule.ts';

export const tasksMigrations: Migrations = {
  owner: 'tasks',
  steps: [
    `CREATE TABLE tasks_journal (
       task_id TEXT PRIMARY KEY,
       batch_id TEXT,
       name TEXT NOT NULL,
       miner_key TEXT NOT NULL,
       params TEXT NOT NULL,
       source TEXT NOT NULL,
       accepted_ms INTEGER NOT NULL,
       expires_ms INTEGER NOT NULL,
       state TEXT NOT NULL,
       baseline TEXT,
       unit TEXT,
       started_ms INTEGER,
       sent_ms INTEGER,
       finished_ms INTEGER,
       took_effect INTEGER NOT NULL DEFAULT 0,
       status TEXT NOT NULL,
       message TEXT,
       evidence TEXT NOT NULL DEFAULT '{}',
       reported INTEGER NOT NULL DEFAULT 0,
       starting_w INTEGER NOT NULL DEFAULT 0,
       uplink TEXT,
       by_user TEXT
     ) STRICT;
     CREATE INDEX tasks_journal_open ON tasks_journal (state) WHERE state <> 'final';
     CREATE INDEX tasks_journal_unreported ON tasks_journal (finished_ms) WHERE state = 'final' AND reported = 0;
     CREATE INDEX tasks_journal_miner ON tasks_journal (miner_key, started_ms);
     CREATE INDEX tasks_journal_started ON tasks_journal (started_ms);
     CREATE INDEX tasks_journal_accepted ON tasks_journal (accepted_ms);
     CREATE INDEX tasks_journal_batch ON tasks_journal (batch_id) WHERE batch_id IS NOT NULL;
     CREATE TABLE tasks_batches (batch_id TEXT PRIMARY KEY, rollout TEXT NOT NULL, stopped TEXT) STRICT, WITHOUT ROWID;`,
  ],
};

/** Each column under its name here. */
const SELECT_ROWS = `SELECT task_id AS taskId, batch_id AS batchId, name, miner_key AS minerKey, params, source, uplink, by_user AS by, accepted_ms AS acceptedMs,
  expires_ms AS expiresMs, state, baseline, unit, started_ms AS startedMs, sent_ms AS sentMs, finished_ms AS finishedMs, status, message, evidence
  FROM tasks_journal`;
/** A task that is over, as it was before, and how it ended. */
export type Ended = { readonly row: StoredTask; readonly outcome: TaskOutcome };
const endsSchema = z.object({ status: taskStatusSchema, count: z.int() });
const batchSchema = z.object({ rollout: asJson(rolloutRuleSchema), stopped: asJson(batchStopSchema).nullable() });
const countSchema = z.object({ count: z.int() });
const startSchema = z.object({ startedMs: z.int(), powerW: z.int() });
const durationSchema = z.object({
  name: z.string(),
  minerKey: z.string(),
  isPowered: z.int().transform(Boolean),
  totalS: z.number().min(0),
  backS: z.number().nullable(),
});
const actionSchema = z.object({ name: z.string(), startedMs: z.number(), finishedMs: z.number().nullable() });

/**
 * Whether services hear of it once it is over: of all tasks that came from them, and of those that people here asked
 * for and that were begun. People ask in batches; tasks of the agent's own rules come one by one, and the rules report
 * them.
 */
type Origin = Pick<StoredTask, 'source' | 'batchId' | 'startedMs'>;
export const isReported = ({ source, batchId, startedMs }: Origin): boolean =>
  source === 'service' || (batchId !== null && startedMs !== null);

export type Journal = ReturnType<typeof openJournal>;

/** What is written with each change of a task, in its transaction. */
type Audit = Pick<AuditTrail, 'record'> | undefined;

/** Without a vault params lie in the open while their task is not over. */
export function openJournal(db: DatabaseSync, vault?: Vault, audit?: Audit) {
  if (vault !== undefined) sealTexts(db, vault, SELECT_PARAMS, SEAL_PARAMS);
  return { ...openReads(db, vault), ...openWrites(db, vault, audit), ...openBatches(db) };
}

function openReads(db: DatabaseSync, vault: Vault | undefined) {
  const one = db.prepare(`${SELECT_ROWS} WHERE task_id = ?`);
  const open = db.prepare(`${SELECT_ROWS} WHERE state <> 'final' ORDER BY accepted_ms, rowid`);
  const unreported = db.prepare(`${SELECT_ROWS} WHERE state = 'final' AND reported = 0 ORDER BY finished_ms LIMIT ?`);
  const ofBatch = db.prepare(`${SELECT_ROWS} WHERE batch_id = ? ORDER BY accepted_ms, rowid LIMIT ${MAX_BATCH_ROWS}`);
  const newest = db.prepare(`${SELECT_ROWS} ORDER BY accepted_ms DESC, rowid DESC LIMIT ?`);
  const effects = db.prepare(
    'SELECT count(*) AS count FROM tasks_journal WHERE miner_key = ? AND name = ? AND took_effect = 1 AND started_ms > ?',
  );
  const actions = db.prepare(
    `SELECT name, started_ms AS startedMs, finished_ms AS finishedMs FROM tasks_journal
     WHERE miner_key = ? AND started_ms > ? AND (took_effect = 1 OR state <> 'final') ORDER BY started_ms DESC LIMIT 100`,
  );
  const poweredStarts = db.prepare(
    `SELECT started_ms AS startedMs, starting_w AS powerW FROM tasks_journal
     WHERE starting_w > 0 AND started_ms > ? ORDER BY started_ms`,
  );
  const durations = db.prepare(
    `SELECT name, miner_key AS minerKey, starting_w > 0 AS isPowered, (finished_ms - started_ms) / 1000.0 AS totalS,
            json_extract(evidence, '$.backAfterS') AS backS
     FROM tasks_journal WHERE status IN ('succeeded', 'failed', 'timeout') AND started_ms IS NOT NULL AND finished_ms >= started_ms
     ORDER BY accepted_ms DESC LIMIT ?`,
  );
  const size = db.prepare('SELECT count(*) AS count FROM tasks_journal');
  const toRows = (found: readonly unknown[]): StoredTask[] =>
    found.flatMap((row) => {
      const parsed = rowSchema.safeParse(row);
      if (!parsed.success) return [];
      const opened = decryptWith(vault, parsed.data.params);
      const params = paramsSchema.safeParse(opened === undefined ? undefined : parseJson(opened)).data;
      return [{ ...parsed.data, params: params ?? {}, isLegible: params !== undefined }];
    });
  return {
    get: (taskId: string): StoredTask | undefined => toRows(one.all(taskId))[0],
    open: () => toRows(open.all()),
    unreported: (limit: number) => toRows(unreported.all(limit)),
    newest: (limit: number) => toRows(newest.all(limit)),
    ofBatch: (batchId: string) => toRows(ofBatch.all(batchId)),
    effectsSince: (minerKey: string, name: string, sinceMs: number) =>
      countSchema.parse(effects.get(minerKey, name, Math.round(sinceMs))).count,
    /** Tasks that were sent to the miner, or may have been, and were not refused: newest first. */
    actionsSince: (minerKey: string, sinceMs: number) =>
      actions.all(minerKey, Math.round(sinceMs)).map((row) => actionSchema.parse(row)),
    /** When tasks that count for the power budget were started, and what for. */
    poweredSince: (sinceMs: number) => poweredStarts.all(Math.round(sinceMs)).map((row) => startSchema.parse(row)),
    /** Of those that ended by themselves, newest first. */
    durations: (limit: number) => durations.all(limit).flatMap((row) => durationSchema.safeParse(row).data ?? []),
    size: () => countSchema.parse(size.get()).count,
  };
}

function openWrites(db: DatabaseSync, vault: Vault | undefined, audit: Audit) {
  const insert = db.prepare(
    `INSERT INTO tasks_journal
       (task_id, batch_id, name, miner_key, params, source, uplink, by_user, accepted_ms, expires_ms, state, started_ms, sent_ms, finished_ms, status,
        message, evidence, reported)
     VALUES
       (:taskId, :batchId, :name, :minerKey, :params, :source, :uplink, :by, :acceptedMs, :expiresMs, :state, :startedMs, :sentMs, :finishedMs, :status,
        :message, :evidence, :reported)`,
  );
  const start = db.prepare(
    `UPDATE tasks_journal SET state = 'started', status = 'running', baseline = ?, unit = ?, started_ms = ?, starting_w = ?, took_effect = 1,
       params = coalesce(?, params)
     WHERE task_id = ?`,
  );
  const move = db.prepare('UPDATE tasks_journal SET state = ?, sent_ms = coalesce(sent_ms, ?) WHERE task_id = ?');
  const reopen = db.prepare(
    "UPDATE tasks_journal SET state = 'accepted', status = 'pending', started_ms = NULL, sent_ms = NULL, took_effect = 0 WHERE task_id = ?",
  );
  const finish = db.prepare(
    `UPDATE tasks_journal
     SET state = 'final', status = ?, message = ?, evidence = ?, finished_ms = ?, took_effect = ?, reported = ?, params = CASE WHEN ? THEN params ELSE '{}' END
     WHERE task_id = ?`,
  );
  const markReported = db.prepare('UPDATE tasks_journal SET reported = 1 WHERE task_id = ?');
  const prune = db.prepare(
    "DELETE FROM tasks_journal WHERE state = 'final' AND reported = 1 AND accepted_ms < ? AND expires_ms < ?",
  );
  const pruneBatches = db.prepare(
    'DELETE FROM tasks_batches WHERE NOT EXISTS (SELECT 1 FROM tasks_journal WHERE batch_id = tasks_batches.batch_id)',
  );
  return {
    /** All or nothing. */
    insert(rows: readonly StoredTask[]): void {
      transact(db, () => {
        for (const { isLegible: _, baseline: __, unit: ___, ...row } of rows) {
          insert.run({
            ...row,
            params: row.state === 'final' ? NO_PARAMS : encryptWith(vault, JSON.stringify(row.params)),
            evidence: JSON.stringify(row.evidence),
            reported: Number(row.source === 'local'),
          });
        }
        audit?.record(rows.map(taskEntered));
      });
    },
    /**
     * From here on the miner may have been acted on. `startingW` = what it counts for in the power budget; without
     * `params` they stay as they were accepted.
     */
    started(
      taskId: string,
      { baseline, unit, params }: Partial<Pick<StoredTask, 'baseline' | 'unit'>> & { readonly params?: unknown },
      startingW: number,
      nowMs: number,
    ): void {
      const asText = (value: unknown) => (value === undefined ? null : JSON.stringify(value));
      transact(db, () => {
        const filled = params === undefined ? null : encryptWith(vault, JSON.stringify(params));
        start.run(asText(baseline), asText(unit), Math.round(nowMs), startingW, filled, taskId);
        audit?.record([taskBegun(taskId)]);
      });
    },
    moved: (taskId: string, state: 'sent' | 'verifying', nowMs: number): void =>
      void move.run(state, Math.round(nowMs), taskId),
    /** For effects that may run again. */
    reopened: (taskId: string): void => void reopen.run(taskId),
    /** All or nothing, with what `within` writes to the same database. */
    finished(ends: readonly Ended[], nowMs: number, within: () => void): void {
      transact(db, () => {
        within();
        for (const { row, outcome } of ends) {
          const { status, message, evidence, mayHaveHappened = status === 'succeeded' } = outcome;
          const [tookEffect, isDone] = [Number(mayHaveHappened), Number(!isReported(row))];
          const end = [status, message, JSON.stringify(evidence), nowMs, tookEffect, isDone] as const;
          finish.run(...end, Number(row.isLegible && isWithoutSecrets(row.params)), row.taskId);
        }
        audit?.record(ends.map(({ row, outcome }) => taskEnded(row, outcome)));
      });
    },
    /** All or nothing. */
    reported(taskIds: readonly string[]): void {
      transact(db, () => {
        for (const taskId of taskIds) markReported.run(taskId);
      });
    },
    /**
     * Forgets what is over, reported, accepted before `beforeMs` and long expired: if such a command came again it
     * would not be carried out.
     */
    prune(beforeMs: number, nowMs: number): number {
      const { changes } = prune.run(Math.round(beforeMs), Math.round(nowMs) - EXPIRED_MARGIN_MS);
      if (changes > 0) pruneBatches.run();
      return Number(changes);
    },
  };
}

function openBatches(db: DatabaseSync) {
  const keep = db.prepare('INSERT OR IGNORE INTO tasks_batches (batch_id, rollout) VALUES (?, ?)');
  const markStopped = db.prepare('UPDATE tasks_batches SET stopped = ? WHERE batch_id = ?');
  const one = db.prepare('SELECT rollout, stopped FROM tasks_batches WHERE batch_id = ?');
  const ends = db.prepare(
    "SELECT status, count(*) AS count FROM tasks_journal WHERE batch_id = ? AND state = 'final' GROUP BY status",
  );
  return {
    /** The first rule of a batch is the one that counts. */
    keepBatch: (batchId: string, rollout: Rollout): void => void keep.run(batchId, JSON.stringify(rollout)),
    stopBatch: (batchId: string, stop: BatchStop): void => void markStopped.run(JSON.stringify(stop), batchId),
    /** Undefined when the batch has no rule; with how many of its tasks have ended how. */
    batch(batchId: string) {
      const kept = batchSchema.safeParse(one.get(batchId)).data;
      if (kept === undefined) return undefined;
      const counts = z.array(endsSchema).parse(ends.all(batchId));
      const count = (...statuses: TaskStatus[]) =>
        counts.reduce((sum, group) => sum + (statuses.includes(group.status) ? group.count : 0), 0);
      const stopped = kept.stopped ?? undefined;
      return { rule: kept.rollout, stopped, succeeded: count('succeeded'), failed: count('failed', 'timeout') };
    },
  };
}

/** As many as one request may be about. */
const MAX_BATCH_ROWS = 10_000;

/** Such params are kept of what did not succeed, so that it can be asked for again. */
export const isWithoutSecrets = (params: StoredTask['params']): boolean =>
  isDeepStrictEqual(shownParams(params), params);

const SELECT_PARAMS = "SELECT task_id AS key, params AS text FROM tasks_journal WHERE state <> 'final'";
const SEAL_PARAMS = 'UPDATE tasks_journal SET params = ? WHERE task_id = ?';
const NO_PARAMS = '{}';

/** Room for a service that sends a command late. */
const EXPIRED_MARGIN_MS = 24 * 3_600_000;

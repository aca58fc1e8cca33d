// What became of every task, on disk: written before anything is done, so that a crash at any moment leaves a truth to go on from.
// It decides nothing.
import type { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';
import { type Migrations, transact } from '../../base/sqlite.ts';
import { taskStatusSchema } from '../../model/task.ts';
import { TASK_STATES, type TaskOutcome } from './contract.ts';

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
       started_ms INTEGER,
       sent_ms INTEGER,
       finished_ms INTEGER,
       took_effect INTEGER NOT NULL DEFAULT 0,
       status TEXT NOT NULL,
       message TEXT,
       evidence TEXT NOT NULL DEFAULT '{}',
       reported INTEGER NOT NULL DEFAULT 0
     ) STRICT;
     CREATE INDEX tasks_journal_open ON tasks_journal (state) WHERE state <> 'final';
     CREATE INDEX tasks_journal_unreported ON tasks_journal (finished_ms) WHERE state = 'final' AND reported = 0;
     CREATE INDEX tasks_journal_miner ON tasks_journal (miner_key, started_ms);
     CREATE INDEX tasks_journal_started ON tasks_journal (started_ms);
     CREATE INDEX tasks_journal_accepted ON tasks_journal (accepted_ms);`,
    `ALTER TABLE tasks_journal ADD COLUMN is_powered INTEGER NOT NULL DEFAULT 0;
     UPDATE tasks_journal SET is_powered = 1 WHERE started_ms IS NOT NULL AND name IN ('miner.system.reboot', 'miner.firmware.update');`,
  ],
};

/** What the miner said before it was acted on; `atMs` in ms since the epoch. */
const baselineSchema = z.object({
  atMs: z.number(),
  uptimeS: z.number().optional(),
  systemUptimeS: z.number().optional(),
  hashrateHs: z.number().optional(),
  firmwareVersion: z.string().optional(),
});
export type Baseline = z.infer<typeof baselineSchema>;

const asJson = <S extends z.ZodType>(schema: S) =>
  z.string().transform((text, context) => {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: 'is not what was written' });
    return z.NEVER;
  });
const record = z.record(z.string(), z.unknown());

const rowSchema = z
  .object({
    task_id: z.string(),
    batch_id: z.string().nullable(),
    name: z.string(),
    miner_key: z.string(),
    params: asJson(record),
    source: z.enum(['service', 'local']),
    accepted_ms: z.int(),
    expires_ms: z.int(),
    state: z.enum(TASK_STATES),
    baseline: asJson(baselineSchema).nullable(),
    started_ms: z.int().nullable(),
    sent_ms: z.int().nullable(),
    finished_ms: z.int().nullable(),
    status: taskStatusSchema,
    message: z.string().nullable(),
    evidence: asJson(record),
  })
  .transform((row) => ({
    taskId: row.task_id,
    batchId: row.batch_id,
    name: row.name,
    minerKey: row.miner_key,
    params: row.params,
    source: row.source,
    acceptedMs: row.accepted_ms,
    expiresMs: row.expires_ms,
    state: row.state,
    baseline: row.baseline ?? undefined,
    startedMs: row.started_ms,
    sentMs: row.sent_ms,
    finishedMs: row.finished_ms,
    status: row.status,
    message: row.message,
    evidence: row.evidence,
  }));
export type JournalRow = z.output<typeof rowSchema>;
const countSchema = z.object({ count: z.int() });
const startSchema = z.object({ started_ms: z.int() });

export type Journal = ReturnType<typeof openJournal>;

export function openJournal(db: DatabaseSync) {
  const insert = db.prepare(
    `INSERT INTO tasks_journal
       (task_id, batch_id, name, miner_key, params, source, accepted_ms, expires_ms, state, finished_ms, status, message, evidence, reported)
     VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  );
  const one = db.prepare('SELECT * FROM tasks_journal WHERE task_id = ?');
  const open = db.prepare("SELECT * FROM tasks_journal WHERE state <> 'final' ORDER BY accepted_ms, rowid");
  const unreported = db.prepare(
    "SELECT * FROM tasks_journal WHERE state = 'final' AND reported = 0 ORDER BY finished_ms LIMIT ?",
  );
  const newest = db.prepare('SELECT * FROM tasks_journal ORDER BY accepted_ms DESC, rowid DESC LIMIT ?');
  const start = db.prepare(
    `UPDATE tasks_journal SET state = 'started', status = 'running', baseline = ?, started_ms = ?, is_powered = ?, took_effect = 1
     WHERE task_id = ?`,
  );
  const move = db.prepare('UPDATE tasks_journal SET state = ?, sent_ms = coalesce(sent_ms, ?) WHERE task_id = ?');
  const reopen = db.prepare(
    "UPDATE tasks_journal SET state = 'accepted', status = 'pending', started_ms = NULL, sent_ms = NULL, took_effect = 0 WHERE task_id = ?",
  );
  const finish = db.prepare(
    `UPDATE tasks_journal SET state = 'final', status = ?, message = ?, evidence = ?, finished_ms = ?, took_effect = ?, reported = ?
     WHERE task_id = ?`,
  );
  const markReported = db.prepare('UPDATE tasks_journal SET reported = 1 WHERE task_id = ?');
  const effects = db.prepare(
    'SELECT count(*) AS count FROM tasks_journal WHERE miner_key = ? AND name = ? AND took_effect = 1 AND started_ms > ?',
  );
  const poweredStarts = db.prepare(
    'SELECT started_ms FROM tasks_journal WHERE is_powered = 1 AND started_ms > ? ORDER BY started_ms',
  );
  const size = db.prepare('SELECT count(*) AS count FROM tasks_journal');
  const prune = db.prepare(
    "DELETE FROM tasks_journal WHERE state = 'final' AND reported = 1 AND accepted_ms < ? AND expires_ms < ?",
  );
  const toRows = (found: readonly unknown[]): JournalRow[] =>
    found.flatMap((row) => {
      const parsed = rowSchema.safeParse(row);
      return parsed.success ? [parsed.data] : [];
    });

  return {
    /** All or nothing. */
    insert(rows: readonly JournalRow[]): void {
      transact(db, () => {
        for (const row of rows) {
          insert.run(
            row.taskId,
            row.batchId,
            row.name,
            row.minerKey,
            JSON.stringify(row.params),
            row.source,
            row.acceptedMs,
            row.expiresMs,
            row.state,
            row.finishedMs,
            row.status,
            row.message,
            JSON.stringify(row.evidence),
            Number(row.source === 'local'),
          );
        }
      });
    },
    get(taskId: string): JournalRow | undefined {
      const found = one.get(taskId);
      return found === undefined ? undefined : toRows([found])[0];
    },
    open: () => toRows(open.all()),
    unreported: (limit: number) => toRows(unreported.all(limit)),
    newest: (limit: number) => toRows(newest.all(limit)),
    /** From here on the miner may have been acted on. `isPowered` = it counts for the power gate. */
    started(taskId: string, baseline: Baseline | undefined, isPowered: boolean, nowMs: number): void {
      start.run(baseline === undefined ? null : JSON.stringify(baseline), nowMs, Number(isPowered), taskId);
    },
    moved(taskId: string, state: 'sent' | 'verifying', nowMs: number): void {
      move.run(state, nowMs, taskId);
    },
    /** For effects that may run again. */
    reopened(taskId: string): void {
      reopen.run(taskId);
    },
    /** All or nothing. `tookEffect` = the miner may have done it: it counts for caps. */
    finished(
      ends: readonly {
        readonly row: JournalRow;
        readonly end: { readonly outcome: TaskOutcome; readonly tookEffect: boolean };
      }[],
      nowMs: number,
    ): void {
      transact(db, () => {
        for (const { row, end } of ends) {
          const { status, message, evidence } = end.outcome;
          const isLocal = Number(row.source === 'local');
          finish.run(status, message, JSON.stringify(evidence), nowMs, Number(end.tookEffect), isLocal, row.taskId);
        }
      });
    },
    reported(taskId: string): void {
      markReported.run(taskId);
    },
    effectsSince: (minerKey: string, name: string, sinceMs: number) =>
      countSchema.parse(effects.get(minerKey, name, sinceMs)).count,
    /** When tasks that count for the power gate were started, ms since the epoch. */
    poweredSince: (sinceMs: number) =>
      z
        .array(startSchema)
        .parse(poweredStarts.all(sinceMs))
        .map(({ started_ms }) => started_ms),
    size: () => countSchema.parse(size.get()).count,
    /** Forgets what is over, told, accepted before `beforeMs` and long expired: if such an order came again it would not be carried out. */
    prune: (beforeMs: number, nowMs: number) => Number(prune.run(beforeMs, nowMs - EXPIRED_MARGIN_MS).changes),
  };
}

/** Room for a clock that steps back. */
const EXPIRED_MARGIN_MS = 24 * 3_600_000;

// Loaded into the agent before it starts (`node --import`): tasks of the names in the file of PITHEAD_STEP_FILE are
// held where it says, just before or just after a step of them is written to the journal, and nothing more is written
// of them. When as many as it says are there the program is killed.
import { readFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';
import { z } from 'zod';

type Arm = { readonly names: readonly string[]; readonly point: string; readonly count: number };

const names = new Map<string, string>();
const held = new Set<string>();

function armed(): Arm | undefined {
  try {
    return JSON.parse(readFileSync(process.env.PITHEAD_STEP_FILE ?? '', 'utf8'));
  } catch {
    return undefined;
  }
}

const inserted = z.object({ taskId: z.string(), name: z.string() });

/** What the statement writes, with the values that it is run with. */
function stepOf(
  sql: string,
  values: readonly unknown[],
): { readonly step: string; readonly taskId: string; readonly name?: string } | undefined {
  if (sql.includes('INSERT INTO tasks_journal')) return { step: 'insert', ...inserted.parse(values[0]) };
  if (!sql.includes('UPDATE tasks_journal')) return undefined;
  const taskId = String(values.at(-1));
  if (sql.includes("SET state = 'started'")) return { step: 'started', taskId };
  if (sql.includes("SET state = 'final'")) return { step: 'final', taskId };
  if (sql.includes('SET reported = 1')) return { step: 'reported', taskId };
  return sql.includes('SET state = ?') ? { step: String(values[0]), taskId } : undefined;
}

const killIfAllAreThere = (count: number) => {
  if (held.size >= count) process.kill(process.pid, 'SIGKILL');
};

/** Runs the statement, or does not. Throws for what is held. */
function runAt(sql: string, values: readonly unknown[], run: () => unknown): unknown {
  const found = stepOf(sql, values);
  const arm = armed();
  if (found === undefined || arm === undefined) return run();
  const { step, taskId, name } = found;
  if (name !== undefined) names.set(taskId, name);
  if (!arm.names.includes(names.get(taskId) ?? '')) return run();
  if (held.has(taskId) && step !== 'reported') throw new Error('held by the test');
  const isBefore = arm.point === `before ${step}`;
  if (!isBefore && arm.point !== `after ${step}`) return run();
  held.add(taskId);
  // One for all: the others of its transaction, and those that come after it, are not written either.
  if (isBefore && step === 'insert') process.kill(process.pid, 'SIGKILL');
  // Of many in one transaction, which must go through: nothing is written after it, so leaving it out holds the task.
  if (step === 'reported' || step === 'insert') {
    if (!isBefore) return run();
    killIfAllAreThere(arm.count);
    return { changes: 0, lastInsertRowid: 0 };
  }
  if (!isBefore) run();
  killIfAllAreThere(arm.count);
  throw new Error('held by the test');
}

const { prepare, exec } = DatabaseSync.prototype;
Reflect.set(DatabaseSync.prototype, 'prepare', function (this: DatabaseSync, sql: string) {
  const statement = prepare.call(this, sql);
  const { run } = statement;
  if (sql.includes('tasks_journal')) {
    Reflect.set(statement, 'run', (...values: Parameters<typeof run>) =>
      runAt(sql, values, () => run.apply(statement, values)),
    );
  }
  return statement;
});
Reflect.set(DatabaseSync.prototype, 'exec', function (this: DatabaseSync, sql: string) {
  exec.call(this, sql);
  const arm = sql === 'COMMIT' ? armed() : undefined;
  if (arm?.point === 'after insert' || arm?.point === 'after reported') killIfAllAreThere(arm.count);
});

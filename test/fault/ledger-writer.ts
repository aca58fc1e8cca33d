// Runs inside the agent before its own code, and changes nothing of it: writes into a file of its own what the agent
// produces, every slice before its transaction ends, and that it has ended. The file is the ledger outside: what it
// says was promised, whatever becomes of the agent's database.
import { appendFileSync } from 'node:fs';
import { DatabaseSync } from 'node:sqlite';

const path = process.env.PITHEAD_LEDGER ?? '/dev/null';
const write = (...line: readonly unknown[]) => appendFileSync(path, `${toText(line)}\n`);

const toText = JSON.stringify;
Reflect.set(JSON, 'stringify', (...args: Parameters<typeof toText>) => {
  const value: unknown = args[0];
  // A sample is serialised once, when it is handed to the outbox.
  if (typeof value === 'object' && value !== null && 'mac_state' in value && 'key' in value && 'at' in value)
    write('produced', value.key, value.at);
  return toText(...args);
});

/**
 * Slices are bound by the names of their columns. Throws where one has not what the ledger needs: then it would promise
 * nothing.
 */
function sliceLine(row: unknown): readonly unknown[] {
  if (typeof row !== 'object' || row === null || !('id' in row && 'body' in row && row.body instanceof Uint8Array))
    throw new TypeError('write a slice into the ledger: its id or body is missing');
  return ['slice', row.id, Buffer.from(row.body).toString('base64')];
}

/** What the open transaction of each database has written of the outbox. */
const open = new WeakMap<DatabaseSync, (readonly unknown[])[]>();

const { prepare, exec } = DatabaseSync.prototype;
Reflect.set(
  DatabaseSync.prototype,
  'prepare',
  function prepareAndTell(this: DatabaseSync, ...args: Parameters<typeof prepare>) {
    const statement = prepare.apply(this, args);
    const isSlice = args[0].startsWith('INSERT OR REPLACE INTO outbox_slices');
    if (!isSlice && !args[0].startsWith('INSERT OR REPLACE INTO outbox_epochs')) return statement;
    const { run } = statement;
    Reflect.set(statement, 'run', (...values: Parameters<typeof run>) => {
      const line = isSlice ? sliceLine(values[0]) : ['epoch', values[1], values[2]];
      open.set(this, [...(open.get(this) ?? []), line]);
      return run.apply(statement, values);
    });
    return statement;
  },
);
Reflect.set(DatabaseSync.prototype, 'exec', function execAndTell(this: DatabaseSync, sql: string) {
  const lines = sql === 'COMMIT' || sql === 'ROLLBACK' ? (open.get(this) ?? []) : [];
  if (lines.length > 0) open.delete(this);
  if (sql === 'COMMIT') for (const line of lines) write(...line);
  exec.call(this, sql);
  if (sql === 'COMMIT' && lines.length > 0) write('committed');
});

write('start', process.pid);

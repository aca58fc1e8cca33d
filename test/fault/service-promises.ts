// What service-cycle.ts was answered, and whether it is there: the database is opened as the service opens it.
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { systemClock } from '../../src/base/clock.ts';
import { renderError } from '../../src/base/errors.ts';
import { type Log, silentLog } from '../../src/base/log.ts';
import { openStorage } from '../../src/service/storage.ts';

export const SERVICE_FILE = 'service.sqlite';

/** What of it is not there. */
export async function missingIn(folder: string, promised: readonly string[]): Promise<readonly string[]> {
  const logged: string[] = [];
  const log: Log = { ...silentLog, error: (_fields, message) => void logged.push(message) };
  const databasePath = join(folder, SERVICE_FILE);
  try {
    const { close } = await openStorage({ databasePath, clock: systemClock, log, version: 'disk' });
    using db = new DatabaseSync(databasePath, { readOnly: true });
    const acknowledged = new Map<string, number>();
    for (const what of promised) {
      const [kind, epoch = '', seq] = what.split(' ');
      if (kind === 'ack') acknowledged.set(epoch, Math.max(Number(seq), acknowledged.get(epoch) ?? 0));
    }
    const lost = promised.filter((what) => !isThere(db, what, acknowledged));
    await close();
    return [...logged, ...lost];
  } catch (error) {
    return [...logged, renderError(error)];
  }
}

function isThere(db: DatabaseSync, promised: string, acknowledged: ReadonlyMap<string, number>): boolean {
  const [kind, one = '', other = '', third = ''] = promised.split(' ');
  const count = (sql: string, ...values: (string | number)[]) =>
    Number(Object.values(db.prepare(sql).get(...values) ?? {})[0]);
  switch (kind) {
    case 'key':
      return count('SELECT count(*) FROM api_keys WHERE name = ?', one) === 1;
    case 'agent':
      return count('SELECT count(*) FROM agents WHERE id = ?', one) === 1;
    case 'ack':
      return count('SELECT seq FROM ingest_cursors WHERE epoch = ?', one) >= Number(other);
    // Of a slice: promised once that was acknowledged.
    case 'holds': {
      if (Number(other) > (acknowledged.get(one) ?? 0)) return true;
      const [gaps, miners, events] = [
        count('SELECT count(*) FROM gaps WHERE epoch = ? AND seq = ?', one, Number(other)),
        count('SELECT count(*) FROM registrations JOIN miner_documents USING (row_id) WHERE key = ?', third),
        count(
          `SELECT count(*) FROM events WHERE type = 'appeared' AND miner_id IN
             (SELECT miners.id FROM miners JOIN registrations USING (row_id) WHERE key = ?)`,
          third,
        ),
      ];
      return gaps === 1 && miners === 1 && events === 1;
    }
    case 'batch':
      return count('SELECT count(*) FROM tasks WHERE batch_id = ?', one) === Number(other);
    default:
      throw new Error(`nothing is known of the promise '${promised}'`);
  }
}

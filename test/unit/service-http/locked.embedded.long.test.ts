// An embedded database that another process has locked, or whose file cannot be read: requests end with 503 in time,
// however many wait, and go on when it is over.
import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { Kysely, sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DatabaseError } from '../../../src/base/errors.ts';
import { NodeSqliteDialect } from '../../../src/service/store/sqlite/dialect.ts';
import { minerRecord } from './records.ts';
import { startRig, temporaryFolder } from './rig.ts';
import { connect } from './wire-agent.ts';

/** What a client waits at most, and what this machine may add. */
const ANSWER_MS = 5_000 + 1_000;

test('orders on a locked database are refused in time, lists are served; afterwards orders are taken', async () => {
  const rig = await startRig({ clock: systemClock });
  const agent = await connect(rig);
  await agent.report([minerRecord(1, Date.now())]);
  const id: string = (await rig.get(rig.farm('/miner/latest'))).body.data[0].id;
  const order = async () => {
    const startMs = performance.now();
    const body = { task_name: 'miner.system.reboot', miner_ids: [id] };
    const { status, headers } = await rig.post(rig.farm('/tasks/batches'), body);
    return { status, retryAfter: headers.get('retry-after'), tookMs: performance.now() - startMs };
  };
  const other = new DatabaseSync(rig.databasePath);
  onTestFinished(() => other.close());
  other.exec('BEGIN IMMEDIATE');
  const orders = Array.from({ length: 6 }, order);
  expect((await rig.get(rig.farm('/miner/latest'))).status).toBe(200);
  for (const { status, retryAfter, tookMs } of await Promise.all(orders)) {
    expect([status, retryAfter]).toEqual([503, '5']);
    expect(tookMs).toBeLessThan(ANSWER_MS);
  }
  other.exec('ROLLBACK');
  expect((await order()).status).toBe(200);
});

test('a page that cannot be read is an error of the database, not of the service', async () => {
  const path = join(temporaryFolder(), 'damaged.sqlite');
  const made = new DatabaseSync(path);
  made.exec('CREATE TABLE a (b TEXT)');
  const add = made.prepare('INSERT INTO a VALUES (?)');
  for (let n = 0; n < 1_000; n++) add.run('x'.repeat(100));
  made.close();
  const file = openSync(path, 'r+');
  const PAGE = 4_096;
  writeSync(file, Buffer.alloc(statSync(path).size - PAGE, 0xff), 0, undefined, PAGE);
  closeSync(file);
  const db = new Kysely<Record<string, never>>({
    dialect: new NodeSqliteDialect(new DatabaseSync(path), { begin: 'BEGIN', mayWrite: false }, () => {}),
  });
  onTestFinished(() => db.destroy());
  const error: unknown = await sql`SELECT * FROM a`.execute(db).catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(DatabaseError);
  expect(error).toMatchObject({ code: 'database.away' });
});

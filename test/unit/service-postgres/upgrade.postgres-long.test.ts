// A newer version upgrades the schema while this one is at work: from the commit on this copy writes nothing, takes no
// requests and no agents, and names the version to install.
import { sql } from 'kysely';
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { openAdmin } from '../../../src/service/admin.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { migrate, STEPS, type Step } from '../../../src/service/store/migrations/migrations.ts';
import { openPostgresDatabases } from '../../../src/service/store/postgres/postgres.ts';
import { TABLES } from '../../../src/service/store/schema.ts';
import { temporaryDatabase } from '../../support/database.ts';
import { query } from '../service-http/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { recordingLog, startRig } from '../service-http/rig.ts';
import { connect, open, type WireAgent } from '../service-http/wire-agent.ts';

const NEXT = STEPS.length + 1;
const RATES = { perWorkspace: 1e6, perStranger: 1e6, perCode: 1e6, perVisitor: 1e6 };

/** The step of a version to come: what is written once it is committed is noted, with the name of the connection. */
const noteWrites: Step = async (db) => {
  await sql`CREATE TABLE late_writes (at timestamptz, written text, by_connection text)`.execute(db);
  await sql`CREATE FUNCTION note_write() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
    INSERT INTO late_writes VALUES (clock_timestamp(), TG_TABLE_NAME, current_setting('application_name'));
    RETURN NULL; END $$`.execute(db);
  for (const table of Object.keys(TABLES))
    await sql`CREATE TRIGGER late AFTER INSERT OR UPDATE OR DELETE ON ${sql.table(table)}
      FOR EACH STATEMENT EXECUTE FUNCTION note_write()`.execute(db);
};

/** Reports all the time until the service ends the connection. */
async function reportForever(agent: WireAgent, which: number): Promise<number> {
  let reports = 0;
  for (;;) {
    const records = Array.from({ length: 40 }, (_, n) => minerRecord(which * 100 + n, Date.now()));
    const isStored = await agent.report(records).then(
      () => true,
      () => false,
    );
    if (!isStored) return reports;
    reports++;
  }
}

async function orderForever(order: () => Promise<{ status: number }>): Promise<number> {
  for (let orders = 0; ; orders++) if ((await order()).status !== 200) return orders;
}

test('from the moment of the upgrade the older copy writes nothing, and sends clients and agents away', async () => {
  const log = recordingLog();
  const rig = await startRig({
    databasePath: await temporaryDatabase(),
    clock: systemClock,
    log,
    limits: { ...DEFAULT_LIMITS, rates: RATES },
  });
  const agents = [await connect(rig), await connect(rig), await connect(rig)];
  const reports = agents.map((agent, which) => reportForever(agent, which));
  await expect.poll(async () => (await rig.get(rig.farm('/miner/latest'))).body.data.length).toBe(10);
  const ids: string[] = (await rig.get(rig.farm('/miner/latest'))).body.data.map(({ id }: { id: string }) => id);
  let next = 0;
  const order = () =>
    rig.post(rig.farm('/tasks/batches'), {
      task_name: 'miner.system.reboot',
      miner_ids: [ids[next++ % ids.length]],
    });
  const orders = orderForever(order);
  await expect.poll(() => next).toBeGreaterThan(10);

  const newer = openPostgresDatabases(rig.databasePath, log, { program: { version: '9.9.9', schema: NEXT } });
  onTestFinished(() => newer.close());
  await migrate(newer, 'test', { steps: [...STEPS, noteWrites], program: '9.9.9', log });
  const upgradedMs = performance.now();

  expect(await orders).toBeGreaterThan(5);
  expect(performance.now() - upgradedMs).toBeLessThan(1_000);
  expect(Math.min(...(await Promise.all(reports)))).toBeGreaterThan(0);
  for (const { closed } of agents) expect(await closed).toMatchObject({ code: 1013 });
  const refused = await order();
  expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
  expect(refused.body.message).toContain('this copy of the service is too old');
  const words = `the database has schema ${NEXT} of Pithead 9.9.9; this copy is Pithead 0.2.0 and knows schema ${STEPS.length}: install Pithead 9.9.9 on this host`;
  expect(await rig.get('/readyz')).toMatchObject({ status: 503, body: { message: `Nothing can be stored: ${words}` } });
  expect(rig.service.storage.fault()).toBe(words);
  expect(log.lines.find(({ fields }) => fields.error === words)).toMatchObject({ level: 'error' });
  await expect(rig.service.admin.ensureDefaults()).rejects.toMatchObject({ code: 'database.newer' });
  await expect(open(rig, agents[0]?.identity ?? { agentId: '', token: '' })).rejects.toThrow('503');
  // Longer than all that a copy does every so often.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  expect(await query(rig, 'SELECT written, by_connection FROM late_writes')).toEqual([]);
  expect((await rig.get('/readyz')).status).toBe(503);
  const warned = log.lines.find(({ message }) => message.startsWith('the schema of the database is upgraded'));
  expect(warned).toMatchObject({ level: 'warn', fields: { from: STEPS.length, to: NEXT, program: '9.9.9' } });
  expect(String(warned?.fields.copies)).toContain(`pithead 0.2.0 schema ${STEPS.length}`);
});

test('a copy that does not notice upgrades is named, and nothing is changed beside it', async () => {
  const rig = await startRig({ databasePath: await temporaryDatabase(), clock: systemClock });
  const newer = openPostgresDatabases(rig.databasePath, undefined, { program: { version: '9.9.9', schema: NEXT } });
  onTestFinished(() => newer.close());
  const older = new pg.Client({ connectionString: rig.databasePath, application_name: 'pithead' });
  await older.connect();
  const upgrade = () => migrate(newer, 'test', { steps: [...STEPS, noteWrites], program: '9.9.9' });
  const refused: unknown = await upgrade().catch((error: unknown) => error);
  await older.end();
  expect(refused).toMatchObject({ code: 'service.older-copies' });
  expect(String(refused)).toMatch(/does not notice upgrades, from 127\.0\.0\.1, connected since \d{4}-/);
  expect((await rig.get('/readyz')).status).toBe(200);
  await upgrade();
  await expect.poll(async () => (await rig.get('/readyz')).status).toBe(503);
});

test('a command of an administrator does not upgrade the database under the copies that run', async () => {
  const rig = await startRig({ databasePath: await temporaryDatabase(), clock: systemClock });
  await query(rig, 'UPDATE schema_version SET version = ?', STEPS.length - 1);
  await expect(openAdmin(rig.databasePath, { clock: systemClock })).rejects.toMatchObject({
    code: 'service.old-schema',
  });
  await query(rig, 'UPDATE schema_version SET version = ?', STEPS.length);
});

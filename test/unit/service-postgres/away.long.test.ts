// A database that does not answer: the service says so in time and in form, is not ready meanwhile, and goes on by
// itself afterwards.
import pg from 'pg';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { startRig } from '../service-http/rig.ts';

/** The deadlines of the service come sooner while somebody holds its tables, and only then. */
let isHeld = false;
const clock = {
  ...systemClock,
  after: (delayMs: number, run: () => void, options?: { unref?: boolean }) =>
    systemClock.after(isHeld ? delayMs / 10 : delayMs, run, options),
};

/** Holds the tables so that not even readers get at them, until `release`. */
async function hold(databasePath: string, tables: string) {
  const client = new pg.Client({ connectionString: databasePath });
  await client.connect();
  onTestFinished(() => client.end());
  await client.query('BEGIN');
  await client.query(`LOCK TABLE ${tables} IN ACCESS EXCLUSIVE MODE`);
  return { release: () => client.query('ROLLBACK') };
}

test('requests end with 503 and readiness says why, until it answers again', async () => {
  const rig = await startRig({ clock, limits: { ...DEFAULT_LIMITS, handlerMs: 1_500 } });
  await expect.poll(async () => (await rig.get('/readyz')).status).toBe(200);
  const held = await hold(rig.databasePath, 'miners, workspaces');
  isHeld = true;
  const [list, ready, alive] = await Promise.all([
    rig.get(rig.farm('/miner/latest')),
    rig.get('/readyz'),
    rig.get('/healthz'),
  ]);
  expect(list).toMatchObject({
    status: 503,
    body: { statusCode: 503, message: 'The service is not ready, try again', error: 'Service Unavailable' },
  });
  expect(Object.keys(list.body)).toHaveLength(3);
  expect(ready).toMatchObject({ status: 503, body: { message: 'The database does not answer' } });
  expect(alive.status).toBe(200);
  isHeld = false;
  await held.release();
  await expect.poll(async () => (await rig.get('/readyz')).status).toBe(200);
  await expect.poll(async () => (await rig.get(rig.farm('/miner/latest'))).status).toBe(200);
});

test('it stops in time all the same', async () => {
  const rig = await startRig();
  const held = await hold(rig.databasePath, 'miners');
  const waiting = rig.get(rig.farm('/miner/latest')).catch(() => undefined);
  await expect.poll(async () => (await rig.get('/healthz')).status).toBe(200);
  const startedMs = performance.now();
  await rig.service.stop();
  expect(performance.now() - startedMs).toBeLessThan(40_000);
  await held.release();
  await waiting;
});

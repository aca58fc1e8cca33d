// The agent loses its power again and again while it polls: same miners, nothing twice, and every hole in the record is declared.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { VERSION } from '../../src/base/version.ts';
import { createService, type Service } from '../../src/service/service.ts';
import { type Started, startPithead } from './process.ts';
import { minerListSchema } from './site.ts';
import { until } from './until.ts';

const NETWORK = '127.39.0.0/26';
const MINERS = 20;
const KILLS = 6;
const SEED = 20_261_121;

let folder: string;
let farm: Farm;
let service: Service;
let book: DatabaseSync;
let list: () => Promise<ReturnType<typeof minerListSchema.parse>['data']>;
let agent: Started | undefined;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-kill-'));
  const portMap = await suitablePortMap();
  farm = await startFarm({ network: NETWORK, miners: MINERS, mix: 'all', seed: 5, portMap });
  const databasePath = join(folder, 'service.sqlite');
  service = await createService({
    databasePath,
    host: '127.0.0.1',
    port: 0,
    clock: systemClock,
    log: silentLog,
    version: VERSION,
  });
  const { url } = await service.start();
  const { workspaceId, farmId } = await service.admin.ensureDefaults();
  const { key } = await service.admin.createKey({ workspaceId, name: 'e2e' });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000 });
  list = async () => {
    const address = `${url}/private-api/v1/${workspaceId}/farms/${farmId}/miner/latest?pageSize=1000`;
    const { body } = await request(address, { headers: { 'x-api-key': key } });
    return minerListSchema.parse(await body.json()).data;
  };
  book = keepBook(databasePath);
  mkdirSync(join(folder, 'state'));
  const config = {
    stateDir: 'state',
    networks: [NETWORK],
    portMap,
    poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
    service: { url, enrolmentCode: code, allowPlain: true },
  };
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config));
});
afterAll(async () => {
  agent?.kill('SIGKILL');
  book.close();
  await service.stop();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

/** The database itself notes every step of the cursor, every new miner and every event, whatever the service believes about them. */
function keepBook(databasePath: string): DatabaseSync {
  const database = new DatabaseSync(databasePath, { timeout: 5_000 });
  database.exec(`
    CREATE TABLE seen_steps (epoch TEXT, before INTEGER, after INTEGER);
    CREATE TRIGGER see_first AFTER INSERT ON ingest_cursors BEGIN INSERT INTO seen_steps VALUES (new.epoch, 0, new.seq); END;
    CREATE TRIGGER see_next AFTER UPDATE ON ingest_cursors BEGIN INSERT INTO seen_steps VALUES (new.epoch, old.seq, new.seq); END;
    CREATE TABLE seen_inserts (id TEXT);
    CREATE TRIGGER see_miner AFTER INSERT ON miners BEGIN INSERT INTO seen_inserts VALUES (new.id); END;
  `);
  return database;
}

const start = () => {
  agent = startPithead(['agent', '-c', join(folder, 'pithead.yaml')], { cwd: folder });
  return agent;
};

/** The same delays in every run. */
function delays(seed: number, count: number, maxMs: number): number[] {
  let state = seed;
  return Array.from({ length: count }, () => {
    state = (state * 48_271) % 2_147_483_647;
    return Math.floor((state / 2_147_483_647) * maxMs);
  });
}

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
const numbers = (row: unknown) => JSON.parse(JSON.stringify(row));

test('after every kill the agent goes on as the same agent with the same miners', { timeout: 180_000 }, async () => {
  start();
  const first = await until(list, (miners) => miners.length === MINERS, 60_000);
  const lasting = (miners: typeof first) =>
    miners
      .map(({ id, created_at, ip, mac }) => ({ id, created_at, ip, mac }))
      .toSorted((a, b) => (a.id < b.id ? -1 : 1));
  const killedAt: number[] = [];

  for (const delayMs of delays(SEED, KILLS, 1_500)) {
    await pause(delayMs);
    agent?.kill('SIGKILL');
    killedAt.push(Date.now());
    await agent?.end();
    start();
    // It polls again: what the list shows is younger than the kill.
    const since = Date.now();
    await until(
      list,
      (miners) => miners.every(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > since),
      60_000,
    );
    expect(lasting(await list())).toEqual(lasting(first));
  }

  agent?.kill('SIGTERM');
  const { code, stderr } = (await agent?.end()) ?? { code: null, stderr: '' };
  expect(code, stderr).toBe(0);

  const rows = (sql: string) => book.prepare(sql).all();
  expect(rows('SELECT id FROM agents')).toHaveLength(1);
  expect(rows('SELECT id FROM seen_inserts')).toHaveLength(MINERS);

  const steps = rows('SELECT epoch, before, after FROM seen_steps ORDER BY rowid').map(numbers);
  expect(new Set(steps.map(({ epoch }) => epoch)).size).toBe(1);
  expect(steps.map(({ before }) => before)).toEqual(steps.map((_, index) => index));
  expect(steps.map(({ after }) => after)).toEqual(steps.map((_, index) => index + 1));

  const state = new DatabaseSync(join(folder, 'state', 'outbox.sqlite'), { readOnly: true });
  const cursor = numbers(state.prepare('SELECT epoch, base, acked FROM outbox_lanes').get());
  const meta = numbers(state.prepare('SELECT next_id, is_clean FROM outbox_meta').get());
  state.close();
  const stored = numbers(book.prepare('SELECT epoch, seq FROM ingest_cursors').get());
  expect(stored.epoch).toBe(cursor.epoch);
  // What the agent believes to be stored is stored; what it has not been told yet is at most what it still keeps.
  expect(cursor.acked - cursor.base).toBeLessThanOrEqual(stored.seq);
  expect(stored.seq).toBeLessThan(meta.next_id - cursor.base);
  expect(meta.is_clean).toBe(1);

  const gaps = rows('SELECT seq, from_at, to_at, reason FROM gaps').map(numbers);
  expect(new Set(gaps.map(({ seq }) => seq)).size).toBe(gaps.length);
  expect(gaps.filter(({ reason }) => reason !== 'restart')).toEqual([]);
  expect(gaps).toHaveLength(KILLS);
  for (const at of killedAt) {
    const covering = gaps.filter(({ from_at, to_at }) => from_at <= at && at <= to_at);
    expect(covering, `declared for the kill at ${at}: ${JSON.stringify(gaps)}`).toHaveLength(1);
  }
  expect(rows(`SELECT miner_id FROM events WHERE type = 'appeared'`)).toHaveLength(MINERS);
});

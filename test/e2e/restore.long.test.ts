// A farm whose service loses its database, as its operator lives through it: the program goes on with a new one, says
// what to do, and with the backup put back its miners, keys and tasks are there again and the agent reports on.
// Everything in processes of their own.
import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdtempSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, startPithead } from './process.ts';
import { minerListSchema } from './site.ts';
import { until } from './until.ts';

const MINERS = 4;

const keySchema = z.looseObject({ key: z.string(), workspace_id: z.string(), farm_id: z.string() });
const statusSchema = z.looseObject({
  troubles: z.array(z.string()),
  service: z.object({
    fault: z.string().nullable(),
    backup: z.object({ dir: z.string(), newest_at: z.string().nullable(), failure: z.string().nullable() }),
  }),
});
const listSchema = z.looseObject({
  key: z.string(),
  backups: z.array(z.looseObject({ file: z.string(), key: z.string().nullable() })),
});
const batchesSchema = z.looseObject({ data: z.array(z.looseObject({ id: z.string() })) });

async function site() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-restore-'));
  chmodSync(folder, 0o755);
  const portMap = await suitablePortMap();
  const { network } = loopback(28);
  const mix = { 'whatsminer-2': MINERS };
  const options = { miners: MINERS, mix, seed: 11, portMap, noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 2 };
  const farm = await startFarm({ network, ...options });
  const config = join(folder, 'pithead.yaml');
  writeFileSync(
    config,
    JSON.stringify({ stateDir: 'state', networks: [network], portMap, poll: { interval: '1s', deadline: '3s' } }),
  );
  writeFileSync(join(folder, 'pithead.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  const pithead = (...args: string[]) => runPithead([...args, '--config', config]);
  const running = new Set<ReturnType<typeof startPithead>>();
  onTestFinished(async () => {
    for (const each of running) {
      each.kill('SIGTERM');
      await each.end();
    }
    await farm.stop();
    rmSync(folder, { recursive: true, force: true });
  });
  return {
    folder,
    pithead,
    database: join(folder, 'state', 'service.sqlite'),
    async up() {
      const started = startPithead(['up', '--config', config, '--port', '0']);
      running.add(started);
      await started.untilPrinted('stderr', 'service on');
      return {
        started,
        url: /service on (\S+?),/.exec(started.stderr())?.[1] ?? '',
        async stop() {
          started.kill('SIGTERM');
          const { code } = await started.end();
          running.delete(started);
          return code;
        },
      };
    },
    status: async () => statusSchema.parse(JSON.parse((await pithead('status', '--json')).stdout)),
    makeKey: async () =>
      keySchema.parse(
        JSON.parse((await pithead('key', 'create', '--name', 'e2e', '--role', 'admin', '--json')).stdout),
      ),
  };
}

type Key = z.output<typeof keySchema>;

async function ask(url: string, { key, workspace_id, farm_id }: Key, path: string) {
  const target = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}${path}`;
  const { statusCode, body } = await request(target, { headers: { 'x-api-key': key } });
  return { statusCode, body: await body.json() };
}

async function miners(url: string, key: Key) {
  const { statusCode, body } = await ask(url, key, '/miner/latest?pageSize=100');
  return statusCode === 200 ? minerListSchema.parse(body).data : [];
}

const allOnline = (url: string, key: Key) =>
  until(
    () => miners(url, key),
    (found) => found.length === MINERS && found.every(({ status }) => status === 'online'),
  );

const idsOf = (found: readonly { id: string }[]) => found.map(({ id }) => id).toSorted();

test('a damaged database is set aside and the farm watched on; the backup brings everything back', async () => {
  const here = await site();
  const first = await here.up();
  const key = await here.makeKey();
  const before = await allOnline(first.url, key);
  const v2 = `/public-api/v2/workspaces/${key.workspace_id}/farms/${key.farm_id}`;
  const ordered = await request(`${first.url}${v2}/task-batches`, {
    method: 'POST',
    headers: { 'x-api-key': key.key, 'content-type': 'application/json' },
    body: JSON.stringify({ task_name: 'miner.light.update', miner_ids: idsOf(before), params: { on: true } }),
  });
  expect(`${ordered.statusCode} ${await ordered.body.text()}`).toMatch(/^20/);
  // The first may have been made before all this was there: another one takes its place.
  await until(here.status, ({ service }) => service.backup.newest_at !== null);
  rmSync(join(here.folder, 'state', 'backups'), { recursive: true, force: true });
  await until(here.status, ({ service }) => service.backup.newest_at !== null);
  expect(await first.stop()).toBe(0);
  const batches = async (url: string) => {
    const { body } = await request(`${url}${v2}/task-batches`, { headers: { 'x-api-key': key.key } });
    return batchesSchema.parse(await body.json()).data.map(({ id }) => id);
  };

  const bytes = readFileSync(here.database);
  writeFileSync(here.database, bytes.fill(0xa5, 4_096));
  const second = await here.up();
  expect(second.started.stdout()).toContain('pithead restore');
  expect(existsSync(`${here.database}.damaged`)).toBe(true);
  expect((await ask(second.url, key, '/miner/latest')).statusCode).toBe(401);
  const newKey = await here.makeKey();
  // The farm is called as before: only the key is another one.
  expect([newKey.workspace_id, newKey.farm_id]).toEqual([key.workspace_id, key.farm_id]);
  await allOnline(second.url, newKey);
  const { troubles } = await here.status();
  expect(troubles.join('\n')).toMatch(
    /was damaged and lies in .*Put a backup back: stop Pithead, then: pithead restore/,
  );
  const file = /pithead restore (\S+?\.backup)/.exec(troubles.join('\n'))?.[1] ?? '';
  const refused = await here.pithead('restore', file);
  expect([refused.code, refused.stderr]).toEqual([1, expect.stringContaining('a service runs on it')]);
  expect(await second.stop()).toBe(0);

  const restored = await here.pithead('restore', file, '--json');
  expect([restored.code, restored.stderr]).toEqual([0, '']);
  expect(JSON.parse(restored.stdout)).toMatchObject({ restored: file, miners: MINERS, api_keys: 1, agents: 1 });
  const third = await here.up();
  const after = await allOnline(third.url, key);
  expect(idsOf(after)).toEqual(idsOf(before));
  expect(await batches(third.url)).toHaveLength(1);
  // It reports on: readings newer than the backup come in.
  const newest = Math.max(...after.map(({ last_updated_at }) => Date.parse(last_updated_at ?? '')));
  await until(
    () => miners(third.url, key),
    (found) => found.every(({ last_updated_at }) => Date.parse(last_updated_at ?? '') > newest),
  );
  expect(await third.stop()).toBe(0);
});

test('which key a backup needs is told; without it nothing is changed', async () => {
  const here = await site();
  const first = await here.up();
  await until(here.status, ({ service }) => service.backup.newest_at !== null);
  await first.stop();
  const listed = listSchema.parse(JSON.parse((await here.pithead('restore', '--list', '--json')).stdout));
  const [backup] = listed.backups;
  expect(backup?.key).toBe(listed.key);
  expect(await here.pithead('restore', '--list')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${listed.key} (here)`),
  });
  const database = readFileSync(here.database);
  const keyFile = join(here.folder, 'pithead.key');
  renameSync(keyFile, `${keyFile}.away`);
  writeFileSync(keyFile, `${Buffer.alloc(32, 8).toString('base64')}\n`, { mode: 0o600 });
  const refused = await here.pithead('restore', backup?.file ?? '');
  expect([refused.code, refused.stderr]).toEqual([
    78,
    expect.stringMatching(
      new RegExp(`needs the key ${listed.key}, which was in .*pithead.key when it was made; .* holds the key`),
    ),
  ]);
  expect(readFileSync(here.database).equals(database)).toBe(true);
});

test('damage that shows while it runs ends the process, and the next one begins with another database', async () => {
  const here = await site();
  const before = await here.up();
  const key = await here.makeKey();
  await allOnline(before.url, key);
  await before.stop();
  // A past that is not in memory.
  const db = new DatabaseSync(here.database);
  const insert = db.prepare("INSERT INTO events VALUES (?1, -?2, '', NULL, 'moved', ?2, ?3)");
  db.exec('BEGIN');
  const nowMs = Date.now();
  for (let row = 0; row < 5_000; row++) insert.run(key.farm_id, nowMs - row, JSON.stringify({ text: 'x'.repeat(900) }));
  db.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  db.close();
  const first = await here.up();
  // A failing disk, in place.
  const file = openSync(here.database, 'r+');
  const damaged = Buffer.alloc(Math.floor(fstatSync(file).size / 2), 0xa5);
  writeSync(file, damaged, 0, damaged.length, damaged.length);
  closeSync(file);
  const events = `${first.url}/public-api/v2/workspaces/${key.workspace_id}/farms/${key.farm_id}/events?page_size=10000`;
  const answer = await request(events, { headers: { 'x-api-key': key.key } });
  await answer.body.dump();
  expect(answer.statusCode).toBeGreaterThanOrEqual(500);
  const ended = await first.started.end();
  expect([ended.code, ended.stderr]).toEqual([1, expect.stringContaining('the database of the service is damaged')]);
  expect(existsSync(`${here.database}.damaged`)).toBe(true);
  const second = await here.up();
  const newKey = await here.makeKey();
  expect([newKey.workspace_id, newKey.farm_id]).toEqual([key.workspace_id, key.farm_id]);
  await allOnline(second.url, newKey);
  expect(await second.stop()).toBe(0);
});

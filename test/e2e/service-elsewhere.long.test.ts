// An agent whose service runs elsewhere does not know where its miners stand: workers that name it are taken from the
// service that the environment names, else nothing is sent.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { createAgent } from '../../src/agent/agent.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { enrolOnce } from '../../src/agent/uplink/enrolment/credentials.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { createService } from '../../src/service/service.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';
import { until } from './until.ts';
import { vouchFor } from './vouch.ts';

const MINERS = 4;
const POOL = 'stratum+tcp://new.example:3333';

const listSchema = z.object({
  data: z.array(z.looseObject({ id: z.string(), ip: z.string(), is_mining: z.boolean() })),
});

async function startBoth() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-elsewhere-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const portMap = await suitablePortMap();
  const { network } = loopback();
  const farm = await startFarm({
    network,
    miners: MINERS,
    mix: 'vnish',
    seed: 5,
    noise: 0,
    bootS: 1,
    warmUpS: 1,
    portMap,
  });
  onTestFinished(() => farm.stop());
  vouchFor(folder, farm);
  const written = {
    ...{ stateDir: folder, networks: [network], portMap, scan: { maxPerSecond: 50_000, ipReports: false } },
    ...{ poll: { interval: '1s', slowEvery: 1, staticEvery: '5s' }, credentials: { trust: 'network' } },
  };
  const config = parseConfig(JSON.stringify(written), {
    ...{ baseDir: folder, environment: { XDG_CONFIG_HOME: folder }, name: 'elsewhere' },
  });
  const service = await createService({
    ...{ databasePath: join(folder, 'elsewhere.sqlite'), host: '127.0.0.1', port: 0 },
    ...{ clock: systemClock, log: silentLog, version: 'elsewhere' },
  });
  const { url } = await service.start();
  onTestFinished(() => service.stop());
  const { workspaceId, farmId } = await service.admin.ensureDefaults();
  const { key } = await service.admin.createKey({ workspaceId, name: 'elsewhere', role: 'admin' });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000, maxMiners: 100 });
  const enrolment = { stateDir: folder, keyFile: config.credentials.keyFile, realm: 'service', url, code };
  const credentials = await enrolOnce({ ...enrolment, allowPlain: true });
  const agent = createAgent({
    config,
    uplinks: [{ name: 'service', ...credentials }],
    clock: systemClock,
    log: silentLog,
  });
  await agent.start();
  onTestFinished(() => agent.stop());
  const call = async (method: 'GET' | 'PATCH', path: string, body?: object): Promise<unknown> => {
    const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return answer.body.json();
  };
  const file = join(folder, 'pithead.yaml');
  writeFileSync(file, JSON.stringify({ stateDir: folder, networks: [] }));
  return { farm, call, file, environment: { PITHEAD_URL: url, PITHEAD_KEY: key } };
}

test('workers with a rack need the service that knows it; without it nothing is sent and the miners are named', async () => {
  const { farm, call, file, environment } = await startBoth();
  const { data: miners } = await until(
    async () => listSchema.parse(await call('GET', '/miners?page_size=100')),
    ({ data }) => data.length === MINERS && data.every(({ is_mining }) => is_mining),
    60_000,
  );
  const placed = miners.slice(0, MINERS - 1);
  const [last] = miners.slice(-1);
  for (const [n, { id }] of placed.entries()) await call('PATCH', `/miners/${id}`, { rack: 'C03', position: n + 1 });
  const set = (who: readonly string[], known: Readonly<Record<string, string>> = {}) =>
    runPithead(['pools', 'set', ...who, '--url', POOL, '--worker', 'f.{rack}-{position}', '--yes', '-c', file], {
      environment: known,
    });
  const workers = () => farm.devices.map((device) => device.truth().pools[0]?.worker_id);
  const before = workers();

  const alone = await set(['all']);
  expect(alone).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining('name it with --server') });
  for (const { ip } of miners) expect(alone.stderr).toContain(`${ip} (no rack, no position)`);
  const lacking = await set(['all'], environment);
  expect(lacking).toMatchObject({ code: 1, stdout: '' });
  expect(lacking.stderr).toContain(
    `1 of ${MINERS} miners lack what the pools need: ${last?.ip} (no rack, no position)`,
  );
  const stranger = await set([placed[0]?.ip ?? '', '127.0.0.1'], environment);
  expect(stranger).toMatchObject({
    code: 1,
    stdout: '',
    stderr: expect.stringContaining('no known miner is at 127.0.0.1'),
  });
  expect(workers(), 'nothing was sent').toEqual(before);

  const proven = await set(
    placed.map(({ ip }) => ip),
    environment,
  );
  expect(proven.code, `${proven.stdout}${proven.stderr}`).toBe(0);
  expect(proven.stderr).toContain('in rack C03 (3)');
  const now = new Map(farm.devices.map((device) => [device.ip, device.truth().pools[0]?.worker_id]));
  expect(placed.map(({ ip }) => now.get(ip))).toEqual(['f.C03-1', 'f.C03-2', 'f.C03-3']);
});

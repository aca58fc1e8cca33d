// A service that runs elsewhere. Its agent does not know where miners stand: workers that name it are taken from the
// service that the environment names, else nothing is sent. From another computer its farm is scanned, and what is done
// there is seen and given up.
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
    bootS: 3,
    warmUpS: 1,
    portMap,
  });
  onTestFinished(() => farm.stop());
  vouchFor(folder, farm);
  const written = {
    ...{ stateDir: folder, networks: [network], portMap, scan: { maxPerSecond: 50_000, ipReports: false } },
    ...{ poll: { interval: '1s', slowEvery: 1, staticEvery: '5s' }, credentials: { trust: 'network' } },
    tasks: { reboot: { concurrency: 1 } },
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
  return { farm, network, call, file, environment: { PITHEAD_URL: url, PITHEAD_KEY: key } };
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

const scannedLine = z.object({ ip: z.string(), status: z.string(), driver: z.string().nullable() }).loose();
const summaryLine = z.object({ summary: z.object({ identified: z.int(), silent: z.int() }).loose() });
const batchLine = z.object({ id: z.string(), status: z.string(), task_count: z.int() }).loose();
const taskLine = z.object({ ip: z.string(), status: z.string() }).loose();
const dryRunLine = z.looseObject({ at_once: z.int(), kw: z.number(), eta_s: z.int() });
const linesOf = (text: string): unknown[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('from another computer: a range is scanned, tasks are listed, what waits is given up', async () => {
  const { farm, network, call, file, environment } = await startBoth();
  const ips = farm.devices.map(({ ip }) => ip).toSorted();
  const pithead = (...args: string[]) => runPithead(args, { environment });
  await until(
    async () => listSchema.parse(await call('GET', '/miners?page_size=100')),
    ({ data }) => data.length === MINERS && data.every(({ is_mining }) => is_mining),
    60_000,
  );

  const scan = await pithead('scan', network, '--json');
  expect(scan.code, scan.stderr).toBe(0);
  const scanned = linesOf(scan.stdout);
  const found = scanned.slice(0, -1).map((line) => scannedLine.parse(line));
  const miners = found.filter(({ status }) => status === 'identified');
  expect(miners.map(({ ip }) => ip)).toEqual(ips);
  expect(new Set(miners.map(({ driver }) => driver))).toEqual(new Set(['vnish']));
  expect(summaryLine.parse(scanned.at(-1)).summary.identified).toBe(MINERS);
  const table = await pithead('scan', network);
  expect(table.stdout).toMatch(/^IP +STATUS +MODEL/);
  expect(table.stdout).toContain(`${MINERS} identified`);
  const csv = await pithead('scan', network, '--csv');
  expect(csv.stdout.split('\n')[0]).toMatch(/^ip,status,driver,/);
  const elsewhere = loopback(30).network;
  const outside = await pithead('scan', elsewhere);
  expect(outside).toMatchObject({ code: 1, stdout: '' });
  expect(outside.stderr).toContain(`1 cannot scan them: ${elsewhere} is outside the networks configured here`);
  expect(await pithead('scan', network, '--exclude', ips[0] ?? '')).toMatchObject({ code: 2, stdout: '' });

  const tried = await pithead('reboot', 'all', '--dry-run', '--json');
  expect(tried.code, tried.stderr).toBe(0);
  const dryRun = dryRunLine.parse(linesOf(tried.stdout).at(-1));
  expect(dryRun).toMatchObject({ count: MINERS, at_once: 1, left_out: [] });
  expect(dryRun.kw).toBeGreaterThan(0);
  expect(dryRun.eta_s).toBeGreaterThan(MINERS);
  const atItsHost = await runPithead(['reboot', 'all', '--dry-run', '--json', '-c', file]);
  const { at_once, kw, eta_s } = dryRun;
  expect(dryRunLine.parse(linesOf(atItsHost.stdout).at(-1))).toMatchObject({ at_once, kw, eta_s });
  expect(tried.stderr).toContain('kW at full load, about ');
  expect(farm.devices.every(({ reboots }) => reboots === 0)).toBe(true);
  const image = await pithead('firmware', 'whatsminer-m50.tar', 'all', '--yes');
  expect(image, image.stderr).toMatchObject({ code: 5, stdout: '' });
  expect(image.stderr).toContain('by its name');

  const reboot = await pithead('reboot', 'all', '--yes', '--detach');
  expect(reboot.code, reboot.stderr).toBe(0);
  const open = await pithead('tasks', '--open', '--json');
  const [batch] = linesOf(open.stdout).map((line) => batchLine.parse(line));
  expect(batch?.task_count).toBe(MINERS);
  await until(
    () => farm.devices.filter(({ reboots }) => reboots > 0).length,
    (count) => count > 0,
  );
  expect((await pithead('abort')).code).toBe(2);
  const { code, stdout, stderr } = await pithead('abort', '--yes', '--json');
  expect(code, stderr).toBe(0);
  expect(JSON.parse(stdout)).toEqual({ given_up: expect.any(Number), still_open: expect.any(Number) });
  const ended = await until(
    async () => linesOf((await pithead('tasks', batch?.id ?? '', '--json')).stdout).map((line) => taskLine.parse(line)),
    (tasks) => tasks.every(({ status }) => status === 'succeeded' || status === 'cancelled'),
  );
  expect(ended.map(({ ip }) => ip).toSorted()).toEqual(ips);
  expect(
    ended.some(({ status }) => status === 'succeeded'),
    'what was sent is proven',
  ).toBe(true);
  expect(
    ended.some(({ status }) => status === 'cancelled'),
    'what waited is given up',
  ).toBe(true);
  expect((await pithead('tasks', '--open')).stdout).toBe('no task waits or runs\n');
  expect((await pithead('tasks')).stdout).toContain('miner.system.reboot');
  expect((await pithead('abort', batch?.id ?? '')).stderr).toContain('1 were over');
});

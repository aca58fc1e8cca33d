// A technician beside the running service: what is asked on the command line goes through the agent that runs here, so
// that the farm's breakers and its miners see one gate; how the agent is doing, and giving everything up. Everybody is
// a process of their own.

import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { MAIN, runPithead, type Started, startPithead } from './process.ts';
import { readScan } from './scan-lines.ts';
import { minerListSchema } from './site.ts';
import { until } from './until.ts';

const NET = loopback(23);
const NETWORK = NET.part(0, 27);
/** Outside of it. */
const BEYOND = NET.ip(257);
const MINERS = 16;
/**
 * Miners of this farm count for 3.3 to 3.8 kW, with their power limit once they have told it, and for a quarter more
 * when they start: any four of them are within it, no five.
 */
const GATE = { kw: 19.5, windowS: 10 };
const AT_ONCE = 4;
/**
 * What lies between the task queue and the device on a busy machine. How long this process stood still comes on top.
 */
const MARGIN_MS = 4_000;

let farm: Farm;
let folder: string;
let portMap: Awaited<ReturnType<typeof suitablePortMap>>;
let config: string;
let up: Started;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-running-'));
  chmodSync(folder, 0o755);
  portMap = await suitablePortMap();
  farm = await startFarm({
    ...{ network: NETWORK, miners: MINERS, mix: { 'antminer-b': 10, 'whatsminer-2': 6 }, seed: 7, portMap },
    ...{ noise: 0, noiseStepS: 1, bootS: 2, warmUpS: 2 },
  });
  config = write('pithead.yaml', { networks: [NETWORK], portMap }, GATE);
  up = await start();
});
afterAll(async () => {
  up.kill('SIGTERM');
  await up.end();
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

function write(name: string, more: Readonly<Record<string, unknown>>, powerGate: object): string {
  const path = join(folder, name);
  const reboot = { concurrency: 16, backS: 120, hashS: 60, graceS: 10, checkEveryS: 0.3, dailyCap: 100, recentS: 0 };
  const common = { stateDir: 'state', poll: { interval: '1s', deadline: '3s' }, tasks: { reboot, powerGate } };
  writeFileSync(path, JSON.stringify({ ...common, ...more }));
  return path;
}

async function start(): Promise<Started> {
  const started = startPithead(['up', '--config', config, '--port', '0']);
  await started.untilPrinted('stderr', 'service on');
  await until(status, ({ state }) => state?.miners.answering === MINERS);
  return started;
}

const pithead = (...args: string[]) => runPithead([...args, '--config', config]);

const stateSchema = z.looseObject({
  running: z.boolean().nullable(),
  troubles: z.array(z.string()),
  miners: z.looseObject({ total: z.int(), answering: z.int() }),
  tasks: z.object({ waiting: z.int(), running: z.int() }),
});

async function status() {
  const { code, stdout } = await pithead('status', '--json');
  return { code, state: stateSchema.safeParse(JSON.parse(stdout)).data };
}

const stepSchema = z.strictObject({
  ip: z.string(),
  status: z.string(),
  message: z.string().nullable(),
  evidence: z.looseObject({}),
});
const stepsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line.includes('"status"'))
    .map((line) => stepSchema.parse(JSON.parse(line)));
const endsOf = (stdout: string) => stepsOf(stdout).filter(({ status }) => status !== 'pending' && status !== 'running');

/** When each reboot reached its device, seen from there. */
function watchReboots() {
  const before = farm.devices.map(({ reboots }) => reboots);
  const times: number[] = [];
  const watch = { times, stoodStillMs: 0, stop: () => clearInterval(watching) };
  let lookedAtMs = performance.now();
  const watching = setInterval(() => {
    watch.stoodStillMs = Math.max(watch.stoodStillMs, performance.now() - lookedAtMs);
    lookedAtMs = performance.now();
    for (const [i, { reboots }] of farm.devices.entries()) {
      for (let seen = before[i] ?? 0; seen < reboots; seen++) times.push(lookedAtMs);
      before[i] = reboots;
    }
  }, 10);
  return watch;
}

/** In the network, and nobody stands there. */
function freeAddress(): string {
  const taken = new Set(farm.devices.map(({ ip }) => ip));
  return Array.from({ length: 30 }, (_, i) => NET.ip(i + 1)).find((ip) => !taken.has(ip)) ?? '';
}

const mostWithin = (times: readonly number[], windowMs: number) =>
  Math.max(0, ...times.map((from) => times.filter((at) => at >= from && at < from + windowMs).length));

/** What integrators do: reboots by the service, and what it says has happened on site, as `ip status`. */
async function integrator() {
  const { stdout } = await pithead('key', 'create', '--name', 'e2e', '--role', 'admin', '--json');
  const { key, workspace_id, farm_id } = z
    .looseObject({ key: z.string(), workspace_id: z.string(), farm_id: z.string() })
    .parse(JSON.parse(stdout));
  const url = /service on (\S+?),/.exec(up.stderr())?.[1];
  const v1 = `/private-api/v1/${workspace_id}/farms/${farm_id}`;
  const v2 = `/public-api/v2/workspaces/${workspace_id}/farms/${farm_id}`;
  const call = async (method: 'GET' | 'POST', path: string, body?: unknown) => {
    const answer = await request(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      body: body === undefined ? null : JSON.stringify(body),
    });
    expect(answer.statusCode).toBe(200);
    return answer.body.json();
  };
  const miners = minerListSchema.parse(await call('GET', `${v1}/miner/latest?pageSize=100`)).data;
  return {
    async reboot(ips: readonly string[]): Promise<void> {
      const miner_ids = miners.filter(({ ip }) => ips.includes(ip)).map(({ id }) => id);
      expect(miner_ids).toHaveLength(ips.length);
      await call('POST', `${v1}/tasks/batches`, { task_name: 'miner.system.reboot', miner_ids });
    },
    async onSite(): Promise<string[]> {
      const { data } = eventsSchema.parse(await call('GET', `${v2}/events?type=task_on_site&page_size=100`));
      return data.map(
        ({ miner_id, detail }) => `${miners.find(({ id }) => id === miner_id)?.ip} ${detail.name} ${detail.status}`,
      );
    },
  };
}
const eventsSchema = z.looseObject({
  data: z.array(
    z.looseObject({ miner_id: z.string(), detail: z.looseObject({ name: z.string(), status: z.string() }) }),
  ),
});

test('the breakers see one gate, whoever reboots: the service and a technician at the same time', async () => {
  const ips = farm.devices.map(({ ip }) => ip);
  const watch = watchReboots();
  try {
    const service = await integrator();
    await service.reboot(ips.slice(0, MINERS / 2));
    const { code, stdout, stderr } = await pithead('reboot', ...ips.slice(MINERS / 2), '--yes', '--json');
    expect(stderr).toContain('by way of the agent that runs here');
    expect(endsOf(stdout).map(({ status }) => status)).toEqual(Array(MINERS / 2).fill('succeeded'));
    expect(code).toBe(0);
    await until(status, ({ state }) => state?.tasks.running === 0 && state.tasks.waiting === 0);
    const told = await until(
      () => service.onSite(),
      (events) => events.length >= MINERS / 2,
    );
    const expected = ips.slice(MINERS / 2).map((ip) => `${ip} miner.system.reboot succeeded`);
    expect(told.toSorted()).toEqual(expected.toSorted());
  } finally {
    watch.stop();
  }
  expect(farm.devices.map(({ reboots }) => reboots)).toEqual(Array(MINERS).fill(1));
  const windowMs = GATE.windowS * 1_000 - MARGIN_MS - watch.stoodStillMs;
  expect(mostWithin(watch.times, windowMs)).toBeLessThanOrEqual(AT_ONCE);
});

test('abort ends what waits, whoever asked for it, and what was sent is proven', async ({ task, onTestFinished }) => {
  up.kill('SIGTERM');
  await up.end();
  // It starts four miners, and no more while a test lasts; a second try has a state of its own.
  const stateDir = `patient-${task.result?.retryCount ?? 0}`;
  config = write(`${stateDir}.yaml`, { networks: [NETWORK], portMap, stateDir }, { ...GATE, windowS: 600 });
  up = await start();
  const before = farm.devices.map(({ reboots }) => reboots);
  // Until all has been asked: no reboot is proven before, however slow the commands are.
  const holdBack = (isOn: boolean) => farm.devices.forEach((device) => void device.setFault('never-returns', isOn));
  onTestFinished(() => holdBack(false));
  holdBack(true);
  const rebooting = startPithead(['reboot', NETWORK, '--yes', '--json', '--config', config]);
  await until(
    () => farm.devices.filter(({ reboots }, i) => reboots > (before[i] ?? 0)).length,
    (count) => count === 4,
  );
  const open = await pithead('tasks', '--limit', '100', '--json');
  expect(open.stdout.trimEnd().split('\n')).toHaveLength(MINERS);
  const some = await pithead('tasks', '--open', '--limit', '2', '--json');
  expect(some.stdout.trimEnd().split('\n')).toHaveLength(2);
  expect(some.stderr).toContain(`${MINERS - 2} more wait or run: --limit ${MINERS}`);
  expect((await pithead('abort')).code).toBe(2);
  const { code, stdout } = await pithead('abort', '--yes', '--reason', 'a breaker tripped', '--json');
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({ given_up: MINERS - 4 });
  holdBack(false);
  const ended = await rebooting.end();
  expect(ended.code).toBe(1);
  const ends = endsOf(ended.stdout);
  expect(ends.filter((step) => step.status === 'succeeded')).toHaveLength(4);
  const cancelled = ends.filter((step) => step.status === 'cancelled');
  expect(cancelled).toHaveLength(MINERS - 4);
  expect(cancelled[0]?.message).toContain('a breaker tripped');
  expect((await status()).state?.tasks).toEqual({ waiting: 0, running: 0 });
});

test('a technician who goes away takes along what has not been started; one who presses Ctrl-C hears of it', async () => {
  const before = farm.devices.map(({ reboots }) => reboots);
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const rebooting = startPithead(['reboot', NETWORK, '--yes', '--json', '--config', config]);
    await rebooting.untilPrinted('stdout', '"status":"pending"');
    rebooting.kill(signal);
    const { code, stdout } = await rebooting.end();
    expect(code).toBe(signal === 'SIGKILL' ? null : 130);
    if (signal === 'SIGINT') expect(endsOf(stdout).map((step) => step.status)).toEqual(Array(MINERS).fill('cancelled'));
    await until(status, ({ state }) => state?.tasks.waiting === 0 && state.tasks.running === 0);
  }
  expect(farm.devices.map(({ reboots }) => reboots)).toEqual(before);
});

test('scan, miner and log are answered by the agent, in the same words as without one', async () => {
  const scan = await pithead('scan', NETWORK, '--exclude', farm.devices[0]?.ip ?? '', '--json');
  const { found, summary } = readScan(scan.stdout);
  expect((await pithead('tasks', '--open')).stdout).toBe('no task waits or runs\n');
  expect(scan.stderr).toContain('by way of the agent');
  expect(found).toHaveLength(MINERS - 1);
  expect(summary).toMatchObject({ addresses: 32, excluded: 3, identified: MINERS - 1, not_reached: 0 });
  const miner = farm.devices.find(({ driver }) => driver === 'antminer-stock');
  const shown = JSON.parse((await pithead('miner', miner?.ip ?? '', '--json')).stdout);
  expect(shown).toMatchObject({ status: 'identified', reading: { mac: miner?.truth().mac } });
  expect((await pithead('log', miner?.ip ?? '')).stdout).toMatch(/\S+\n$/);

  const beyond = await pithead('scan', NET.part(256, 30), '--json');
  expect(beyond.stderr).toContain('this command goes there itself');
  expect(readScan(beyond.stdout).summary).toMatchObject({ addresses: 4, identified: 0 });
  const nobody = await pithead('reboot', BEYOND, '--json');
  expect(nobody).toMatchObject({ code: 5, stderr: expect.stringContaining('by this command alone') });
  const free = freeAddress();
  const mixed = await pithead('reboot', BEYOND, free, '--yes', '--json');
  expect(mixed).toMatchObject({ code: 5, stdout: '' });
  for (const address of [BEYOND, free]) expect(mixed.stderr).toMatch(new RegExp(`left out: .*${address}`));
  const across = await pithead('scan', NET.part(0, 24));
  expect(across).toMatchObject({ code: 1, stdout: '' });
  expect(across.stderr).toContain(`${NET.ip(32)} to ${NET.ip(254)}`);
});

test('a device is recorded by the agent: nobody else is at it, and its polls wait', async () => {
  const device = farm.devices.find(({ driver }) => driver === 'antminer-stock');
  const { code, stdout, stderr } = await pithead('capture', device?.ip ?? '', '--output', folder, '--json');
  expect(code, stderr).toBe(0);
  expect(stderr).toContain('by way of the agent');
  const told = JSON.parse(stdout);
  expect(told).toMatchObject({ driver: 'antminer-stock', login_refused: false });
  const recorded = JSON.parse(readFileSync(join(told.folder, 'case.json'), 'utf8'));
  const named = recorded.responses.map(({ file }: { file: string }) => file);
  expect(new Set(readdirSync(told.folder))).toEqual(new Set(['case.json', ...named]));
  expect(told.answered).toBeGreaterThan(5);
  expect(device?.maxInFlight).toBe(1);
  const silent = await pithead('capture', freeAddress(), '--output', folder);
  expect([silent.code, silent.stdout]).toEqual([1, '']);
});

test("the scan of a setup is the agent's where one runs on that configuration", async () => {
  const text = readFileSync(config, 'utf8');
  try {
    const { code, stdout, stderr } = await pithead('setup', '--yes', '--network', NETWORK, '--json');
    expect(code, stderr).toBe(0);
    expect(stderr).toContain('by way of the agent');
    expect(JSON.parse(stdout)).toMatchObject({ scan: { addresses: 32, identified: MINERS } });
    expect(farm.devices.map(({ maxInFlight }) => maxInFlight)).toEqual(Array(MINERS).fill(1));
  } finally {
    writeFileSync(config, text);
  }
});

test('whoever may not ask is told how, and reboots nothing beside the agent', async (context) => {
  const uid = 65_534;
  const read = `require('node:fs').readFileSync(${JSON.stringify(MAIN)})`;
  if (process.getuid?.() !== 0 || spawnSync(process.execPath, ['-e', read], { uid, gid: uid }).status !== 0)
    return context.skip('there is no other user here who may read the project');
  for (const args of [['status'], ['reboot', farm.devices[0]?.ip ?? '']]) {
    const asked = await runPithead([...args, '--config', config], { uid });
    expect(asked).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('run with sudo') });
  }
});

test('reload takes a new configuration over and says what of it takes a restart; a wrong one changes nothing', async () => {
  const text = readFileSync(config, 'utf8');
  const settings: unknown = JSON.parse(text);
  const written = (more: object) => writeFileSync(config, JSON.stringify(Object.assign({}, settings, more)));
  try {
    written({ poll: { interval: '2s', deadline: '3s' }, name: 'renamed' });
    const { code, stdout } = await pithead('reload', '--json');
    const drivers = { loaded: [], refused: [] };
    expect({ code, ...JSON.parse(stdout) }).toEqual({ code: 0, changed: ['poll'], needs_restart: ['name'], drivers });
    written({ networks: ['10.0.0.0/99'] });
    const wrong = await pithead('reload');
    expect(wrong).toMatchObject({ code: 78, stdout: '' });
    expect(wrong.stderr).toContain('networks[0]');
    expect((await status()).state?.miners.total).toBe(MINERS);
  } finally {
    writeFileSync(config, text);
  }
});

test('no second agent is started on the same state: it would have a task queue of its own', async () => {
  const second = await runPithead(['up', '--config', config, '--port', '0']);
  expect(second).toMatchObject({ code: 1, stderr: expect.stringContaining('another one runs there') });
  expect((await pithead('status')).code).toBe(0);
});

test('of two that are started together one runs; where it has no control socket, nothing is rebooted beside it', async () => {
  const ip = farm.devices[0]?.ip ?? '';
  const before = farm.devices[0]?.reboots;
  const socketless = write('socketless.yaml', { stateDir: `${'x'.repeat(110)}`, networks: [] }, GATE);
  const both = [1, 2].map(() => startPithead(['up', '--config', socketless, '--port', '0']));
  const first = await Promise.race(both.map(async (each) => ({ each, ended: await each.end() })));
  expect(first.ended).toMatchObject({ code: 1, stderr: expect.stringContaining('another one runs there') });
  const other = both.find((each) => each !== first.each);
  const reboot = await runPithead(['reboot', ip, '--json', '--config', socketless]);
  expect(reboot).toMatchObject({ code: 4, stdout: '', stderr: expect.stringContaining('choose a shorter stateDir') });
  const { findings } = JSON.parse((await runPithead(['doctor', '--json', '--config', socketless])).stdout);
  expect(findings).toContainEqual(expect.objectContaining({ about: 'agent', level: 'warning' }));
  other?.kill('SIGTERM');
  expect((await other?.end())?.code).toBe(0);
  expect(farm.devices[0]?.reboots).toBe(before);
});

test('status tells scripts how the agent is, also after it was killed', async () => {
  expect(await pithead('status')).toMatchObject({ code: 0, stdout: expect.stringMatching(/^health +well$/m) });
  const { findings } = JSON.parse((await pithead('doctor', '--json')).stdout);
  expect(findings).toContainEqual({ about: 'agent', level: 'ok', text: `runs and is well: ${MINERS} miners` });
  up.kill('SIGKILL');
  await up.end();
  expect(await pithead('status')).toMatchObject({ code: 3, stdout: '' });
  expect(await pithead('tasks')).toMatchObject({ code: 3, stdout: '' });
  expect(JSON.parse((await pithead('status', '--json')).stdout)).toMatchObject({ running: false });

  const idle = write('idle.yaml', { stateDir: 'idle', networks: [] }, GATE);
  const other = startPithead(['up', '--config', idle, '--port', '0']);
  await other.untilPrinted('stderr', 'service on');
  const troubled = await runPithead(['status', '--config', idle]);
  other.kill('SIGTERM');
  await other.end();
  expect(troubled).toMatchObject({ code: 1, stdout: expect.stringContaining('no networks are configured') });

  up = await start();
  expect((await status()).code).toBe(0);
});

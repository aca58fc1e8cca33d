// A technician's acts on many miners, from the command line by way of the agent: light, sleep and wake, reboot, pools,
// logs, maintenance. Who is meant is shown before, what came of it is proven after, and scripts go by the exit code.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { unzipSync } from 'fflate';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device } from '../../fixtures/farm/farm.ts';
import { runPithead, startPithead } from './process.ts';
import { type Site, startSite } from './site.ts';
import { runOnTerminal, type Screen } from './terminal.ts';

const ABLE = 22;
/** Their firmware has no light and no sleep. */
const UNABLE = 3;
const MIX = `vnish=${ABLE},innosilicon=${UNABLE}`;

let site: Site;
let folder: string;
let config: string;

beforeAll(async () => {
  site = await startSite(
    { miners: ABLE + UNABLE, mix: MIX, seed: 16, noise: 0, noiseStepS: 1, bootS: 1, warmUpS: 1 },
    {
      tasks: {
        reboot: { backS: 60, hashS: 120, graceS: 4, checkEveryS: 0.3, dailyCap: 100, recentS: 0 },
        powerMode: { dailyCap: 50 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
  );
  folder = mkdtempSync(join(tmpdir(), 'pithead-acts-'));
  config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: site.stateDir, networks: [] }));
  await site.until(
    () => site.miners(),
    (miners) => miners.length === ABLE + UNABLE && miners.every(({ is_mining }) => is_mining),
  );
  await putInRacks();
});
afterAll(async () => {
  await site.stop();
  rmSync(folder, { recursive: true, force: true });
});

const able = () => site.farm.devices.filter(({ driver }) => driver === 'vnish');
/** Of the rack: the first twenty-one stand in C03, one in C04, and those that cannot do much in C05. */
const rackOf = (device: Device) =>
  device.driver !== 'vnish' ? 'C05' : able().indexOf(device) < ABLE - 1 ? 'C03' : 'C04';

async function putInRacks(): Promise<void> {
  const { workspaceId, farmId, service, url } = site.stack;
  const { key } = await service.admin.createKey({ workspaceId, name: 'acts', role: 'admin' });
  writeFileSync(join(folder, 'key'), key);
  const miners = await site.miners();
  for (const [n, device] of site.farm.devices.entries()) {
    const id = miners.find(({ ip }) => ip === device.ip)?.id;
    const path = `/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners/${id}`;
    const { statusCode } = await request(`${url}${path}`, {
      method: 'PATCH',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify({ rack: rackOf(device), position: n + 1 }),
    });
    expect(statusCode).toBe(200);
  }
}

const pithead = (...args: string[]) => runPithead([...args, '--config', config]);
const elsewhere = (...args: string[]) =>
  runPithead([...args, '--server', site.stack.url, '--key-file', join(folder, 'key')]);
const onScreen = (answers: readonly (readonly [string, string])[], ...args: string[]) =>
  runOnTerminal([...args, '--config', config], { columns: 80, answers, environment: { NO_COLOR: '1' } });

/** As a person reads it: addresses of a farm, miners in their order, and no times that are other ones each time. */
async function expectScreen(name: string, { lines }: Pick<Screen, 'lines'>): Promise<void> {
  const isMiner = (line: string) => /^\d+\.\d+\.\d+\.\d+ /.test(line);
  const miners = lines.filter(isMiner).toSorted((a, b) => a.localeCompare(b, 'en', { numeric: true }));
  const ordered = lines.map((line) => (isMiner(line) ? (miners.shift() ?? line) : line));
  const text = ordered
    .join('\n')
    .replaceAll(/127\.\d+\.\d+\.(\d+) {2,}/g, (_, host: string) => `${`10.31.3.${host}`.padEnd(15)}  `)
    .replaceAll(/127\.\d+\.\d+\.(\d+)/g, '10.31.3.$1')
    .replaceAll(/about (\d+[hms])+/g, 'about 5s')
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f-]{22}/g, '0198c0de-7a11-7000-8000-000000000000');
  await expect(`${text}\n`).toMatchFileSnapshot(`../screens/act-${name}.txt`);
}

const lineSchema = z.looseObject({ ip: z.string().optional(), status: z.string().optional() });
const linesOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => lineSchema.parse(JSON.parse(line)));

describe('light', () => {
  test('a dry run shows who is meant where, who not and why, and sends nothing', async () => {
    const screen = await onScreen([], 'light', 'on', 'rack:C0*', '--dry-run');
    expect(screen.code).toBe(0);
    await expectScreen('light-dry-run', screen);
    expect(able().filter((device) => device.truth().light_on)).toEqual([]);
  });

  test('of a rack: twenty-one take their number, and each that blinks is proven', async () => {
    const screen = await onScreen([['Type 21 to go on', '21\r']], 'light', 'on', 'rack:C03');
    expect(screen.code).toBe(0);
    await expectScreen('light-on-rack', screen);
  });

  test('a wrong number sends nothing', async () => {
    const screen = await onScreen([['Type 21 to go on', '12\r']], 'light', 'off', 'rack:C03');
    expect(screen.code).toBe(1);
    expect(screen.lines.at(-1)).toBe('nothing was sent');
  });

  test('those that cannot are left out and do not count; where no miner is left the exit code says so', async () => {
    const some = await pithead('light', 'off', 'rack:C03,C05', '--yes');
    expect(some).toMatchObject({ code: 0, stdout: expect.stringContaining(`21 proven, ${UNABLE} left out`) });
    const none = await pithead('light', 'off', 'rack:C05', '--yes');
    expect(none).toMatchObject({ code: 5, stdout: '', stderr: expect.stringContaining('nothing was sent') });
    const unknown = await pithead('light', 'off', 'rack:nowhere', '--yes');
    expect(unknown).toMatchObject({ code: 5, stdout: '' });
  });
});

describe('reboot', () => {
  const last = (stdout: string) => linesOf(stdout).at(-1);

  test('the others are left alone when the canary fails, and what failed is done again by its batch', async () => {
    const [canary, ...others] = able();
    canary?.setFault('ignores-reboot', true);
    const { code, stdout } = await pithead('reboot', 'rack:C03', '--canary', '1', '--yes', '--json');
    canary?.setFault('ignores-reboot', false);
    expect(code).toBe(1);
    expect(last(stdout)).toMatchObject({ proven: 0, failed: 1, cancelled: ABLE - 2 });
    expect(others.map(({ reboots }) => reboots)).toEqual(others.map(() => 0));
    const { batch_ids: ids } = z.looseObject({ batch_ids: z.array(z.string()) }).parse(last(stdout));
    const again = await pithead('tasks', 'retry', ids[0] ?? '', '--json');
    expect(again.code, again.stderr).toBe(0);
    expect(last(again.stdout)).toMatchObject({ proven: 1, failed: 0 });
    expect(canary?.reboots).toBe(1);
  });

  test('handed over it goes on alone, by a batch that tasks shows', async () => {
    const [device] = able().slice(-1);
    const before = device?.reboots ?? 0;
    const { code, stdout } = await pithead('reboot', 'rack:C04', '--detach', '--json');
    expect(code).toBe(0);
    const { handed_over, batch_ids } = z
      .looseObject({ handed_over: z.int(), batch_ids: z.array(z.string()) })
      .parse(JSON.parse(stdout));
    expect(handed_over).toBe(1);
    const ended = await site.until(
      async () =>
        (await pithead('tasks', '--json')).stdout.split('\n').filter((line) => line.includes(batch_ids[0] ?? '?')),
      (lines) => lines.length === 1 && lines[0]?.includes('"status":"succeeded"') === true,
      60_000,
    );
    expect(ended).toHaveLength(1);
    expect(device?.reboots).toBe(before + 1);
  });

  test('Ctrl-C gives up what waits, waits for what was sent, and says so by the exit code', async () => {
    const running = startPithead(['reboot', 'rack:C03', '--yes', '--json', '--concurrency', '2', '--config', config]);
    await running.untilPrinted('stdout', '"status":"running"', 60_000);
    running.kill('SIGINT');
    const { code, stdout } = await running.end();
    expect(code).toBe(130);
    const end = z.looseObject({ proven: z.int(), cancelled: z.int() }).parse(last(stdout));
    expect(end).toMatchObject({ interrupted: true, failed: 0 });
    expect(end.proven).toBeGreaterThan(0);
    expect(end.proven + end.cancelled).toBe(ABLE - 1);
  });

  test('without a terminal more than one takes --yes', async () => {
    const { code, stdout, stderr } = await pithead('reboot', 'rack:C03');
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain('to reboot 21 miners without a question add --yes');
  });
});

describe('what reads only, and what the service keeps', () => {
  test('the logs of a rack are one zip with a file for each miner', async () => {
    const zip = join(folder, 'logs.zip');
    const { code, stdout } = await pithead('log', 'rack:C04', 'rack:C03', '--zip', zip);
    expect(code).toBe(0);
    expect(stdout).toContain(`${ABLE} read`);
    const files = unzipSync(readFileSync(zip));
    const expected = able().map((device) => `${rackOf(device)}/${device.ip}.log`);
    expect(Object.keys(files).toSorted()).toEqual(expected.toSorted());
    for (const bytes of Object.values(files)) expect(bytes.length).toBeGreaterThan(10);
  });

  test('the log of one that is found by its rack is printed; of many a file has to be named', async () => {
    expect(await pithead('log', 'rack:C04')).toMatchObject({ code: 0, stdout: expect.stringMatching(/\S+\n$/) });
    expect(await pithead('log', 'rack:C03')).toMatchObject({ code: 2, stderr: expect.stringContaining('--zip') });
  });

  test('pools are shown as the miners have them', async () => {
    const screen = await onScreen([], 'pools', 'show', 'rack:C04');
    expect(screen.code).toBe(0);
    await expectScreen('pools-show', screen);
  });

  test('maintenance is set for those that are in operation, and taken back', async () => {
    const screen = await onScreen([['Put 3 miners into maintenance?', 'y']], 'maintenance', 'on', 'rack:C05');
    expect(screen.code).toBe(0);
    await expectScreen('maintenance-on', screen);
    const again = await pithead('maintenance', 'on', 'rack:C05', '--yes');
    expect(again).toMatchObject({ code: 5, stderr: expect.stringContaining('it is in maintenance already') });
    expect(await pithead('maintenance', 'off', 'state:maintenance', '--yes')).toMatchObject({ code: 0 });
  });

  test('miners are read at once', async () => {
    expect(await pithead('refresh', 'rack:C04', 'rack:C05')).toMatchObject({ code: 0 });
  });
});

describe('pools', () => {
  const URL = 'stratum+tcp://new.example:3333';

  test('by template each miner gets a worker of its own; three of them are shown before', async () => {
    const args = ['pools', 'set', 'rack:C03', '--url', URL, '--worker', 'farm.{rack}-{position}'];
    const screen = await onScreen([['Type 21 to go on', '21\r']], ...args);
    expect(screen.code).toBe(0);
    await expectScreen('pools-set', screen);
    const miners = await site.until(
      async () => (await site.miners()).filter(({ pools }) => pools[0]?.url === URL),
      (found) => found.length === ABLE - 1,
      60_000,
    );
    const workers = miners.map(({ ip, pools }) => `${ip} ${pools[0]?.worker_id}`);
    const expected = site.farm.devices.flatMap((device, n) =>
      rackOf(device) === 'C03' ? [`${device.ip} farm.C03-${n + 1}`] : [],
    );
    expect(workers.toSorted()).toEqual(expected.toSorted());
  });
});

describe('from another computer', () => {
  test('the same act is a batch of the service, followed to its proof', async () => {
    const { code, stdout, stderr } = await elsewhere('light', 'on', 'rack:C04,C05', '--yes', '--json');
    expect(code, stderr).toBe(0);
    const lines = linesOf(stdout);
    expect(lines.at(-1)).toMatchObject({ proven: 1, failed: 0 });
    expect(able().at(-1)?.truth().light_on).toBe(true);
  });

  test('what failed there is done again by its batch', async () => {
    const device = able().at(-1);
    device?.setFault('ignores-reboot', true);
    const failed = await elsewhere('reboot', 'rack:C04', '--json');
    device?.setFault('ignores-reboot', false);
    expect(failed.code).toBe(1);
    const { batch_ids: ids } = z.looseObject({ batch_ids: z.array(z.string()) }).parse(linesOf(failed.stdout).at(-1));
    const again = await elsewhere('tasks', 'retry', ids[0] ?? '', '--json');
    expect(again.code, again.stderr).toBe(0);
  });
});

describe('sleep and wake', () => {
  test('a rack goes to sleep and is woken, each proven', async () => {
    const asleep = await pithead('sleep', 'rack:C03', '--yes', '--json');
    expect(asleep.code, asleep.stderr).toBe(0);
    expect(linesOf(asleep.stdout).at(-1)).toMatchObject({ proven: ABLE - 1, failed: 0, left_out: [] });
    await site.until(
      () => site.miners(),
      (miners) => miners.filter(({ mining_mode }) => mining_mode === 'sleep').length === ABLE - 1,
      60_000,
    );
    const screen = await onScreen([['Type 21 to go on', '21\r']], 'wake', 'rack:C03', 'state:asleep');
    expect(screen.code).toBe(0);
    await expectScreen('wake', screen);
  });
});

// What a technician types at a farm: scan, miner, reboot, each as a process of its own against simulated devices.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, startPithead, USUAL_STATE } from './process.ts';
import { readScan } from './scan-lines.ts';
import { vouchFor } from './vouch.ts';

const { network: NETWORK } = loopback(26);
/** In the range, and nobody stands there. */
const EMPTY = loopback().ip(1);
let farm: Farm;
let folder: string;
let portMap: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-cli-'));
  const map = await suitablePortMap();
  portMap = Object.entries(map).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  farm = await startFarm({
    network: NETWORK,
    miners: 14,
    mix: 'all',
    odd: 2,
    noise: 0,
    noiseStepS: 1,
    bootS: 2,
    warmUpS: 3,
    portMap: map,
  });
  vouchFor(USUAL_STATE, farm);
});
afterAll(async () => {
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const stepSchema = z.strictObject({
  ip: z.string(),
  status: z.string(),
  message: z.string().nullable(),
  evidence: z.looseObject({ uptimeBeforeS: z.number().nullish(), uptimeAfterS: z.number().nullish() }),
});

/** Windows that suit devices which boot in two seconds. */
function quickConfig(): string {
  const path = join(folder, 'quick.yaml');
  const reboot = { backS: 90, hashS: 180, graceS: 10, checkEveryS: 0.3 };
  writeFileSync(path, JSON.stringify({ poll: { deadline: '3s' }, tasks: { reboot } }));
  return path;
}

const scan = (...args: string[]) => runPithead(['scan', ...args, ...portMap]);
const device = (driver: string, nth = 0) => {
  const found = farm.devices.filter((entry) => entry.driver === driver)[nth];
  if (found === undefined) throw new Error(`the farm has too few miners of ${driver}`);
  return found;
};

test('scan --json prints every miner once with what the device says, then an account that adds up', async () => {
  const { code, stdout } = await scan(NETWORK, '--json');
  expect(code).toBe(0);
  const { found, summary, classified } = readScan(stdout);
  expect(found.map(({ ip }) => ip).toSorted()).toEqual([...farm.devices, ...farm.odd].map(({ ip }) => ip).toSorted());
  for (const simulated of farm.devices) {
    const truth = simulated.truth();
    const row = found.find(({ ip }) => ip === simulated.ip);
    expect(row, truth.family).toMatchObject({
      status: 'identified',
      driver: truth.driver,
      make: truth.make,
      model: truth.model,
      firmware_version: truth.firmware_version,
      mac: truth.mac === '' ? null : truth.mac,
      serial_number: truth.serial_number,
      hashrate: truth.hashrate,
    });
  }
  expect(classified).toBe(64);
  expect(summary).toMatchObject({
    addresses: 64,
    identified: 14,
    unknown: 2,
    excluded: 2,
    not_reached: 0,
    cancelled: false,
  });
});

test('a neighbour that is no miner is unknown, not a miner and not lost', async () => {
  const [page] = farm.odd;
  const { code, stdout } = await scan(page?.ip ?? '', '--json');
  expect(code).toBe(0);
  const { found, summary } = readScan(stdout);
  expect(found).toMatchObject([
    { ip: page?.ip, status: 'unknown', driver: null, model: null, mac: null, hashrate: null },
  ]);
  expect(summary).toMatchObject({ addresses: 1, identified: 0, unknown: 1 });
});

test('scan --csv prints a header and a line per miner, and nothing that a spreadsheet would run', async () => {
  const [first, second] = [device('antminer-stock'), device('whatsminer')];
  const { code, stdout } = await scan(first.ip, second.ip, '--csv');
  expect(code).toBe(0);
  const [header, ...rows] = stdout.trimEnd().split('\n');
  expect(header).toMatch(/^ip,status,driver,driver_origin,make,model,firmware_version,mac,serial_number,/);
  expect(rows.map((row) => row.split(',')[0]).toSorted()).toEqual([first.ip, second.ip].toSorted());
  expect(rows.filter((row) => row.split(',').some((cell) => /^"?[=+@\t\r-]/.test(cell)))).toEqual([]);
});

test('a table that is piped holds no colours, no bar and every miner', async () => {
  const { ip } = device('avalon');
  const { code, stdout, stderr } = await scan(ip);
  expect(code).toBe(0);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the escape that starts a colour is what is looked for
  expect(`${stdout}${stderr}`).not.toMatch(/\u001b/);
  expect(`${stdout}${stderr}`).not.toMatch(/[█░]/);
  expect(stdout).toContain(ip);
  expect(stdout).toMatch(/^1 address in .*: 1 identified, /m);
});

test.each([
  ['a typo', '10.0.0.0/33'],
  ['a name', 'farm-7'],
  ['an address that cannot be', '10.0.0.256'],
])('%s in a range ends with what is accepted, before anything is scanned', async (_what, range) => {
  const before = farm.devices.map(({ requests }) => requests);
  const { code, stdout, stderr } = await scan(device('avalon').ip, range, '--json');
  expect([2, 78]).toContain(code);
  expect(stdout).toBe('');
  expect(stderr).toContain(`'${range}'`);
  expect(stderr).toContain('10.0.0.0/24');
  expect(farm.devices.map(({ requests }) => requests)).toEqual(before);
});

test('excluded addresses are counted and left alone', async () => {
  const left = device('whatsminer');
  const before = left.requests;
  const { stdout } = await scan(left.ip, device('avalon').ip, '--exclude', left.ip, '--json');
  const { found, summary } = readScan(stdout);
  expect(found.map(({ ip }) => ip)).toEqual([device('avalon').ip]);
  expect(summary).toMatchObject({ addresses: 2, excluded: 1, identified: 1 });
  expect(left.requests).toBe(before);
});

test('Ctrl-C ends a scan at once, keeps what it found, and still accounts for every address', async () => {
  const started = startPithead(['scan', NETWORK, '--json', ...portMap]);
  // The neighbour that accepts and says nothing keeps a scan busy for seconds after the first miners are found.
  await started.untilPrinted('stdout', '"identified"');
  started.kill('SIGINT');
  const { code, stdout, stderr } = await started.end();
  expect(code, stderr).toBe(130);
  const { found, summary, addresses, classified } = readScan(stdout);
  expect({ addresses, classified, cancelled: summary.cancelled }).toEqual({
    addresses: 64,
    classified: 64,
    cancelled: true,
  });
  expect(found.length).toBe(summary.identified + summary.unknown + summary.login_refused);
});

test('a reader that has read enough ends the scan without a crash', async () => {
  const { code, stderr } = await runPithead(['scan', NETWORK, '--json', ...portMap], { readsOnce: true });
  expect(code).not.toBeNull();
  expect(stderr).not.toContain('EPIPE');
});

test('miner shows one miner to people and to programs', async () => {
  const truth = device('whatsminer').truth();
  const human = await runPithead(['miner', truth.ip, ...portMap]);
  expect(human.code).toBe(0);
  for (const part of [truth.ip, truth.driver, truth.model, truth.mac, truth.serial_number, 'TH/s'])
    expect(human.stdout).toContain(part);
  const { code, stdout } = await runPithead(['miner', truth.ip, '--json', ...portMap]);
  expect(code).toBe(0);
  expect(JSON.parse(stdout)).toMatchObject({
    ip: truth.ip,
    status: 'identified',
    driver: truth.driver,
    reading: { hashrateHs: truth.hashrate, serialNumber: truth.serial_number, powerW: truth.power },
    failed_asks: [],
  });
});

test('miner at an address where nobody is says so and fails', async () => {
  const human = await runPithead(['miner', EMPTY, ...portMap]);
  expect(human.code).toBe(1);
  expect(human.stdout).toContain(EMPTY);
  const { code, stdout } = await runPithead(['miner', EMPTY, '--json', ...portMap]);
  expect(code).toBe(1);
  expect(JSON.parse(stdout)).toMatchObject({ ip: EMPTY, driver: null, reading: null });
  // It may be the name of a worker, and no agent runs here that knows workers.
  expect((await runPithead(['miner', 'nonsense'])).code).toBe(3);
});

test('reboot restarts the miners, and proves it', async () => {
  const named = [device('antminer-stock', 1), device('whatsminer', 1), device('avalon')];
  const ips = named.map(({ ip }) => ip);
  const { code, stdout } = await runPithead([
    'reboot',
    ...ips,
    '--yes',
    '--json',
    '--config',
    quickConfig(),
    ...portMap,
  ]);
  const lines = stdout.trimEnd().split('\n');
  expect(JSON.parse(lines.at(-1) ?? '')).toMatchObject({ proven: 3, failed: 0, left_out: [] });
  const steps = lines.slice(0, -1).map((line) => stepSchema.parse(JSON.parse(line)));
  const last = ips.map((ip) => steps.findLast((step) => step.ip === ip));
  expect(
    last.map((step) => step?.status),
    stdout,
  ).toEqual(['succeeded', 'succeeded', 'succeeded']);
  for (const step of last) expect(step?.evidence.uptimeAfterS).toBeLessThan(step?.evidence.uptimeBeforeS ?? 0);
  expect(named.map(({ reboots, isUp }) => ({ reboots, isUp }))).toEqual(Array(3).fill({ reboots: 1, isUp: true }));
  expect(code).toBe(0);
});

test('a miner that takes the order and does nothing fails the reboot, whoever else succeeds', async () => {
  const [deaf, fine] = [device('antminer-stock', 2), device('antminer-stock', 3)];
  deaf.setFault('ignores-reboot', true);
  const { code, stdout } = await runPithead([
    'reboot',
    deaf.ip,
    fine.ip,
    '--yes',
    '--config',
    quickConfig(),
    ...portMap,
  ]);
  expect(code).toBe(1);
  expect(stdout).toMatch(new RegExp(`^${deaf.ip} +failed .*did not restart$`, 'm'));
  expect(stdout).toMatch(new RegExp(`^${fine.ip} +proven`, 'm'));
  expect(stdout).toContain('1 proven, 1 failed');
  expect({ deaf: deaf.reboots, fine: fine.reboots }).toEqual({ deaf: 0, fine: 1 });
});

test('reboot at an address where no miner is names it, and nothing is sent', async () => {
  const { code, stdout, stderr } = await runPithead(['reboot', EMPTY, '--config', quickConfig(), ...portMap]);
  expect({ code, stdout }).toEqual({ code: 5, stdout: '' });
  expect(stderr).toMatch(new RegExp(`1 left out: .*${EMPTY}`));
});

test('without an agent a rack selects nothing, and it is said what would', async () => {
  const { code, stderr } = await runPithead(['reboot', 'rack:C03', '--config', quickConfig(), ...portMap]);
  expect(code).toBe(3);
  expect(stderr).toContain('addresses and ranges only');
});

// The first run by flags, as a script or an installer does it: a checked configuration, secrets for their owner alone,
// and a first scan.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { loadConfig } from '../../src/agent/config/config.ts';
import { loopback } from '../support/loopback.ts';
import { startPithead } from './process.ts';

const { network: NETWORK } = loopback(27);
const PORTS = { 80: 18_080, 4028: 14_028, 4433: 14_433 };
const portMap = Object.entries(PORTS).map(([from, to]) => `${from}=${to}`);

let farm: Farm;
let folder: string;
beforeAll(async () => {
  farm = await startFarm({ network: NETWORK, miners: 8, mix: 'antminer-b=3,whatsminer-2=1', seed: 3, portMap: PORTS });
  farm.device(farm.devices[0]?.ip ?? '')?.setFault('wrong-password', true);
});
afterAll(() => farm.stop());
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-setup-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

const setup = (...args: string[]) =>
  startPithead(['setup', ...args], { cwd: folder, environment: { HOME: folder } }).end();
const written = () => readFileSync(join(folder, 'pithead.yaml'), 'utf8');
const outcomeSchema = z.strictObject({
  config: z.string(),
  networks: z.int(),
  restarted: z.boolean(),
  trust: z.strictObject({ accepted: z.int(), waiting: z.int() }).nullable(),
  page: z.null(),
  scan: z
    .object({ identified: z.int(), login_refused: z.array(z.string()), models: z.record(z.string(), z.int()) })
    .nullable(),
});

test('networks by flag: the file is commented and valid, the secrets are private, and the scan finds who is there', async () => {
  const { code, stdout, stderr } = await setup('--yes', '--network', NETWORK, '--port-map', ...portMap, '--json');
  expect(code, stderr).toBe(0);
  const { scan, networks } = outcomeSchema.parse(JSON.parse(stdout));
  expect(networks).toBe(30);
  expect(Object.values(scan?.models ?? {}).reduce((sum, count) => sum + count, 0)).toBe(8);
  expect(scan?.login_refused).toEqual([farm.devices[0]?.ip]);
  expect(loadConfig(join(folder, 'pithead.yaml'), {}).ranges.toProbe).toBe(30);
  expect(written()).toMatch(/^# .*ever touched/m);
  expect(statSync(join(folder, 'secrets.yaml')).mode & 0o077).toBe(0);
});

test('people read which miners there are, which refuse the login, and what to do next', async () => {
  const { code, stdout } = await setup('--yes', '--network', NETWORK, '--port-map', ...portMap);
  expect(code).toBe(0);
  expect(stdout).toContain('8 miners');
  expect(stdout).toContain(`1 let no one in without a login: ${farm.devices[0]?.ip}`);
  expect(stdout).toMatch(/Start it: pithead run --config/);
});

test('a second run changes what it is told and leaves the rest and its comments alone', async () => {
  writeFileSync(
    join(folder, 'pithead.yaml'),
    '# ours\nnetworks: [10.9.9.0/24] # old hall\npoll: { interval: 30s } # fast\n',
  );
  const { code, stderr } = await setup(
    '--yes',
    '--no-scan',
    '--network',
    NETWORK,
    '--service',
    'https://s.example',
    '--code',
    'AB-CD',
  );
  expect(code, stderr).toBe(0);
  expect(written()).toContain('# ours');
  expect(written()).toContain('# fast');
  const config = loadConfig(join(folder, 'pithead.yaml'), {});
  expect(config.ranges.ranges.map(({ range }) => range.text)).toEqual([NETWORK]);
  expect(config.poll.interval).toBe(30_000);
  expect(config.service).toMatchObject({ url: 'https://s.example', enrolmentCode: 'AB-CD' });
  expect(readFileSync(join(folder, 'pithead.yaml.bak'), 'utf8')).toContain('old hall');
  // The code is alive until it is used: it lies where only the owner may read it.
  expect(written()).not.toContain('AB-CD');
  expect(written()).toContain('secret:enrolment-code');
  expect(readFileSync(join(folder, 'secrets.yaml'), 'utf8')).toContain('AB-CD');
  if (process.platform === 'win32') return;
  for (const file of readdirSync(folder).filter((name) => readFileSync(join(folder, name), 'utf8').includes('AB-CD')))
    expect([file, statSync(join(folder, file)).mode & 0o777]).toEqual([file, 0o600]);
});

test.each([
  ['no network', [], '--network: is needed with --yes'],
  ['a range with a typo', ['--network', '10.31.0.0/2x'], '10.31.0.0/2x'],
  [
    'a service without a code',
    ['--network', NETWORK, '--service', 'https://s.example'],
    '--code: is needed with --service',
  ],
  [
    'a password on the command line',
    ['--network', NETWORK, '--login', 'antminer-stock=root:hunter2'],
    '--login: is not',
  ],
  [
    'a variable that is not set',
    ['--network', NETWORK, '--login', 'antminer-stock=root:env:NOT_SET'],
    'NOT_SET is not set',
  ],
])('%s ends with 78, a sentence that helps, and no file', async (_what, args, sentence) => {
  const { code, stderr } = await setup('--yes', '--no-scan', ...args);
  expect(code).toBe(78);
  expect(stderr).toContain(sentence);
  expect(stderr).not.toContain('hunter2');
  expect(() => written()).toThrow();
});

test('without a terminal nobody is asked', async () => {
  const { code, stderr } = await setup();
  expect(code).toBe(78);
  expect(stderr).toContain('--yes: is needed where no person can be asked');
});

// `pithead capture`: what is recorded of devices of every family, that nothing in it tells whose they are, and how the
// command ends.
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drivers } from '../../drivers/index.ts';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseMix } from '../../fixtures/farm/mix.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { captureOnce } from '../../src/agent/capture/recording/record.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import { captureSchema, lineSchema } from '../../src/agent/control/messages.ts';
import { readCase, writeCase } from '../../src/case/folder.ts';
import { tryOut } from '../../src/cli/driver/try-out.ts';
import { freshTrust } from '../support/fresh-trust.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead } from './process.ts';

const FAMILIES = Object.keys(parseMix('all'));
/** In the range, and nobody stands there. */
const EMPTY = loopback().ip(2);
/** Of the families that come without one. */
const PASSWORD = 'canary-pass-7f3a';
let farm: Farm;
let folder: string;
let portMap: Readonly<Record<number, number>>;
let args: string[];

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-capture-'));
  portMap = await suitablePortMap();
  args = Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  farm = await startFarm({
    network: loopback().network,
    miners: FAMILIES.length,
    mix: Object.fromEntries(FAMILIES.map((family) => [family, 1])),
    seed: 8,
    odd: 2,
    freeze: true,
    portMap,
  });
});
afterAll(async () => {
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const of = (family: string): Device => {
  const device = farm.devices.find((one) => one.family === family);
  if (device === undefined) throw new Error(`no ${family}`);
  return device;
};
const nearby = (kind: string) => farm.odd.find((one) => one.kind === kind)?.ip ?? '';

/** With this login configured for it, as an operator does: by reference. */
function capture(ip: string, login?: { readonly user: string; readonly password: string }) {
  const logins = login === undefined ? [] : [{ range: ip, user: login.user, password: 'env:PASSWORD' }];
  const config = parseConfig(JSON.stringify({ portMap, networks: [ip], credentials: { trust: 'network', logins } }), {
    baseDir: folder,
    environment: { PASSWORD: login?.password },
    name: 'capture',
  });
  const trust = freshTrust();
  // Where the device proves nothing, the one who captures it says what it is.
  const device = farm.device(ip);
  if (device !== undefined) trust.record.vouch([device]);
  return captureOnce({ config, trust, ip }, () => {}, new AbortController().signal);
}

const readHs = (read: unknown) => z.looseObject({ hashrateHs: z.number() }).parse(read).hashrateHs;

/** Every notation in which a MAC may leave the house. */
const macForms = (mac: string) => {
  const own = mac.replaceAll(':', '').slice(6);
  const pairs = own.match(/../g) ?? [];
  return [mac.replaceAll(':', ''), pairs.join(':'), pairs.join('-')].flatMap((form) => [
    form.toUpperCase(),
    form.toLowerCase(),
  ]);
};

describe('a device of every family', () => {
  test.each(FAMILIES)('%s: what was recorded answers in its place, behind the same login', async (family) => {
    const device = of(family);
    const got = await capture(device.ip, device.login ?? { user: 'root', password: PASSWORD });
    if (got === undefined) throw new Error(`no capture of ${family}`);
    const at = join(folder, 'replayed', family);
    writeCase(at, got.case, got.files);
    const driver = drivers.find(({ id }) => id === got.driver);
    if (driver === undefined) throw new Error(`no driver ${got.driver}`);
    const tried = await tryOut(driver, readCase(at), new AbortController().signal);
    expect(tried.recognisedAs?.driver).toBe(driver.id);
    expect(tried.failed).toEqual([]);
    expect(readHs(tried.reading)).toBe(readHs(got.case.read));
  });

  test.each(FAMILIES)('%s: everything is asked, nothing private is told, nothing is changed', async (family) => {
    const device = of(family);
    const before = device.truth();
    const got = await capture(device.ip, device.login ?? { user: 'root', password: PASSWORD });
    expect(got?.driver).toBe(device.driver);
    expect(got?.isLoginRefused).toBe(false);
    // As the control socket of the agent lets them through.
    expect(captureSchema.safeParse({ case: got?.case, is_login_refused: false }).success).toBe(true);
    for (const [name, body] of got?.files ?? [])
      expect(lineSchema.safeParse({ type: 'file', name, text: body }).success, name).toBe(true);
    expect(got?.case.responses.length).toBeLessThanOrEqual(96);
    expect(Math.abs(readHs(got?.case.read) - (before.hashrate ?? 0))).toBeLessThan(1);
    const text = [JSON.stringify(got?.case), ...(got?.files.values() ?? [])].join('\n');
    const canaries = [
      device.ip,
      ...before.pools.flatMap(({ worker_id, url }) => [worker_id, url.replace(/^.*:\/\/|:\d+$/g, '')]),
      ...[before.serial_number, ...before.hashboards.map((board) => board.serial_number)].flatMap((one) => one ?? []),
      ...before.psus.flatMap(({ serial_number }) => serial_number ?? []),
      ...(before.mac === '' ? [] : macForms(before.mac)),
    ];
    expect(canaries.filter((canary) => text.includes(canary))).toEqual([]);
    expect(device.truth()).toEqual(before);
    expect(device.reboots).toBe(0);
  });

  test('the same original is the same placeholder, and it reads as what it stands for', async () => {
    const got = await capture(of('antminer-c').ip);
    const read = z
      .looseObject({ mac: z.string(), serialNumber: z.string(), pools: z.array(z.looseObject({ user: z.string() })) })
      .parse(got?.case.read);
    expect(read.mac.replaceAll(':', '').slice(0, 6)).toBe(of('antminer-c').truth().mac.replaceAll(':', '').slice(0, 6));
    expect(new Set(read.pools.map(({ user }) => user)).size).toBe(1);
    expect(read.serialNumber).toMatch(/^REDACTED\d+$/);
  });

  test('a configured password is hidden wherever the device repeats it', async () => {
    const device = of('whatsminer-2');
    const got = await capture(device.ip, { user: 'admin', password: PASSWORD });
    expect([...(got?.files.values() ?? [])].join('')).not.toContain(PASSWORD);
  });
});

test('a device that nobody knows gets the questions that need no login, in a bounded number', async () => {
  const got = await capture(nearby('web-page'), { user: 'root', password: PASSWORD });
  expect(got?.driver).toBeUndefined();
  expect(got?.case).toMatchObject({ firmware: 'unknown', read: null });
  const asked = got?.case.responses ?? [];
  expect(asked.length).toBeGreaterThan(1);
  expect(asked.every(({ method = 'GET' }) => method === 'GET')).toBe(true);
});

const jsonSchema = z.strictObject({
  ip: z.string(),
  folder: z.string().nullable(),
  case: z.string().nullable(),
  driver: z.string().nullable(),
  requests: z.int(),
  answered: z.int(),
  login_refused: z.boolean(),
  login_wall: z.string().nullable(),
  files: z.array(z.string()),
});

test('the command writes the folder, tells where, and never writes over one', async () => {
  const { ip } = of('bitaxe');
  const first = await runPithead(['capture', ip, '--output', folder, '--json', ...args]);
  expect(first.code, first.stderr).toBe(0);
  const told = jsonSchema.parse(JSON.parse(first.stdout));
  expect(told).toMatchObject({ ip, driver: 'axeos', login_refused: false });
  expect(new Set(readdirSync(told.folder ?? ''))).toEqual(new Set(['case.json', ...told.files]));
  expect(JSON.parse(readFileSync(join(told.folder ?? '', 'case.json'), 'utf8'))).toMatchObject({
    id: told.case,
    firmware: 'axeos',
    expect: {},
  });
  writeFileSync(join(told.folder ?? '', 'notes'), 'mine');
  const again = await runPithead(['capture', ip, '--output', folder, ...args]);
  expect(again.code).toBe(78);
  expect(again.stderr).toContain('exists already');
  expect(existsSync(join(told.folder ?? '', 'notes'))).toBe(true);
});

test('nobody there, and no address, each end with their code', async () => {
  const silent = await runPithead(['capture', EMPTY, '--output', folder, ...args]);
  expect([silent.code, silent.stdout]).toEqual([1, '']);
  expect((await runPithead(['capture', 'nonsense', '--output', folder])).code).toBe(78);
  expect((await runPithead(['capture'])).code).toBe(2);
});

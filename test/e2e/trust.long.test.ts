// A farm whose owner changed the passwords: nothing gets them until a person accepted it, by command or in setup, and
// then all of it is read.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, startPithead } from './process.ts';
import { readScan } from './scan-lines.ts';
import { until } from './until.ts';

const { network: NETWORK } = loopback(27);
const KINDS = ['antminer-c', 'vnish', 'elphapex', 'iceriver'];
let farm: Farm;
let folder: string;
let config: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-trust-'));
  const portMap = await suitablePortMap();
  farm = await startFarm({
    ...{ network: NETWORK, miners: KINDS.length * 2, seed: 8, noise: 0, noiseStepS: 1, portMap },
    mix: Object.fromEntries(KINDS.map((kind) => [kind, 1])),
  });
  for (const device of farm.devices) {
    device.setFault('wrong-password', true);
    device.setFault('guarded', true);
  }
  mkdirSync(join(folder, 'state'), { mode: 0o700 });
  const passwords = Object.fromEntries(farm.devices.map(({ ip, login }) => [ip, login?.password ?? '']));
  writeFileSync(join(folder, 'secrets.yaml'), JSON.stringify(passwords), { mode: 0o600 });
  config = join(folder, 'pithead.yaml');
  const logins = farm.devices.map(({ ip, login }) => ({
    range: ip,
    user: login?.user ?? '',
    password: `secret:${ip}`,
  }));
  const settings = {
    ...{ stateDir: 'state', networks: [NETWORK], portMap },
    poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
    credentials: { secretsFile: 'secrets.yaml', logins },
  };
  writeFileSync(config, JSON.stringify(settings), { mode: 0o600 });
});
afterAll(async () => {
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const pithead = (...args: string[]) => runPithead([...args, '--config', config], { cwd: folder });
const listSchema = z.object({
  devices: z.array(z.looseObject({ ip: z.string(), family: z.string(), why: z.string(), proven: z.boolean() })),
});
const listed = async (...more: string[]) =>
  listSchema.parse(JSON.parse((await pithead('trust', 'list', '--json', ...more)).stdout)).devices;
const scanned = async () => readScan((await pithead('scan', NETWORK, '--json')).stdout).found;
const proven = () => farm.devices.filter(({ driver }) => driver !== 'iceriver');
const unproven = () => farm.devices.filter(({ driver }) => driver === 'iceriver');

test('a first contact is no acceptance: all wait, and say why', async () => {
  const found = await scanned();
  expect(found).toHaveLength(farm.devices.length);
  for (const driver of ['antminer-stock', 'elphapex', 'iceriver'])
    for (const device of farm.devices.filter((each) => each.driver === driver))
      expect(found.find(({ ip }) => ip === device.ip)?.mac, driver).toBeNull();
  const waiting = await listed();
  expect(waiting.map(({ ip }) => ip).toSorted()).toEqual(farm.devices.map(({ ip }) => ip).toSorted());
  expect(
    waiting
      .filter(({ why }) => why === 'no-proof')
      .map(({ ip }) => ip)
      .toSorted(),
  ).toEqual(
    unproven()
      .map(({ ip }) => ip)
      .toSorted(),
  );
  const table = await pithead('trust', 'list');
  expect(table.stdout).toContain('no person has accepted it yet');
  expect(table.stdout).toContain('accept it with --as <driver>');
  expect(await listed('--accepted')).toEqual([]);
});

test('what cannot be meant is refused, and says what can', async () => {
  const wrong = await pithead('trust', 'accept', 'antminer');
  expect([wrong.code, wrong.stderr.includes('antminer-stock')]).toEqual([78, true]);
  expect((await pithead('trust', 'accept')).code).toBe(78);
  const nobody = await pithead('trust', 'accept', '10.9.9.9');
  expect([nobody.code, nobody.stderr.includes('no device that waits')]).toEqual([1, true]);
  const [one] = unproven();
  const bare = await pithead('trust', 'accept', one?.ip ?? '');
  expect([bare.code, bare.stderr.includes('--as iceriver')]).toEqual([1, true]);
  expect(await listed('--accepted')).toEqual([]);
});

test('a running agent says how many wait, and reads them as soon as a person has accepted them', async () => {
  const agent = startPithead(['up', '--config', config, '--port', '0'], { cwd: folder });
  try {
    const statusSchema = z.looseObject({ troubles: z.array(z.string()), trust: z.object({ waiting: z.number() }) });
    const status = async () => statusSchema.safeParse(JSON.parse((await pithead('status', '--json')).stdout)).data;
    const before = await until(status, (state) => state?.trust.waiting === proven().length);
    expect(before?.troubles).toContain(
      `${proven().length} devices wait for a person before they get their login: pithead trust list`,
    );
    const accepted = await pithead('trust', 'accept', '--all');
    expect([accepted.code, accepted.stdout]).toEqual([0, `${proven().length} devices accepted\n`]);
    const polled = async () =>
      z.looseObject({ miners: z.looseObject({ total: z.number() }) }).parse(await status()).miners.total;
    // What gives no proof is no miner of the farm: it is not polled and not counted.
    await until(polled, (count) => count === proven().length);
    const [one, ...others] = unproven();
    const alone = await pithead('trust', 'accept', one?.ip ?? '', '--as', 'iceriver');
    expect([alone.code, alone.stdout]).toEqual([0, '1 device accepted\n1 of them read by the running agent\n']);
    expect(await polled()).toBe(proven().length + 1);
    for (const { ip } of others) expect((await pithead('trust', 'accept', ip, '--as', 'iceriver')).code).toBe(0);
    expect(await listed()).toEqual([]);
    await until(status, (state) => state?.trust.waiting === 0);
    const macs = async () =>
      Promise.all(farm.devices.map(async ({ ip }) => (await pithead('miner', ip, '--json')).stdout));
    const readSchema = z.looseObject({ reading: z.looseObject({ mac: z.string() }).nullable() });
    await until(
      async () => (await macs()).map((text) => readSchema.safeParse(JSON.parse(text)).data?.reading?.mac),
      (read) => read.every((mac) => mac !== undefined),
    );
  } finally {
    agent.kill('SIGTERM');
    await agent.end();
  }
});

test('what was accepted is read by commands too, with what each device says of itself', async () => {
  const found = await scanned();
  for (const device of farm.devices) {
    const truth = device.truth();
    const row = found.find(({ ip }) => ip === device.ip);
    expect(row, device.family).toMatchObject({ status: 'identified', driver: truth.driver, model: truth.model });
    expect(row?.mac, device.family).toBe(truth.mac);
  }
});

test('who is forgotten waits again', async () => {
  const [one] = proven();
  const ip = one?.ip ?? '';
  const forgotten = await pithead('trust', 'forget', ip, '--json');
  expect([forgotten.code, JSON.parse(forgotten.stdout)]).toMatchObject([0, { forgotten: [{ ip }], unknown: [] }]);
  await pithead('scan', ip, '--json');
  expect(await listed()).toMatchObject([{ ip, why: 'new' }]);
});

test('setup shows what it found, and accepts it where it is told to', async () => {
  const place = mkdtempSync(join(tmpdir(), 'pithead-trust-setup-'));
  const path = join(place, 'pithead.yaml');
  const portMap = await suitablePortMap();
  const ports = Object.entries(portMap).flatMap(([from, to]) => ['--port-map', `${from}=${to}`]);
  const login = ['--login', 'antminer-stock=root:env:ANTMINER_PASSWORD'];
  const setUp = (...more: string[]) =>
    runPithead(['setup', '--yes', '--network', NETWORK, '--config', path, ...login, ...ports, ...more], {
      cwd: place,
      environment: { ANTMINER_PASSWORD: 'not-the-one' },
    });
  const antminers = farm.devices.filter(({ driver }) => driver === 'antminer-stock').length;
  try {
    const asked = await setUp();
    expect([asked.code, asked.stderr]).toEqual([
      0,
      expect.stringContaining(`${antminers} get the logins of the configuration`),
    ]);
    expect(asked.stderr).toContain('pithead trust accept --all');
    expect(asked.stderr).toContain('iceriver');
    const told = await setUp('--accept', '--json');
    expect(JSON.parse(told.stdout)).toMatchObject({ trust: { accepted: antminers } });
  } finally {
    rmSync(place, { recursive: true, force: true });
  }
});

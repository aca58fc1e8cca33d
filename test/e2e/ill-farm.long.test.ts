// Five hundred miners, some seventy of them ill in seventeen ways: one command says which, where, why and since when,
// and names none that is well, asleep or in maintenance. How long it took is printed, not judged.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device, Farm, FaultName } from '../../fixtures/farm/farm.ts';
import type { AnomalyType } from '../../src/model/flags/anomaly-types.ts';
import { loopback } from '../support/loopback.ts';
import { type ProgramSite, startProgram } from './program-site.ts';
import { keepScreen } from './screens.ts';
import { until } from './until.ts';

const MINERS = 500;
/** Of each kind. */
const EACH = 4;
const RACK = 50;
const POLL_S = 8;
const MIX = 'antminer-b=150,antminer-c=110,whatsminer-2=80,whatsminer-3=40,avalon-a=40,vnish=40,luxos=36,mara=4';
const { network } = loopback(22);

type Ill = {
  readonly name: string;
  /** Driver or family of those that get it. */
  readonly of: string;
  readonly fault: FaultName | 'restarts' | 'goes' | 'is-robbed' | 'changes-worker' | 'old-firmware';
  readonly value?: number;
  readonly flag: AnomalyType;
  /** What the list says of it. */
  readonly reason: RegExp;
};

// biome-ignore format: a table
const ILLS: readonly Ill[] = [
  { name: 'dead board',      of: 'antminer-b',   fault: 'board-dead',       flag: 'hashboard',     reason: /^hashboard 1 is missing: 2 of 3 hashboards are there/ },
  { name: 'stopped fan',     of: 'antminer-c',   fault: 'fan-stopped',      flag: 'fan',           reason: /^fan 1 stands still; 3 of 4 turn/ },
  { name: 'hot',             of: 'antminer-b',   fault: 'hot', value: 40,   flag: 'temperature',   reason: /^chip at 1\d\d °C, limit 95 °C/ },
  { name: 'power supply',    of: 'whatsminer-3', fault: 'psu-fault',        flag: 'power',         reason: /^reports 210: / },
  { name: 'half the rate',   of: 'whatsminer-2', fault: 'low-hashrate',     flag: 'low_hashrate',  reason: /^hashes at 50 % of what is expected/ },
  { name: 'no pool',         of: 'antminer-c',   fault: 'pool-dead',        flag: 'pool',          reason: /^none of 2 pools is alive/ },
  { name: 'first pool dead', of: 'whatsminer-2', fault: 'first-pool-dead',  flag: 'pool',          reason: /^its first pool pool-a\.example:3333 is dead/ },
  { name: 'foreign pool',    of: 'antminer-b',   fault: 'is-robbed',        flag: 'pool',          reason: /^is set to mine at thief\.example, which this site does not use/ },
  { name: 'wrong worker',    of: 'vnish',        fault: 'changes-worker',   flag: 'pool',          reason: /^the locked pools were set 1 times in 24 hours, and are others again/ },
  { name: 'gone',            of: 'vnish',        fault: 'goes',             flag: 'network',       reason: /^does not answer \(peer\./ },
  { name: 'hung',            of: 'antminer-b',   fault: 'hangs',            flag: 'network',       reason: /^does not answer \(peer\.timeout\)/ },
  { name: 'without sense',   of: 'avalon-a',     fault: 'garbage',          flag: 'unknown',       reason: /^answers, but cannot be read/ },
  { name: 'other login',     of: 'antminer-c',   fault: 'wrong-password',   flag: 'unknown',       reason: /^refuses our login: some facts are missing/ },
  { name: 'rate stands',     of: 'luxos',        fault: 'frozen-hashrate',  flag: 'unknown',       reason: /^hashrate stands still: the same to the last digit/ },
  { name: 'vendor code',     of: 'whatsminer-3', fault: 'vendor-error',     flag: 'hashboard',     reason: /^reports 541: Slot 1: chip id cannot be read/ },
  { name: 'restarts',        of: 'antminer-c',   fault: 'restarts',         flag: 'control_board', reason: /restarted \d+ times within an hour, not by us/ },
  { name: 'old firmware',    of: 'mara',         fault: 'old-firmware',     flag: 'firmware',      reason: /^firmware .* is not one that this site accepts/ },
];

const THIEF = [{ url: 'stratum+tcp://thief.example:3333', user: 'thief', pass: 'x' }];

const minerSchema = z.looseObject({
  ip: z.string(),
  container: z.string().nullable(),
  rack: z.string().nullable(),
  position: z.int().nullable(),
  ops_status: z.string().nullable(),
  mining_mode: z.string().nullable(),
  is_hung: z.boolean(),
  seen_at: z.iso.datetime(),
  hashrate_hs: z.number().nullable().transform(Number),
  expected_hashrate_hs: z.number().nullable().transform(Number),
  flags: z.array(z.string()),
  flag: z.looseObject({ type: z.string(), message: z.string(), since: z.iso.datetime() }).nullable(),
});
type Listed = z.infer<typeof minerSchema>;

let site: ProgramSite;
let startedMs: number;
/** Who is ill, and how. */
const ill = new Map<Device, Ill>();
/** They look ill and are not: they sleep, or are being worked on. */
const asleep: Device[] = [];
const inMaintenance: Device[] = [];

const list = (...args: string[]) => site.json(minerSchema, 'miners', ...args);
const placeOf = ({ index }: Device) => {
  const rack = Math.floor(index / RACK) + 1;
  return {
    container: rack <= MINERS / RACK / 2 ? '1' : '2',
    rack: `R${String(rack).padStart(2, '0')}`,
    position: (index % RACK) + 1,
  };
};
const isOf = ({ driver, family }: Device, name: string) => driver === name || family === name;
const oldFirmware = ({ devices }: Farm) => [
  ...new Set(devices.flatMap((device) => (isOf(device, 'mara') ? [] : [device.truth().firmware_version ?? '']))),
];

beforeAll(async () => {
  site = await startProgram({
    farm: { miners: MINERS, mix: MIX, network, seed: 16, noise: 0.0005, noiseStepS: 1, bootS: 3, warmUpS: 2 },
    config: (farm) => ({
      poll: { interval: `${POLL_S}s`, slowEvery: 1, staticEvery: '16s', deadline: '6s' },
      flags: {
        warmUp: '1s',
        power: { raise: { time: '0s' } },
        firmware: { allowed: oldFirmware(farm) },
        pool: { elsewhere: '1s', allowedHosts: ['pool-a.example', 'pool-b.example'] },
        unknown: { frozen: { polls: 3, time: '10s' } },
      },
      tasks: { powerGate: { kw: 100_000, windowS: 1 }, poolLock: { dailyCap: 1 } },
    }),
  });
  const free = new Set(site.farm.devices);
  const take = (name: string, count: number) => {
    const some = [...free].filter((device) => isOf(device, name)).slice(0, count);
    for (const device of some) free.delete(device);
    if (some.length < count) throw new Error(`the farm has only ${some.length} more of ${name}`);
    return some;
  };
  for (const each of ILLS) for (const device of take(each.of, EACH)) ill.set(device, each);
  asleep.push(...take('whatsminer-2', EACH));
  inMaintenance.push(...take('antminer-b', EACH));
  await until(
    () => list(),
    (miners) => miners.length === MINERS,
  );
  await place();
  // Those with other firmware are ill from the start.
  const first = await until(
    () => list('--ill'),
    (miners) => miners.length >= EACH,
  );
  startedMs = Math.min(...first.map(({ flag }) => Date.parse(flag?.since ?? '')));
  await fallIll();
}, 600_000);
afterAll(() => site.stop());

async function place(): Promise<void> {
  const lines = site.farm.devices.map((device) => {
    const { container, rack, position } = placeOf(device);
    return [device.ip, container, rack, position].join(';');
  });
  const file = join(site.folder, 'racks.csv');
  writeFileSync(file, ['ip;container;rack;position', ...lines].join('\n'));
  expect(await site.pithead('position', 'import', file)).toMatchObject({ code: 0 });
}

const ipsOf = (devices: readonly Device[]) => devices.map(({ ip }) => ip);
const those = (fault: Ill['fault']) => [...ill].flatMap(([device, each]) => (each.fault === fault ? [device] : []));

async function fallIll(): Promise<void> {
  const locked = those('changes-worker');
  const worker = ['--url', 'stratum+tcp://pool-a.example:3333', '--worker', 'farm.{rack}x{position}'];
  for (const words of [
    ['pools', 'set', ...worker],
    ['pools', 'lock'],
  ])
    expect(await site.pithead(...words, ...ipsOf(locked), '--yes')).toMatchObject({ code: 0 });
  expect(await site.pithead('maintenance', 'on', ...ipsOf(inMaintenance), '--yes')).toMatchObject({ code: 0 });
  for (const device of asleep) device.setMode('sleep');
  for (const device of inMaintenance) device.setFault('board-dead', true);
  for (const [device, each] of ill) make(device, each);
  // Twice, a while after each other: once is no fault.
  await new Promise((resolve) => setTimeout(resolve, 4 * POLL_S * 1_000));
  for (const device of those('restarts')) device.reboot();
}

function make(device: Device, { fault, value }: Ill): void {
  switch (fault) {
    case 'old-firmware':
      break;
    case 'goes':
      device.setFault('never-returns', true);
      device.reboot();
      break;
    case 'restarts':
      device.reboot();
      break;
    case 'is-robbed':
      device.setPools(THIEF);
      break;
    case 'changes-worker':
      device.setFault('ignores-writes', true);
      device.setPools(device.truth().pools.map(({ url }) => ({ url, user: 'thief.1', pass: 'x' })));
      break;
    default:
      device.setFault(fault, true, value);
  }
}

/** What is not as it should be. */
function wrongOf(miners: readonly Listed[]): string[] {
  const at = new Map(miners.map((miner) => [miner.ip, miner]));
  const wrong = [...ill].flatMap(([device, { name, flag, reason }]) => {
    const found = at.get(device.ip);
    at.delete(device.ip);
    if (found === undefined) return [`${device.ip}: ${name} is not listed`];
    const isRight = found.flags.includes(flag) && found.flag?.type === flag && reason.test(found.flag.message);
    return isRight ? [] : [`${device.ip}: ${name} is '${found.flag?.message}' (${found.flags})`];
  });
  return [...wrong, ...[...at.values()].map(({ ip, flag }) => `${ip} is well, but '${flag?.message}'`)];
}

test('every ill miner is listed with its reason, its place and since when, and no other one', async () => {
  await until(
    async () => wrongOf(await list('--ill')),
    (wrong) => wrong.length === 0,
    120_000,
  );
  // Those that restarted hash as before.
  await until(
    () => list('flag:control_board'),
    (found) => found.every(({ hashrate_hs, expected_hashrate_hs }) => hashrate_hs > 0.9 * expected_hashrate_hs),
  );
  const miners = await list('--ill');
  expect(new Set(ILLS.map(({ flag }) => flag)).size).toBe(10);
  expect(miners).toHaveLength(EACH * ILLS.length);
  const place = new Map(site.farm.devices.map((device) => [device.ip, placeOf(device)]));
  for (const { ip, container, rack, position, flag } of miners) {
    expect({ container, rack, position }).toEqual(place.get(ip));
    const sinceMs = Date.parse(flag?.since ?? '');
    expect(sinceMs).toBeGreaterThanOrEqual(startedMs);
    expect(sinceMs).toBeLessThanOrEqual(Date.now());
  }
  // In the order of a walk.
  const walked = miners.map(({ ip }) => site.farm.device(ip)?.index ?? -1);
  expect(walked).toEqual(walked.toSorted((a, b) => a - b));
}, 300_000);

test('one command shows it on a screen of 80 columns; how long it takes is printed', async () => {
  const times: number[] = [];
  for (let n = 0; n < 5; n++) {
    const beganMs = performance.now();
    const { code, stdout } = await site.pithead('miners', '--ill');
    times.push(Math.round(performance.now() - beganMs));
    expect(code).toBe(0);
    for (const [{ ip }, { reason }] of ill) {
      const line = stdout.split('\n').find((each) => each.includes(` ${ip} `));
      expect(line).toMatch(new RegExp(`${reason.source.replace('^', '')}.*, since \\d\\d:\\d\\d`));
    }
  }
  process.stdout.write(`miners --ill, ${ill.size} of ${MINERS}: ${times.join(', ')} ms from start to end\n`);
  // From a minute on all ages are of one width, and the columns too.
  await until(
    () => list('state:hung'),
    (found) => found.some(({ seen_at }) => Date.now() - Date.parse(seen_at) > 61_000),
  );
  const screen = await keepScreen('ill-farm', ['miners', '--ill', ...site.atHost], { mask });
  for (const { ip } of ill.keys()) expect(screen).toContain(` ${ip} `);
}, 120_000);

test('a line per flag, and per container', async () => {
  await keepScreen('ill-farm-by-flag', ['miners', '--ill', '--group-by', 'flag', ...site.atHost], { mask });
  await keepScreen('ill-farm-by-container', ['miners', '--group-by', 'container', ...site.atHost], { mask });
});

test('who sleeps or is being worked on is found by that word, and who hangs too', async () => {
  const found = async (selector: string) => (await list(selector)).map(({ ip }) => ip).toSorted();
  expect(await found('state:asleep')).toEqual(ipsOf(asleep).toSorted());
  expect(await found('state:maintenance')).toEqual(ipsOf(inMaintenance).toSorted());
  expect(await found('state:hung')).toEqual(expect.arrayContaining(ipsOf(those('hangs')).toSorted()));
  expect(await found('flag:fan')).toEqual(ipsOf(those('fan-stopped')).toSorted());
});

/** Temperatures, shares, ages and counts of polls are other ones each time. */
const mask = (text: string) =>
  text
    .replaceAll(/(?<=[\w/] {2,})\d\d(?= {2})/g, '##')
    .replaceAll(/ ##(?= {2})/g, '###')
    .replaceAll(/\d+(?= polls)|(?<=last digit for )\d+/g, '#')
    .replaceAll(/ +(# s|\d+ min)$/gm, '  #');

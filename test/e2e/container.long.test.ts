// A container of sixty-two miners is put to sleep at once, and woken within its power budget, as the devices themselves
// tell it. How many seconds each took is printed, not judged.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import type { Device } from '../../fixtures/farm/farm.ts';
import { loopback } from '../support/loopback.ts';
import { type ProgramSite, startProgram } from './program-site.ts';
import { until } from './until.ts';

const MINERS = 62;
/** They stand in another container, and go on. */
const OTHERS = 4;
const LIMIT_KW = 60;
const WINDOW_S = 4;
const { network } = loopback(25);
const minerSchema = z.looseObject({ ip: z.string(), is_mining: z.boolean(), power_w: z.number().nullable() });
const endSchema = z.looseObject({ proven: z.int(), failed: z.int() });

let site: ProgramSite;
let container: readonly Device[];
let others: readonly Device[];
const list = (...args: string[]) => site.json(minerSchema, 'miners', ...args);
const isAsleep = (device: Device) => device.truth().mining_mode === 'sleep';

beforeAll(async () => {
  site = await startProgram({
    farm: {
      ...{ miners: MINERS + OTHERS, mix: 'vnish=2,whatsminer-2=1', network, seed: 62 },
      ...{ noise: 0.001, noiseStepS: 1, bootS: 2, warmUpS: 2 },
    },
    config: () => ({
      poll: { interval: '3s', slowEvery: 1, staticEvery: '9s', deadline: '3s' },
      flags: { warmUp: '1s' },
      tasks: { powerMode: { concurrency: 100 }, powerGate: { kw: LIMIT_KW, windowS: WINDOW_S } },
    }),
  });
  container = site.farm.devices.slice(0, MINERS);
  others = site.farm.devices.slice(MINERS);
  await until(
    () => list(),
    (miners) => miners.length === MINERS + OTHERS && miners.every(({ is_mining, power_w }) => is_mining && power_w),
  );
  const rows = site.farm.devices.map(({ ip, index }) =>
    index < MINERS ? `${ip},1,C01,${index + 1}` : `${ip},2,C02,${index + 1 - MINERS}`,
  );
  const path = join(site.folder, 'racks.csv');
  writeFileSync(path, `ip,container,rack,position\n${rows.join('\n')}\n`);
  expect(await site.pithead('position', 'import', path)).toMatchObject({ code: 0 });
}, 300_000);
afterAll(() => site.stop());

/** Carries it out, and notes when each device of the container had become so, ms after the start. */
async function follow(verb: 'sleep' | 'wake', hasHappened: (device: Device) => boolean) {
  const beganMs = performance.now();
  const atMs = new Map<Device, number>();
  const look = () => {
    for (const device of container)
      if (!atMs.has(device) && hasHappened(device)) atMs.set(device, performance.now() - beganMs);
  };
  const timer = setInterval(look, 20);
  const { code, stdout, stderr } = await site.pithead(verb, 'container:1', '--yes', '--json').finally(() => {
    clearInterval(timer);
    look();
  });
  expect(code, stderr).toBe(0);
  const end = endSchema.parse(JSON.parse(stdout.trimEnd().split('\n').at(-1) ?? ''));
  expect(end).toMatchObject({ proven: MINERS, failed: 0 });
  expect(atMs.size).toBe(MINERS);
  const inS = (ms: number) => (ms / 1_000).toFixed(1);
  const [last, whole] = [inS(Math.max(...atMs.values())), inS(performance.now() - beganMs)];
  process.stdout.write(`${verb} of ${MINERS}: the last device after ${last} s, all proven after ${whole} s\n`);
  return atMs;
}

test('all sleep, and the other container goes on', async () => {
  await follow('sleep', isAsleep);
  expect(container.filter((device) => !isAsleep(device))).toEqual([]);
  expect(others.filter(isAsleep)).toEqual([]);
  const asleep = await until(
    () => list('state:asleep'),
    (found) => found.length >= MINERS,
  );
  expect(asleep.map(({ ip }) => ip).toSorted()).toEqual(container.map(({ ip }) => ip).toSorted());
}, 120_000);

test('they wake within the budget at each moment', async () => {
  const woken = await follow('wake', (device) => !isAsleep(device));
  expect(container.filter(isAsleep)).toEqual([]);
  const sumKw = (from: number, to: number) =>
    [...woken].reduce((sum, [{ spec }, ms]) => sum + (ms >= from && ms < to ? spec.powerW / 1_000 : 0), 0);
  expect(sumKw(0, Number.POSITIVE_INFINITY)).toBeGreaterThan(2 * LIMIT_KW);
  // Between the budget and the device lies a command, which may take a moment: half a window holds in any case.
  const tooMuch = [...woken.values()].filter((ms) => sumKw(ms, ms + WINDOW_S * 500) > LIMIT_KW);
  expect(tooMuch).toEqual([]);
}, 300_000);

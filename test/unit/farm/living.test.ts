// A simulated farm lives: values move from step to step and stand still within one, counters grow with the hashrate,
// uptime with the clock.
import { afterEach, expect, test } from 'vitest';
import type { Farm, FarmOptions } from '../../../fixtures/farm/farm.ts';
import { createVirtualClock } from '../../support/virtual-clock.ts';
import { testFarm } from './clients.ts';

let farm: Farm | undefined;
afterEach(async () => {
  await farm?.stop();
});

async function start(more: Partial<FarmOptions> = {}) {
  // A whole number of steps, so that a test knows where a step ends.
  const clock = createVirtualClock(Date.UTC(2026, 0, 1));
  farm = await testFarm({ miners: 13, clock, freeze: false, noiseStepS: 10, ...more });
  return { clock, devices: farm.devices, farm };
}

const still = (devices: Farm['devices']) => devices.map((device) => ({ ...device.truth(), uptime: 0 }));

test('nothing but uptime changes within a step, every hashrate changes with the next', async () => {
  const { clock, devices } = await start();
  const before = still(devices);
  const uptimes = devices.map((device) => device.truth().uptime);
  await clock.advance(9_000);
  expect(still(devices)).toEqual(before);
  expect(devices.map((device) => device.truth().uptime)).toEqual(uptimes.map((uptime) => (uptime ?? 0) + 9));
  await clock.advance(1_000);
  for (const [index, device] of devices.entries()) {
    expect(device.truth().hashrate).not.toBe(before[index]?.hashrate);
    expect(Math.abs((device.truth().hashrate ?? 0) / (before[index]?.hashrate ?? 1) - 1)).toBeLessThan(0.05);
  }
});

test('without noise a settled miner hashes evenly', async () => {
  const { clock, devices } = await start({ noise: 0 });
  const before = devices.map((device) => device.truth().hashrate);
  await clock.advance(600_000);
  expect(devices.map((device) => device.truth().hashrate)).toEqual(before);
});

test('accepted difficulty grows by what the hashrate earns', async () => {
  const { clock, devices } = await start({ noise: 0 });
  const earned = () => devices.map((device) => device.truth().pools[0]?.difficulty_accepted ?? null);
  const before = earned();
  await clock.advance(3_600_000);
  for (const [index, after] of earned().entries()) {
    const device = devices[index];
    const from = before[index];
    if (after === null || from === null || from === undefined || !device) continue;
    const expected = ((device.truth().hashrate ?? 0) * 3_600) / (device.spec.hashesPerDifficulty ?? 2 ** 32);
    expect((after - from) / expected).toBeGreaterThan(0.9);
    expect((after - from) / expected).toBeLessThan(1.1);
  }
});

test('counters never go back when faults come and go', async () => {
  const { clock, devices } = await start();
  const [device] = devices;
  if (!device) throw new Error('a device wanted');
  let last = 0;
  for (const name of ['pool-dead', 'low-hashrate', 'board-dead', 'frozen-hashrate'] as const) {
    for (const isOn of [true, false]) {
      device.setFault(name, isOn);
      for (const stepMs of [3_000, 47_000, 200_000]) {
        await clock.advance(stepMs);
        const now = device.truth().pools[0]?.difficulty_accepted ?? 0;
        expect(now).toBeGreaterThanOrEqual(last);
        last = now;
      }
    }
  }
});

test('frozen: hashrate and counters stand still, uptime does not; dead pools stop counters only', async () => {
  const { clock, devices } = await start();
  const [frozen, poolless] = devices;
  if (!frozen || !poolless) throw new Error('two devices wanted');
  frozen.setFault('frozen-hashrate', true);
  poolless.setFault('pool-dead', true);
  const [before, beforePool] = [frozen.truth(), poolless.truth()];
  await clock.advance(900_000);
  expect(frozen.truth()).toEqual({ ...before, uptime: (before.uptime ?? 0) + 900 });
  expect(poolless.truth().pools).toEqual(beforePool.pools);
  expect(poolless.truth().hashrate).not.toBe(beforePool.hashrate);
});

test('freeze stops time for all, thaw goes on without a jump', async () => {
  const { clock, devices, farm: running } = await start();
  running.freeze();
  const before = devices.map((device) => device.truth());
  await clock.advance(500_000);
  expect(devices.map((device) => device.truth())).toEqual(before);
  running.thaw();
  await clock.advance(20_000);
  expect(devices[0]?.truth().uptime).toBe((before[0]?.uptime ?? 0) + 20);
});

test('speed makes the devices live faster', async () => {
  const { clock, devices } = await start({ speed: 60 });
  const before = devices[0]?.truth().uptime ?? 0;
  await clock.advance(10_000);
  expect(devices[0]?.truth().uptime).toBe(before + 600);
});

// From the simulated devices to what an integrator reads: the same values, per family; faults as the right bits, and
// gone again.
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { type AnomalyType, toBitmask } from '../../src/model/flags/anomaly-types.ts';
import { macState, serialState, unstableReason } from '../../src/model/identity-facts.ts';
import { type Site, startSite } from './site.ts';

/** What this farm says stays the same, to be compared: after minutes that would be a flag of its own. */
const FLAGS = { unknown: { frozen: { polls: 1_000, time: '1d' } } };

let site: Site;

beforeAll(async () => {
  site = await startSite(
    { miners: 40, mix: 'all', seed: 7, noise: 0.01, noiseStepS: 3_600 },
    { portMap: await suitablePortMap(), flags: FLAGS },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === 40,
  );
});
afterAll(() => site.stop());

test('every miner of the farm is served once, and each passes the schema of the interface', async () => {
  const miners = await site.miners();
  expect(miners.map(({ ip }) => ip).toSorted()).toEqual(site.farm.devices.map(({ ip }) => ip).toSorted());
});

/** On a busy machine a device may be late for one poll: what is served is judged when a later one has put it right. */
const PATIENCE = { timeout: 240_000, interval: 250 };

test('what is served is what the devices say, family by family', async () => {
  await vi.waitFor(async () => {
    const settled = await site.miners();
    for (const device of site.farm.devices) {
      const truth = device.truth();
      const miner = settled.find(({ ip }) => ip === device.ip);
      expect(miner, truth.family).toMatchObject({
        model: truth.model,
        mac: truth.mac,
        serial_number: truth.serial_number,
        firmware_version: truth.firmware_version,
        is_mining: truth.is_mining,
        mining_mode: truth.mining_mode ?? 'normal',
        // Sums of fractions differ in their last digit.
        hashrate: truth.hashrate === null ? null : expect.closeTo(truth.hashrate, -3),
        power: truth.power,
        temp: truth.temp,
        hashboards: truth.hashboards,
        psus: truth.psus,
        unstable_reason: unstableReason(macState(truth.mac), serialState(truth.serial_number ?? undefined)),
        status: 'online',
        last_check_succeed: true,
      });
      expect(
        miner?.pools.map(({ url, worker_id }) => ({ url, worker_id })),
        truth.family,
      ).toEqual(truth.pools.map(({ url, worker_id }) => ({ url, worker_id })));
      expect(miner?.expected_chips, truth.family).not.toBe(0);
    }
  }, PATIENCE);
});

test('a healthy farm shows no flag', async () => {
  const flagged = async () =>
    (await site.miners())
      .filter(({ anomaly_flags }) => anomaly_flags !== 0)
      .map(({ ip, model, anomaly_flags }) => ({ ip, model, anomaly_flags }));
  await expect.poll(flagged, PATIENCE).toEqual([]);
});

/** Miners that a fault has been given to; each fault has its own. */
const busy = new Set<string>();

const FAULTS: readonly (readonly [FaultName, AnomalyType])[] = [
  ['board-dead', 'hashboard'],
  ['fan-stopped', 'fan'],
  ['pool-dead', 'pool'],
  ['hot', 'temperature'],
  ['low-hashrate', 'low_hashrate'],
  ['garbage', 'unknown'],
  ['hangs', 'network'],
];

test.concurrent.each(FAULTS)('%s shows as %s, and clears when it is mended', async (fault, type) => {
  const device = site.farm.devices.find(({ driver, ip }) => driver === 'antminer-stock' && !busy.has(ip));
  if (device === undefined) throw new Error('the farm has too few miners for this test');
  busy.add(device.ip);
  const bit = toBitmask([type]);
  device.setFault(fault, true);
  await site.until(
    () => site.miner(device.ip),
    ({ anomaly_flags }) => (anomaly_flags & bit) !== 0,
  );
  device.setFault(fault, false);
  await site.until(
    () => site.miner(device.ip),
    ({ anomaly_flags }) => (anomaly_flags & bit) === 0,
  );
});

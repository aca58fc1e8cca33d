// From the simulated devices to what an integrator reads: the same values, per family; faults as the right bits, and gone again.
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import type { FaultName } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { VisitMemory } from '../../src/driver/memory.ts';
import { type AnomalyType, toBitmask } from '../../src/model/flags.ts';
import { macState, serialState, unstableReason } from '../../src/model/identity-facts.ts';
import { type Site, startSite } from './site.ts';

let site: Site;
/** Where this agent hears the IP reports of Whatsminers. */
let reportPort = 0;
const WHATSMINER_REPORTS = 8_888;

async function freeUdpPort(): Promise<number> {
  const socket = createSocket('udp4');
  await new Promise<void>((resolve) => socket.bind(0, resolve));
  const { port } = socket.address();
  await new Promise<void>((resolve) => socket.close(() => resolve()));
  return port;
}

beforeAll(async () => {
  const portMap = { ...(await suitablePortMap()), [WHATSMINER_REPORTS]: await freeUdpPort() };
  reportPort = portMap[WHATSMINER_REPORTS];
  site = await startSite(
    { network: '127.31.0.0/25', miners: 40, mix: 'all', seed: 7, noise: 0.01, noiseStepS: 3_600 },
    { portMap },
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

test('two devices with the same MAC stay two miners and both say so', async () => {
  const [first, second] = site.farm.devices.filter(({ driver }) => driver === 'whatsminer');
  if (first === undefined || second === undefined) throw new Error('the farm has too few miners for this test');
  const before = await site.miners();
  second.setFault('duplicate-mac', true, first.ip);
  await site.until(
    async () => [await site.miner(first.ip), await site.miner(second.ip)],
    (pair) => pair.every(({ unstable_reason }) => unstable_reason === 'mac_duplicate'),
  );
  const after = await site.miners();
  expect(after).toHaveLength(before.length);
  const { roster } = site.stack.agent;
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const flagOf = () =>
      [...roster.all()]
        .find(({ target }) => target.ip === one.ip)
        ?.reported?.extras.flags.find(({ type }) => type === 'network')?.message;
    const told = await site.until(flagOf, (message) => message !== undefined);
    expect(told).toMatch(new RegExp(`^${one.ip} and ${other.ip} \\(.+\\) show the same MAC address$`));
  }
  second.setFault('duplicate-mac', false);
  await site.until(
    () => site.miner(first.ip),
    ({ unstable_reason }) => unstable_reason === null,
  );
});

test('a miner that looks like a stranger for once keeps its driver', async () => {
  const device = site.farm.devices.findLast(({ driver }) => driver === 'antminer-stock');
  const { roster } = site.stack.agent;
  const state = [...roster.all()].find(({ target }) => target.ip === device?.ip);
  const generic = drivers.find(({ id }) => id === 'cgminer');
  if (state?.reading === undefined || generic === undefined) throw new Error('the farm has no such miner');
  const target = { ip: state.target.ip, driver: generic, known: {}, memory: new VisitMemory() };
  const outcome = {
    reading: { hashrateHs: 1e12 },
    answered: ['summary'],
    failed: [],
    unparsable: [],
    isLoginRefused: false,
    elapsedMs: 1,
  };
  const found = {
    status: 'identified' as const,
    target,
    identity: { confidence: 'generic' as const },
    evidence: { family: undefined },
    outcome,
  };
  await roster.recognised(target.ip, found, new AbortController().signal);
  expect(roster.get(state.key)?.target.driver.id).toBe('antminer-stock');
  expect(roster.get(state.key)?.reading?.hashrateHs).not.toBe(1e12);
});

test('a miner that moves to another address keeps its id and its age', async () => {
  const device = site.farm.devices.find(({ driver }) => driver === 'avalon');
  if (device === undefined) throw new Error('the farm has no such miner');
  const before = await site.miner(device.ip);
  const to = '127.31.0.126';
  await site.farm.move(device.ip, to);
  await site.stack.agent.scan();
  const after = await site.until(
    () => site.miners(`&ip_ranges=${to}`),
    (miners) => miners.length === 1,
  );
  expect(after[0]).toMatchObject({ id: before.id, created_at: before.created_at, mac: before.mac });
});

test('a miner that moved is found without a scan when somebody presses its button', async () => {
  const device = site.farm.devices.findLast(({ driver }) => driver === 'whatsminer');
  if (device === undefined) throw new Error('the farm has no such miner');
  const before = await site.miner(device.ip);
  const free = Array.from({ length: 100 }, (_, i) => `127.31.0.${i + 2}`).find((ip) => !site.farm.device(ip));
  const to = free ?? '';
  await site.farm.move(device.ip, to);
  await site.farm.pressIpReport(to, { host: '127.0.0.1', port: reportPort });
  const after = await site.until(
    () => site.miners(`&ip_ranges=${to}`),
    (miners) => miners.length === 1,
  );
  expect(after[0]).toMatchObject({ id: before.id, mac: before.mac });
});

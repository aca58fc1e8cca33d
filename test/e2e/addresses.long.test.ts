// Miners and their addresses: two that show one MAC, one that looks like a stranger for once, and two that move.
import { createSocket } from 'node:dgram';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { VisitMemory } from '../../src/driver/visit/memory.ts';
import { loopback } from '../support/loopback.ts';
import { type Site, startSite } from './site.ts';

const NET = loopback(25);
const MINERS = 6;
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
  const mix = 'antminer-b=2,whatsminer-2=3,avalon-a=1';
  site = await startSite(
    { network: NET.network, miners: MINERS, mix, seed: 7, noise: 0.01, noiseStepS: 3_600 },
    { portMap },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS && miners.every(({ status }) => status === 'online'),
  );
});
afterAll(() => site.stop());

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
  const { fleet } = site.stack.agent;
  for (const [one, other] of [
    [first, second],
    [second, first],
  ] as const) {
    const flagOf = () =>
      [...fleet.all()]
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
  const { fleet } = site.stack.agent;
  const state = [...fleet.all()].find(({ target }) => target.ip === device?.ip);
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
  await fleet.recognised(target.ip, found, new AbortController().signal);
  expect(fleet.get(state.key)?.target.driver.id).toBe('antminer-stock');
  expect(fleet.get(state.key)?.reading?.hashrateHs).not.toBe(1e12);
});

test('a miner that moves to another address keeps its id and its age', async () => {
  const device = site.farm.devices.find(({ driver }) => driver === 'avalon');
  if (device === undefined) throw new Error('the farm has no such miner');
  const before = await site.miner(device.ip);
  const to = NET.ip(122);
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
  const free = Array.from({ length: 100 }, (_, i) => NET.ip(i + 2)).find((ip) => !site.farm.device(ip));
  const to = free ?? '';
  await site.farm.move(device.ip, to);
  await site.farm.pressIpReport(to, { host: '127.0.0.1', port: reportPort });
  const after = await site.until(
    () => site.miners(`&ip_ranges=${to}`),
    (miners) => miners.length === 1,
  );
  expect(after[0]).toMatchObject({ id: before.id, mac: before.mac });
});

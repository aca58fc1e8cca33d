// Two miners swap their addresses, as a router's leases do, and no poll has asked since who is who: an order for one
// must not reach the other. Simulated devices on real sockets, a whole agent.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Device, type Farm, startFarm } from '../../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../../fixtures/farm/ports.ts';
import { type Agent, createAgent } from '../../../src/agent/agent.ts';
import { parseConfig } from '../../../src/agent/config/config.ts';
import { systemClock } from '../../../src/base/clock.ts';
import { type Log, silentLog } from '../../../src/base/log.ts';
import { untilSoon } from '../../e2e/until.ts';
import { loopback } from '../../support/loopback.ts';
import { neighbourAt } from '../../support/neighbours.ts';

const { network: NETWORK, ip: ipOf } = loopback(28);
const SPARE = ipOf(14);
const stateDir = mkdtempSync(join(tmpdir(), 'pithead-other-unit-'));
let farm: Farm;
let agent: Agent;

beforeAll(async () => {
  const portMap = await suitablePortMap();
  farm = await startFarm({ network: NETWORK, miners: 2, mix: 'antminer-c', seed: 5, bootS: 1, portMap });
  const config = parseConfig(
    JSON.stringify({
      ...{ stateDir, portMap, networks: [NETWORK], scan: { ipReports: false, maxPerSecond: 50_000 } },
      // No poll asks in time, and what tells one from the other was asked with the scan and is not due again for long.
      poll: { interval: '1h', slowEvery: 60, staticEvery: '24h' },
    }),
    { baseDir: stateDir, environment: { XDG_CONFIG_HOME: stateDir }, name: 'test' },
  );
  let scans = 0;
  const log: Log = { ...silentLog, info: (_fields, message) => void (message === 'scan ended' && scans++) };
  // First polls come late in their first seconds.
  // Loopback has no neighbours: this is what a farm's network would say, and no poll comes that could say it twice.
  const neighbours = { at: (ip: string) => neighbourAt(farm, ip) };
  agent = createAgent({ config, uplinks: [], clock: systemClock, log, random: () => 0.99, neighbours });
  await agent.start();
  await agent.scan();
  // This one and the scheduled one: no scan meets anybody from here on.
  await untilSoon(
    () => scans,
    (count) => count >= 2,
  );
});
afterAll(async () => {
  await agent.stop();
  await farm.stop();
  rmSync(stateDir, { recursive: true, force: true });
});

const keyAt = (ip: string) => [...agent.fleet.all()].find(({ target }) => target.ip === ip)?.key;

function pair(): [Device, Device] {
  const [first, second] = farm.devices;
  if (first === undefined || second === undefined) throw new Error('the farm is too small');
  return [first, second];
}

const POOLS = { pools: [{ url: 'stratum+tcp://pool.example.com:3333', user: 'a.b', password: 'x' }] };

test.each([
  ['miner.system.reboot', {}],
  ['miner.pool.update', POOLS],
  ['miner.power_mode.update', { mode: 'sleep' }],
] as const)('%s is refused, the other unit is not touched, and its move is known', async (name, params) => {
  const [a, b] = pair();
  const [ipA, ipB] = [a.ip, b.ip];
  const [keyA = '', keyB = ''] = [keyAt(ipA), keyAt(ipB)];
  expect(new Set([keyA, keyB, '']).size).toBe(3);
  // Its counters go on.
  const settingsOf = ({ pools, mining_mode }: ReturnType<Device['truth']>) => [
    pools.map(({ url }) => url),
    mining_mode,
  ];
  const before = settingsOf(b.truth());
  await farm.move(ipA, SPARE);
  await farm.move(ipB, ipA);
  await farm.move(SPARE, ipB);
  const { outcome } = agent.tasks.runLocal({ name, minerKey: keyA, params });
  expect(await outcome).toMatchObject({
    status: 'failed',
    message: 'refused: another unit stands at this address now',
  });
  expect([a.reboots, b.reboots]).toEqual([0, 0]);
  expect(settingsOf(b.truth())).toEqual(before);
  await untilSoon(
    () => keyAt(ipA),
    (key) => key === keyB,
  );
  expect(agent.fleet.get(keyA)).toBeUndefined();
  // The other one stands nowhere until it is found.
  await agent.scan();
  expect(keyAt(ipB)).toBe(keyA);
});

test('an order for the miner that stands there goes on', async () => {
  const [a, b] = pair();
  agent.tasks.runLocal({ name: 'miner.system.reboot', minerKey: keyAt(a.ip) ?? '' }).outcome.catch(() => {});
  await untilSoon(
    () => a.reboots,
    (reboots) => reboots === 1,
  );
  expect(b.reboots).toBe(0);
});

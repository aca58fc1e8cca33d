// A press of the button on a simulated miner, over real sockets: the address is looked at now, identity is what the
// device itself says.

import { createSocket } from 'node:dgram';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { type Farm, startFarm } from '../../../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../../../fixtures/farm/ports.ts';
import { createAgent } from '../../../../src/agent/agent.ts';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import type { Recognised } from '../../../../src/agent/device/device-client.ts';
import { createIpReportHandler } from '../../../../src/agent/ip-reports/handle-report.ts';
import { createIpReports } from '../../../../src/agent/ip-reports/listener.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { type LogFields, silentLog } from '../../../../src/base/log.ts';
import type { EventRecord } from '../../../../src/wire/records.ts';
import { untilSoon } from '../../../e2e/until.ts';
import { freshClient } from '../../../support/fresh-client.ts';
import { loopback } from '../../../support/loopback.ts';

const { network: NETWORK, ip: ipOf, part } = loopback(28);
const KEY = '00000000-0000-7000-8000-000000000001';
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0).toReversed()) await stop();
});

async function setUp(mix: string, exclude: readonly string[] = []) {
  const portMap = await suitablePortMap();
  const farm: Farm = await startFarm({ network: NETWORK, miners: 1, mix, seed: 3, freeze: true, portMap });
  const config = parseConfig(JSON.stringify({ portMap, networks: [NETWORK], exclude }), {
    baseDir: '.',
    environment: {},
    name: 'test',
  });
  const logged: LogFields[] = [];
  const log = { ...silentLog, info: (fields: LogFields) => void logged.push(fields) };
  const taken: { ip: string; found: Recognised }[] = [];
  const events: EventRecord[] = [];
  const client = freshClient({ log, config });
  const desk = createIpReportHandler({
    ...{ clock: systemClock, log, random: Math.random, settings: config, client },
    scanning: {
      planFor: (ranges) => ({ ranges, limits: { probeTimeoutMs: 10_000 } }),
      takeIn: async (ip, found) => void taken.push({ ip, found }),
    },
    registry: { byIp: () => (taken.length === 0 ? undefined : { key: KEY }) },
    emit: (event) => void events.push(event),
    signal: new AbortController().signal,
  });
  const listener = createIpReports({
    drivers: { all: drivers },
    clock: systemClock,
    log,
    portOf: () => 0,
    isOurs: () => true,
    onReport: desk,
  });
  await listener.start();
  cleanUp.push(
    () => farm.stop(),
    () => client.close(),
    () => listener.stop(),
  );
  const [device] = farm.devices;
  if (device === undefined) throw new Error('the farm is empty');
  const press = (standard: number) =>
    farm.pressIpReport(device.ip, { host: '127.0.0.1', port: listener.ports().get(standard) ?? 0 });
  return { device, press, taken, events, logged, desk };
}

test('a press makes the miner known and is told with what the datagram claimed', async () => {
  const { device, press, taken, events, logged } = await setUp('whatsminer-2');
  await press(8_888);
  await untilSoon(
    async () => events.length,
    (count) => count === 1,
  );
  expect(taken).toMatchObject([
    { ip: device.ip, found: { status: 'identified', target: { driver: { id: 'whatsminer' } } } },
  ]);
  expect(events).toMatchObject([
    { type: 'ip_reported', key: KEY, detail: { ip: device.ip, claimedMac: device.truth().mac, status: 'identified' } },
  ]);
  expect(logged).toMatchObject([{ ip: device.ip, status: 'identified' }]);
});

test('a report with another miner’s MAC does not change the device’s identity', async () => {
  const { device, desk, taken, events } = await setUp('whatsminer-2');
  await desk({ ip: device.ip, makes: 'Whatsminer', claimedMac: 'AA:AA:AA:AA:AA:AA' });
  await untilSoon(
    async () => events.length,
    (count) => count === 1,
  );
  const [first] = taken;
  expect(JSON.stringify(first?.found)).not.toContain('AA:AA:AA:AA:AA:AA');
  expect(first?.found).toMatchObject({ outcome: { reading: { mac: device.truth().mac } } });
});

test('an address that is excluded or silent registers no miner', async () => {
  const { device, desk, taken, events, logged } = await setUp('whatsminer-2', [part(8, 30)]);
  const before = device.requests;
  await desk({ ip: ipOf(9), makes: 'Whatsminer' });
  await desk({ ip: device.ip === ipOf(2) ? ipOf(3) : ipOf(2), makes: 'Whatsminer' });
  await untilSoon(
    async () => logged.length,
    (count) => count === 1,
  );
  expect([taken, events]).toEqual([[], []]);
  expect(device.requests).toBe(before);
});

test('the agent listens unless the configuration says no', async () => {
  const isHeard = async (settings: object) => {
    const stateDir = mkdtempSync(join(tmpdir(), 'pithead-reports-'));
    const probe = createSocket('udp4');
    await new Promise<void>((resolve) => probe.bind(0, resolve));
    const { port } = probe.address();
    await new Promise<void>((resolve) => probe.close(() => resolve()));
    const config = parseConfig(JSON.stringify({ stateDir, portMap: { 8888: port }, ...settings }), {
      baseDir: stateDir,
      environment: { XDG_CONFIG_HOME: stateDir },
      name: 'test',
    });
    const agent = createAgent({ config, uplinks: [], clock: systemClock, log: silentLog });
    await agent.start();
    // Without reuse the port is bound only where no other socket is.
    const rival = createSocket('udp4');
    const isFree = await new Promise<boolean>((resolve) => {
      rival.once('error', () => resolve(false));
      rival.bind(port, () => resolve(true));
    });
    rival.close();
    await agent.stop();
    rmSync(stateDir, { recursive: true });
    return !isFree;
  };
  expect(await isHeard({})).toBe(true);
  expect(await isHeard({ scan: { ipReports: false } })).toBe(false);
});

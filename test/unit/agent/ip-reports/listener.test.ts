// Which datagrams become a hint: those of the configured ranges, once, and never more than the total allows. Over real
// sockets on loopback.

import { createSocket } from 'node:dgram';
import { afterEach, expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { createIpReports, type IpReport } from '../../../../src/agent/ip-reports/listener.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { covers, readRanges } from '../../../../src/base/net/ranges.ts';
import { defineDriver } from '../../../../src/driver/kit/index.ts';
import type { LoadedDriver } from '../../../../src/driver/load/loaded-driver.ts';
import { loopback } from '../../../support/loopback.ts';

const MAC = 'CC:0C:13:00:00:17';
const INSIDE = loopback(22);
const OUTSIDE = loopback();
const ranges = readRanges([INSIDE.network], []);
const SENDER = INSIDE.ip(9);
/** None of ours: when it is asked about, all that came before has been taken. */
const MARKER = OUTSIDE.ip(254);
const cleanUp: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const stop of cleanUp.splice(0).toReversed()) await stop();
});

async function setUp(portOf: (standard: number) => number = () => 0, handle: () => Promise<void> | void = () => {}) {
  const reports: IpReport[] = [];
  const warnings: string[] = [];
  const clock = { ...systemClock, leptMs: 0, monotonicMs: () => 1_000_000 + clock.leptMs };
  const log = { ...silentLog, warn: (_fields: object, message: string) => void warnings.push(message) };
  let onMarker = () => {};
  const isOurs = (ip: string) => {
    if (ip === MARKER) onMarker();
    return covers(ranges, ip);
  };
  const onReport = (report: IpReport) => {
    reports.push(report);
    return handle();
  };
  const inUse: { all: readonly LoadedDriver[] } = { all: drivers };
  const listener = createIpReports({ drivers: inUse, clock, log, portOf, isOurs, onReport });
  await listener.start();
  cleanUp.push(() => listener.stop());
  /** Sends from `from` and waits until everything that was sent until then has been taken. */
  const send = async (from: string, standard: number, ...datagrams: readonly (string | Buffer)[]) => {
    await sendOnly(from, standard, ...datagrams);
    const taken = new Promise<void>((resolve) => {
      onMarker = resolve;
    });
    await sendOnly(MARKER, standard, 'marker');
    await taken;
  };
  const sendOnly = async (from: string, standard: number, ...datagrams: readonly (string | Buffer)[]) => {
    const socket = createSocket('udp4');
    await new Promise<void>((resolve) => socket.bind(0, from, resolve));
    const port = listener.ports().get(standard) ?? 0;
    for (const datagram of datagrams) await new Promise((resolve) => socket.send(datagram, port, '127.0.0.1', resolve));
    await new Promise<void>((resolve) => socket.close(() => resolve()));
  };
  return { listener, reports, warnings, clock, send, inUse };
}
const antminer = (ip: string) => `${ip},${MAC}`;

test('a report of a configured address is handed on with its claim, once in ten seconds', async () => {
  const { reports, send, clock } = await setUp();
  await send(SENDER, 14_235, antminer(SENDER), antminer(SENDER), antminer(SENDER));
  const report = { ip: SENDER, makes: 'Antminer, Hammer, VolcMiner', claimedMac: MAC };
  expect(reports).toEqual([report]);
  clock.leptMs += 10_000;
  await send(SENDER, 14_235, antminer(SENDER));
  expect(reports).toEqual([report, report]);
});

test('where the form has no address, the sender is meant', async () => {
  const { reports, send } = await setUp();
  await send(INSIDE.ip(10), 9_999, 'DG_IPREPORT_ONLY');
  expect(reports).toEqual([{ ip: INSIDE.ip(10), makes: 'Elphapex' }]);
});

test('drivers that change are heard where they send, and those that are gone no more', async () => {
  const { listener, inUse, reports, send } = await setUp();
  const before = listener.ports();
  const added = defineDriver({
    ...{ id: 'toy', make: 'Toy', covers: [], asks: {}, read: () => ({}) },
    ipReport: { port: 7_777, words: /^toy ([\d.]+)$/ },
  });
  inUse.all = [...drivers.filter(({ ipReport }) => ipReport?.port !== 9_999), added];
  expect(listener.ports().has(7_777)).toBe(false);
  await listener.refresh();
  expect(listener.ports().has(9_999)).toBe(false);
  // What has not changed is heard all the time.
  expect(listener.ports().get(14_235)).toBe(before.get(14_235));
  await send(SENDER, 7_777, `toy ${SENDER}`);
  expect(reports).toEqual([{ ip: SENDER, makes: 'Toy' }]);
  await listener.stop();
  await listener.refresh();
  expect(listener.ports().size).toBe(0);
});

test('a sender outside the ranges, or a report of an address there, is dropped; a relay inside is not', async () => {
  const { reports, send } = await setUp();
  await send(OUTSIDE.ip(9), 14_235, antminer(OUTSIDE.ip(9)), antminer(SENDER));
  await send(INSIDE.ip(11), 14_235, antminer('10.0.0.1'), antminer(OUTSIDE.ip(9)));
  expect(reports).toEqual([]);
  await send(INSIDE.ip(11), 14_235, antminer(INSIDE.ip(12)));
  expect(reports.map(({ ip }) => ip)).toEqual([INSIDE.ip(12)]);
});

test('one sender cannot have the farm probed, and all together cannot either', async () => {
  const { reports, warnings, send, clock } = await setUp();
  const fifty = (first: number) => Array.from({ length: 50 }, (_, i) => antminer(INSIDE.ip(first + i)));
  await send(INSIDE.ip(20), 14_235, ...fifty(256));
  expect(reports).toHaveLength(5);
  const others = fifty(512);
  for (let i = 0; i < 8; i++) await send(INSIDE.ip(30 + i), 14_235, ...others.slice(i * 5, i * 5 + 5));
  expect(reports).toHaveLength(20);
  expect(warnings).toHaveLength(1);
  clock.leptMs += 10_000;
  await send(INSIDE.ip(20), 14_235, antminer(INSIDE.ip(3 * 256 + 1)));
  expect(reports).toHaveLength(21);
});

test('nonsense and what is too long are dropped, and the port stays open', async () => {
  const { reports, send } = await setUp();
  await send(SENDER, 8_888, 'OK\0\0', '');
  const long = (bytes: number) => JSON.stringify({ ip: SENDER, mac: MAC, version: 'x'.repeat(bytes) });
  await send(INSIDE.ip(8), 1_314, long(4_096));
  expect(reports).toEqual([]);
  await send(SENDER, 8_888, `IP:${SENDER}MAC:${MAC}`);
  expect(reports).toHaveLength(1);
});

test('a port that another program holds for itself is a warning, and the others are heard', async () => {
  const taken = createSocket('udp4');
  await new Promise<void>((resolve) => taken.bind(0, resolve));
  cleanUp.push(() => new Promise((resolve) => taken.close(() => resolve())));
  const { port } = taken.address();
  const { listener, reports, warnings, send } = await setUp((standard) => (standard === 8_888 ? port : 0));
  expect(warnings).toHaveLength(1);
  expect(warnings[0]).toContain('Whatsminer');
  expect(listener.ports().has(8_888)).toBe(false);
  await send(SENDER, 14_235, antminer(SENDER));
  expect(reports).toHaveLength(1);
});

test('stopping waits for what was handed on', async () => {
  let finish = () => {};
  const handedOn = new Promise<void>((resolve) => (finish = resolve));
  const done: string[] = [];
  const { send, listener } = await setUp(undefined, () => handedOn.then(() => void done.push('report')));
  await send(SENDER, 14_235, antminer(SENDER));
  const stopped = listener.stop().then(() => done.push('stop'));
  await systemClock.sleep(20);
  finish();
  await stopped;
  expect(done).toEqual(['report', 'stop']);
});

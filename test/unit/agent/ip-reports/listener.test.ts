// Which datagrams become a hint: those of the configured ranges, once, and never more than the total allows. Over real sockets on loopback.
import { createSocket } from 'node:dgram';
import { afterEach, expect, test } from 'vitest';
import { createIpReports, type IpReport } from '../../../../src/agent/ip-reports/listener.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';

const MAC = 'CC:0C:13:00:00:17';
/** Nobody of ours: whoever is asked about it has taken all that came before. */
const MARKER = '127.48.0.254';
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
    return ip.startsWith('127.47.');
  };
  const onReport = (report: IpReport) => {
    reports.push(report);
    return handle();
  };
  const listener = createIpReports({ clock, log, portOf, isOurs, onReport });
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
  return { listener, reports, warnings, clock, send };
}
const antminer = (ip: string) => `${ip},${MAC}`;

test('a report of a configured address is handed on with its claim, once in ten seconds', async () => {
  const { reports, send, clock } = await setUp();
  await send('127.47.0.9', 14_235, antminer('127.47.0.9'), antminer('127.47.0.9'), antminer('127.47.0.9'));
  const report = { ip: '127.47.0.9', makes: 'Antminer, VolcMiner, Hammer', claimedMac: MAC };
  expect(reports).toEqual([report]);
  clock.leptMs += 10_000;
  await send('127.47.0.9', 14_235, antminer('127.47.0.9'));
  expect(reports).toEqual([report, report]);
});

test('where the form has no address, the sender is meant', async () => {
  const { reports, send } = await setUp();
  await send('127.47.0.10', 9_999, 'DG_IPREPORT_ONLY');
  expect(reports).toEqual([{ ip: '127.47.0.10', makes: 'Elphapex' }]);
});

test('who stands outside the ranges, or names somebody there, is not heard; a relay inside is', async () => {
  const { reports, send } = await setUp();
  await send('127.48.0.9', 14_235, antminer('127.48.0.9'), antminer('127.47.0.9'));
  await send('127.47.0.11', 14_235, antminer('10.0.0.1'), antminer('127.48.0.9'));
  expect(reports).toEqual([]);
  await send('127.47.0.11', 14_235, antminer('127.47.0.12'));
  expect(reports.map(({ ip }) => ip)).toEqual(['127.47.0.12']);
});

test('one sender cannot have the farm probed, and all together cannot either', async () => {
  const { reports, warnings, send, clock } = await setUp();
  const many = Array.from({ length: 50 }, (_, i) => antminer(`127.47.1.${i}`));
  await send('127.47.0.20', 14_235, ...many);
  expect(reports).toHaveLength(5);
  for (let i = 0; i < 8; i++)
    await send(
      `127.47.0.${30 + i}`,
      14_235,
      ...many.slice(i * 5, i * 5 + 5).map((text) => text.replace('47.1.', '47.2.')),
    );
  expect(reports).toHaveLength(20);
  expect(warnings).toHaveLength(1);
  clock.leptMs += 10_000;
  await send('127.47.0.20', 14_235, antminer('127.47.3.1'));
  expect(reports).toHaveLength(21);
});

test('nonsense and what is too long are dropped, and the port stays open', async () => {
  const { reports, send } = await setUp();
  await send('127.47.0.9', 8_888, 'OK\0\0', '');
  const long = (bytes: number) => JSON.stringify({ ip: '127.47.0.9', mac: MAC, version: 'x'.repeat(bytes) });
  await send('127.47.0.8', 1_314, long(4_096));
  expect(reports).toEqual([]);
  await send('127.47.0.9', 8_888, `IP:127.47.0.9MAC:${MAC}`);
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
  await send('127.47.0.9', 14_235, antminer('127.47.0.9'));
  expect(reports).toHaveLength(1);
});

test('stopping waits for what was handed on', async () => {
  let finish = () => {};
  const handedOn = new Promise<void>((resolve) => (finish = resolve));
  const done: string[] = [];
  const { send, listener } = await setUp(undefined, () => handedOn.then(() => void done.push('report')));
  await send('127.47.0.9', 14_235, antminer('127.47.0.9'));
  const stopped = listener.stop().then(() => done.push('stop'));
  await systemClock.sleep(20);
  finish();
  await stopped;
  expect(done).toEqual(['report', 'stop']);
});

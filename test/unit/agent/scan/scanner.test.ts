// The queue of scans: manual ones first, the scheduled one pauses and resumes, nothing piles up.
import { expect, test } from 'vitest';
import type { Contact } from '../../../../src/agent/scan/plan.ts';
import { runScan } from '../../../../src/agent/scan/scan.ts';
import { type FinishedScan, Scanner, type ScanTicket } from '../../../../src/agent/scan/scanner.ts';
import { RefusedError } from '../../../../src/base/errors.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { createNetwork, miner, type Station, type Who } from './network.ts';

const planOf = (...written: string[]) => ({ ranges: readRanges(written, []), limits: { maxSockets: 30 } });

function setUp(schedule?: { everyMs: number; written: string[] }) {
  const clock = createVirtualClock();
  const stations = new Map<string, Station>([
    ['10.0.0.9', { ports: { 4028: 'open' }, who: [miner('a')] }],
    ['10.1.0.250', { ports: { 4028: 'open' }, who: [miner('b')] }],
  ]);
  const network = createNetwork(clock, stations);
  const ended: (FinishedScan & { atMs: number })[] = [];
  const found: string[] = [];
  const warnings: string[] = [];
  const startMs = clock.monotonicMs();
  const note = (_: unknown, message: string) => warnings.push(message);
  const scanner = new Scanner<Who>({
    clock,
    log: { debug: () => {}, info: () => {}, warn: note, error: note },
    random: () => 0,
    run: (plan, pause, listener, signal) => runScan(plan, { ...network.deps, pause }, listener, signal),
    sink: {
      onContact: (scan: ScanTicket, { ip }: Contact<Who>) => found.push(`${scan.kind} ${ip}`),
      onEnd: (scan) => ended.push({ ...scan, atMs: clock.monotonicMs() - startMs }),
    },
    ...(schedule && { schedule: { everyMs: schedule.everyMs, plan: () => planOf(...schedule.written) } }),
    maxWaiting: 3,
  });
  return { ...network, clock, scanner, ended, found, warnings, startMs };
}

test('manual scans run one after another, in the order of asking', async () => {
  const { clock, scanner, ended, found } = setUp();
  scanner.request('one', planOf('10.0.0.0/24'));
  scanner.request('two', planOf('10.1.0.0/24'));
  expect(scanner.current()).toMatchObject({ running: [{ id: 'one' }], waiting: [{ id: 'two' }] });
  await clock.advance(120_000);
  expect(ended.map(({ id, kind, account }) => [id, kind, account?.counts.identified])).toEqual([
    ['one', 'manual', 1],
    ['two', 'manual', 1],
  ]);
  expect(found).toEqual(['manual 10.0.0.9', 'manual 10.1.0.250']);
  expect(scanner.latest()?.id).toBe('two');
  expect(scanner.current()).toEqual({ running: [], waiting: [] });
});

test('a running scheduled scan pauses for a manual one and resumes afterwards', async () => {
  const { clock, scanner, ended, seen, startMs } = setUp({ everyMs: 3_600_000, written: ['10.1.0.0/24'] });
  scanner.start();
  await clock.advance(3_000);
  scanner.request('urgent', planOf('10.0.0.1-20'));
  const askedMs = clock.monotonicMs();
  await clock.advance(60_000);
  const [first, second] = ended;
  expect([first?.id, second?.kind]).toEqual(['urgent', 'scheduled']);
  expect(first?.account?.counts).toMatchObject({ identified: 1, silent: 19 });
  expect(second?.account).toMatchObject({ isCancelled: false, notReached: 0, counts: { identified: 1, silent: 253 } });
  // Probes of the scheduled scan that were under way may end; none begins until the person has the answer.
  const endedMs = startMs + (first?.atMs ?? 0);
  expect(endedMs).toBeGreaterThan(askedMs + 1_000);
  const during = seen.probes.filter(({ ip, atMs }) => ip.startsWith('10.1.') && atMs > askedMs && atMs < endedMs);
  expect(during).toEqual([]);
});

test('a scheduled turn is left out while the one before it still runs', async () => {
  const { clock, scanner, ended, warnings } = setUp({ everyMs: 10_000, written: ['10.2.0.0/22'] });
  scanner.start();
  await clock.advance(60_000);
  expect(ended).toEqual([]);
  expect(warnings.filter((message) => message.includes('left out')).length).toBeGreaterThanOrEqual(5);
  await clock.advance(70_000);
  expect(ended.length).toBe(1);
  await scanner.stop();
});

test('the schedule repeats', async () => {
  const { clock, scanner, ended } = setUp({ everyMs: 600_000, written: ['10.0.0.1-10'] });
  scanner.start();
  await clock.advance(1_800_001 + 10_000);
  expect(ended.map(({ id }) => id)).toEqual(['scheduled-1', 'scheduled-2', 'scheduled-3', 'scheduled-4']);
});

test('a scan is cancelled by its id, running or waiting, and keeps what it found', async () => {
  const { clock, scanner, ended } = setUp();
  scanner.request('one', { ...planOf('10.0.0.0/16'), known: ['10.0.0.9'] });
  scanner.request('two', planOf('10.1.0.0/24'));
  await clock.advance(5_000);
  expect(scanner.cancel('two')).toBe(true);
  expect(scanner.cancel('nobody')).toBe(false);
  expect(scanner.cancel('one')).toBe(true);
  await clock.advance(3_000);
  expect(ended.map(({ id, account }) => [id, account?.isCancelled, account?.counts.identified])).toEqual([
    ['two', true, 0],
    ['one', true, 1],
  ]);
  expect(ended[0]?.account).toMatchObject({ addresses: 256, excluded: 2, notReached: 254 });
});

test('the queue is bounded and an id is taken until its scan is over', async () => {
  const { clock, scanner } = setUp();
  for (const id of ['running', 'a', 'b', 'c']) scanner.request(id, planOf('10.0.0.1-5'));
  expect(() => scanner.request('d', planOf('10.0.0.1'))).toThrow(RefusedError);
  expect(() => scanner.request('a', planOf('10.0.0.1'))).toThrow(RefusedError);
  await clock.advance(60_000);
  expect(() => scanner.request('a', planOf('10.0.0.1'))).not.toThrow();
});

test('stop cancels running, paused and waiting scans, and each is accounted for', async () => {
  const { clock, scanner, ended } = setUp({ everyMs: 3_600_000, written: ['10.1.0.0/16'] });
  scanner.start();
  await clock.advance(1_000);
  scanner.request('one', planOf('10.0.0.0/16'));
  scanner.request('two', planOf('10.0.0.0/16'));
  await clock.advance(1_000);
  await clock.finish(scanner.stop(), 3_000);
  expect(ended.map(({ id, account }) => [id, account?.isCancelled]).toSorted()).toEqual([
    ['one', true],
    ['scheduled-1', true],
    ['two', true],
  ]);
  expect(clock.pending()).toBe(0);
  expect(() => scanner.request('late', planOf('10.0.0.1'))).toThrow(RefusedError);
});

test('a scan that breaks is told as such and the line goes on', async () => {
  const clock = createVirtualClock();
  const ended: FinishedScan[] = [];
  const logged: string[] = [];
  let runs = 0;
  const scanner = new Scanner<Who>({
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: (_, message) => logged.push(message) },
    random: () => 0,
    run: (plan, pause, listener, signal) => {
      if (runs++ === 0) throw new TypeError('broken');
      return runScan(plan, { ...createNetwork(clock, new Map()).deps, pause }, listener, signal);
    },
    sink: { onEnd: (scan) => ended.push(scan) },
  });
  scanner.request('one', planOf('10.0.0.1'));
  scanner.request('two', planOf('10.0.0.1'));
  await clock.advance(10_000);
  expect(ended.map(({ id, account }) => [id, account?.counts.silent])).toEqual([
    ['one', undefined],
    ['two', 1],
  ]);
  expect(logged).toEqual(['a scan broke']);
});

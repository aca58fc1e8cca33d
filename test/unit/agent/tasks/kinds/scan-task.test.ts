// A scan that the service asks for, on a simulated network and a virtual clock: only what is configured, told not too
// often, accounted for whole.
import { expect, test } from 'vitest';
import { createManualScans } from '../../../../../src/agent/scan/manual-scans.ts';
import { runScan } from '../../../../../src/agent/scan/scan.ts';
import { Scanner } from '../../../../../src/agent/scan/scanner.ts';
import { createScanTask } from '../../../../../src/agent/tasks/kinds/scan-task.ts';
import { silentLog } from '../../../../../src/base/log.ts';
import { readRanges } from '../../../../../src/base/net/ranges.ts';
import type { ScanRecord } from '../../../../../src/wire/records.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { createNetwork, miner, type Station, type Who } from '../../scan/network.ts';

function setUp(written: string[] = ['10.0.0.0/22'], maxWaiting = 1) {
  const clock = createVirtualClock();
  const stations = new Map<string, Station>([
    ['10.0.0.9', { ports: { 4028: 'open' }, who: [miner('a')] }],
    ['10.0.3.250', { ports: { 4028: 'open' }, who: [miner('b')] }],
    ['10.0.1.7', { ports: { 80: 'refused', 4028: 'refused', 4433: 'refused' } }],
  ]);
  const network = createNetwork(clock, stations);
  const ranges = readRanges(written, ['10.0.0.100-109']);
  const found: string[] = [];
  let takenIn: Promise<void> = Promise.resolve();
  const manual = createManualScans<Who>(
    () => scanner,
    () => takenIn,
  );
  const scanner: Scanner<Who> = new Scanner<Who>({
    clock,
    log: silentLog,
    random: () => 0,
    run: (plan, pause, listener, signal) => runScan(plan, { ...network.deps, pause }, listener, signal),
    sink: {
      onContact: (scan, contact) => {
        const { ip, status } = contact;
        manual.onContact(scan, contact);
        if (status !== 'identified') return;
        takenIn = takenIn.then(() => clock.sleep(500)).then(() => void found.push(ip));
      },
      onProgress: manual.onProgress,
      onEnd: manual.onEnd,
    },
    maxWaiting,
  });
  const planFor = (part: typeof ranges | Parameters<typeof runScan>[0]['ranges']) => ({
    ranges: part,
    limits: { maxSockets: 60 },
  });
  const reported: ScanRecord[] = [];
  const task = createScanTask<Who>({
    ...{ clock, log: silentLog, configured: () => ranges, planFor, scans: manual },
    describe: ({ ip, status }) => ({ ip, status, driver: null, model: null, advice: null }),
    report: async (record) => void reported.push(record),
  });
  const told: { atMs: number; evidence: Readonly<Record<string, unknown>> }[] = [];
  const stop = new AbortController();
  let count = 0;
  const run = (params: Readonly<Record<string, unknown>> = {}) =>
    task.run({ taskId: `t${++count}`, minerKey: 'agent', params }, stop.signal, {
      find: () => undefined,
      mayReach: () => true,
      observe: () => Promise.reject(new Error('a scan looks at no miner')),
      onProgress: (evidence) => told.push({ atMs: clock.monotonicMs(), evidence }),
    });
  return { clock, scanner, run, told, stop, found, reported, seen: network.seen };
}

function sumOf(evidence: Readonly<Record<string, unknown>> | undefined) {
  const { account } = JSON.parse(JSON.stringify(evidence ?? {}));
  const counts: number[] = Object.values(account.counts);
  return { ...account, sum: counts.reduce((a, b) => a + b, 0) + account.excluded + account.notReached };
}

test('the account of all configured networks adds up, and every find is known when it ends', async () => {
  const { clock, run, told, found } = setUp();
  const outcome = await clock.finish(run(), 600_000);
  expect(outcome.status).toBe('succeeded');
  expect(outcome.message).toContain('1012 of 1012 addresses: 2 identified, 1 closed');
  const account = sumOf(outcome.evidence);
  expect(account).toMatchObject({
    addresses: 1_024,
    sum: 1_024,
    excluded: 12,
    notReached: 0,
    isCancelled: false,
    counts: { identified: 2, closed: 1, silent: 1_009 },
  });
  expect(found.toSorted()).toEqual(['10.0.0.9', '10.0.3.250']);
  expect(told.length).toBeGreaterThan(3);
  const pauses = told.slice(1).map(({ atMs }, index) => atMs - (told[index]?.atMs ?? 0));
  expect(Math.min(...pauses)).toBeGreaterThanOrEqual(2_000);
  expect(told[0]?.evidence).toMatchObject({ progress: { phase: 'first pass', total: 1_012 } });
});

test('what is at each address that is not silent is reported once, before the outcome', async () => {
  const { clock, run, reported } = setUp();
  let before = 0;
  const outcome = run().then((end) => {
    before = reported.length;
    return end;
  });
  await clock.finish(outcome, 600_000);
  expect(before).toBe(reported.length);
  expect(reported.every(({ task_id }) => task_id === 't1')).toBe(true);
  const addresses = reported.flatMap((record) => record.addresses);
  expect(addresses.map(({ ip, status }) => `${ip} ${status}`).toSorted()).toEqual([
    '10.0.0.9 identified',
    '10.0.1.7 closed',
    '10.0.3.250 identified',
  ]);
});

test('a part is scanned alone', async () => {
  const { clock, run, seen } = setUp();
  const outcome = await clock.finish(run({ ranges: ['10.0.3.0/24'] }), 600_000);
  expect(sumOf(outcome.evidence)).toMatchObject({ addresses: 256, sum: 256, counts: { identified: 1 } });
  expect(seen.probes.every(({ ip }) => ip.startsWith('10.0.3.'))).toBe(true);
});

test.each([
  [{ ranges: ['10.0.0.0/24', '10.0.4.0/24'] }, 'refused: 10.0.4.0/24 is outside the networks configured here'],
  [{ ranges: [] }, 'refused: the params do not fit agent.scan.create (ranges)'],
  [{ ranges: '10.0.0.0/24' }, 'refused: the params do not fit'],
  [{ ranges: Array(257).fill('10.0.0.1') }, 'refused: the params do not fit'],
  [{ ranges: ['10.0.0.105'] }, 'refused: 10.0.0.105: every address is excluded here'],
])('%j is refused without a packet', async (params, words) => {
  const { run, seen } = setUp();
  const outcome = await run(params);
  expect([outcome.status, outcome.message]).toEqual(['failed', expect.stringContaining(words)]);
  expect(seen.probes).toEqual([]);
});

test('an agent without networks says so', async () => {
  expect(await setUp([]).run()).toMatchObject({
    status: 'failed',
    message: 'refused: no networks are configured here',
  });
});

test('a cancel keeps what was found, and the account still adds up', async () => {
  const { clock, run, stop } = setUp();
  const running = run();
  await clock.advance(6_000);
  stop.abort();
  const outcome = await clock.finish(running, 30_000);
  expect(outcome.status).toBe('cancelled');
  const account = sumOf(outcome.evidence);
  expect(account).toMatchObject({ sum: 1_024, isCancelled: true });
  expect(account.notReached).toBeGreaterThan(0);
  expect(account.notReached).toBeLessThan(1_012);
});

test('when too many scans wait it is refused', async () => {
  const { clock, run, scanner } = setUp();
  const running = [run(), run()];
  expect(await run()).toMatchObject({ status: 'failed', message: expect.stringContaining('scans wait already') });
  await clock.finish(scanner.stop(), 30_000);
  await clock.finish(Promise.all(running), 30_000);
});

// How a scan goes about it: what gets a second chance, what streams, what cancel keeps, and that limits hold.
import { expect, test } from 'vitest';
import type { Contact, ScanPlan, ScanProgress } from '../../../../src/agent/scan/plan.ts';
import { runScan } from '../../../../src/agent/scan/scan.ts';
import { createPause } from '../../../../src/agent/scan/worker-pool.ts';
import { readRanges } from '../../../../src/base/net/ranges.ts';
import { connectionsWithin, socketsWithin } from '../../../../src/base/platform/fd-limit.ts';
import { classesOf } from '../../../../src/model/contact.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { createNetwork, miner, type Station, stranger, type Who } from './network.ts';

function setUp(written: string[], stations: Record<string, Station>, plan: Partial<ScanPlan> = {}) {
  const clock = createVirtualClock();
  const network = createNetwork(clock, new Map(Object.entries(stations)));
  const contacts: (Contact<Who> & { atMs: number })[] = [];
  const shown: ScanProgress[] = [];
  const abort = new AbortController();
  const startMs = clock.monotonicMs();
  const listener = {
    onContact: (contact: Contact<Who>) => contacts.push({ ...contact, atMs: clock.monotonicMs() - startMs }),
    onProgress: (progress: ScanProgress) => shown.push(progress),
  };
  const run = (deps = network.deps) =>
    runScan({ ranges: readRanges(written, []), ...plan }, deps, listener, abort.signal);
  const statuses = () => Object.fromEntries(contacts.map(({ ip, status }) => [ip, status]));
  return { ...network, clock, contacts, shown, abort, run, statuses, startMs };
}

/** Most probes in any window of a second. */
function mostInASecond(probes: readonly { readonly atMs: number }[]): number {
  let from = 0;
  return probes.reduce((most, { atMs }, i) => {
    while (atMs - (probes[from]?.atMs ?? atMs) >= 1_000) from++;
    return Math.max(most, i - from + 1);
  }, 0);
}

const minerAt = (name: string): Station => ({
  ports: { 4028: 'open', 80: 'open', 4433: 'refused' },
  who: [miner(name)],
});

test('what only looks like a miner is told apart, and the classes still add up without that', async () => {
  const likely = (id: string): Who => ({ status: 'likely', name: 'x', target: { driver: { id } } });
  const at = (id: string): Station => ({ ports: { 80: 'open' }, who: [likely(id), likely(id)] });
  const { clock, run, statuses } = setUp(['10.0.0.1-6'], {
    '10.0.0.1': minerAt('a'),
    '10.0.0.2': at('iceriver'),
    '10.0.0.3': at('iceriver'),
    '10.0.0.4': at('avalon'),
    '10.0.0.5': { ports: { 80: 'open' }, who: [stranger, stranger] },
  });
  const account = await clock.finish(run());
  expect(statuses()).toMatchObject({ '10.0.0.2': 'likely', '10.0.0.5': 'unknown' });
  expect(account).toMatchObject({ addresses: 6, counts: { identified: 1, unknown: 4, silent: 1 }, notReached: 0 });
  expect(account.likely).toEqual({ avalon: 1, iceriver: 2 });
  expect(Object.values(account.counts).reduce((sum, count) => sum + count, 0)).toBe(6);
  expect(Object.fromEntries(classesOf(account).map(({ status, count }) => [status, count]))).toMatchObject({
    ...{ identified: 1, likely: 3, unknown: 1, silent: 1 },
  });
});

test('each address gets the class that its answers prove', async () => {
  const { clock, run, statuses } = setUp(
    ['10.0.0.1-10'],
    {
      '10.0.0.1': minerAt('a'),
      '10.0.0.2': { ports: { 80: 'open' }, who: [stranger] },
      '10.0.0.3': { ports: { 80: 'open' }, who: [{ status: 'login_refused', name: 'locked' }] },
      '10.0.0.4': { ports: { 80: 'refused', 4028: 'refused', 4433: 'refused' } },
      '10.0.0.5': { ports: { 80: 'unreachable', 4028: 'unreachable', 4433: 'unreachable' } },
    },
    { known: ['10.0.0.9', '10.0.0.4', '10.77.0.1'] },
  );
  const account = await clock.finish(run());
  expect(statuses()).toEqual({
    '10.0.0.1': 'identified',
    '10.0.0.2': 'unknown',
    '10.0.0.3': 'login_refused',
    '10.0.0.4': 'closed',
    '10.0.0.9': 'missing',
  });
  expect(account).toMatchObject({
    addresses: 10,
    excluded: 0,
    notReached: 0,
    isCancelled: false,
    counts: { identified: 1, unknown: 1, login_refused: 1, closed: 1, silent: 5, missing: 1 },
  });
});

test('all ports of an address are asked at the same time and identification hears which are open', async () => {
  const { clock, run, seen, startMs } = setUp(['10.0.0.1'], { '10.0.0.1': minerAt('a') });
  await clock.finish(run());
  expect(seen.probes.map(({ port, atMs }) => [port, atMs - startMs])).toEqual([
    [80, 0],
    [4028, 0],
    [4433, 0],
  ]);
  expect(seen.identifications.map(({ open }) => open.toSorted())).toEqual([[4028, 80]]);
});

test('an identified miner is reported at once, while the rest of the range is still being probed', async () => {
  const { clock, run, contacts } = setUp(
    ['10.0.0.0/22'],
    { '10.0.2.9': minerAt('a') },
    { known: ['10.0.2.9'], limits: { maxSockets: 30 } },
  );
  const account = await clock.finish(run());
  expect(contacts[0]).toMatchObject({ ip: '10.0.2.9', status: 'identified' });
  expect(contacts[0]?.atMs).toBeLessThan(100);
  expect(account.elapsedMs).toBeGreaterThan(100_000);
});

test('what answered but was not identified gets a second chance, and only the final answer is reported', async () => {
  const { clock, run, contacts, seen } = setUp(['10.0.0.0/28'], {
    '10.0.0.1': { ports: { 4028: 'open' }, who: [stranger, miner('slow to wake')] },
    '10.0.0.2': { ports: { 4028: 'open' }, who: ['throws', miner('shaky')] },
    '10.0.0.3': { ports: { 80: 'open', 4028: ['silent', 'open'] }, who: [stranger, miner('lost packet')] },
    '10.0.0.4': { ports: { 80: 'refused', 4028: ['silent', 'open'] }, who: [miner('found late')] },
    '10.0.0.5': { ports: { 80: 'open' }, who: [stranger] },
  });
  const account = await clock.finish(run());
  expect(contacts.map(({ ip, status, found }) => [ip, status, found?.name]).toSorted()).toEqual([
    ['10.0.0.1', 'identified', 'slow to wake'],
    ['10.0.0.2', 'identified', 'shaky'],
    ['10.0.0.3', 'identified', 'lost packet'],
    ['10.0.0.4', 'identified', 'found late'],
    ['10.0.0.5', 'unknown', 'printer'],
  ]);
  expect(account.counts).toMatchObject({ identified: 4, unknown: 1, silent: 9 });
  expect(seen.identifications.findLast(({ ip }) => ip === '10.0.0.3')?.open.toSorted()).toEqual([4028, 80]);
  const tries = seen.identifications.filter(({ ip }) => ip === '10.0.0.1');
  expect(tries.map(({ isLastTry }) => isLastTry)).toEqual([false, true]);
  expect(seen.probes.filter(({ ip }) => ip === '10.0.0.9')).toHaveLength(3);
});

test('a known miner that is silent is asked again before it is called missing', async () => {
  const { clock, run, statuses } = setUp(
    ['10.0.0.1-20'],
    { '10.0.0.7': { ports: { 4028: ['silent', 'open'] }, who: [miner('back')] } },
    { known: ['10.0.0.7', '10.0.0.8'] },
  );
  await clock.finish(run());
  expect(statuses()).toEqual({ '10.0.0.7': 'identified', '10.0.0.8': 'missing' });
});

test('a refused login is not tried twice, and an unknown host with closed ports is not asked twice', async () => {
  const { clock, run, seen } = setUp(['10.0.0.1-2'], {
    '10.0.0.1': { ports: { 80: 'open' }, who: [{ status: 'login_refused', name: 'locked' }] },
    '10.0.0.2': { ports: { 80: 'refused', 4028: 'refused', 4433: 'refused' } },
  });
  await clock.finish(run());
  expect(seen.identifications).toHaveLength(1);
  // The usual ports, and the rare one because the host is up.
  expect(seen.probes.filter(({ ip }) => ip === '10.0.0.2').map(({ port }) => port)).toEqual([80, 4028, 4433, 8359]);
});

test('an identification that hangs costs its deadline and its place, and nothing else', async () => {
  const stations: Record<string, Station> = {};
  for (let i = 1; i <= 40; i++)
    stations[`10.0.0.${i}`] = i <= 20 ? { ...minerAt('hung'), who: ['hangs'] } : minerAt(`m${i}`);
  const { clock, run, contacts, seen } = setUp(['10.0.0.1-40'], stations, {
    limits: { maxIdentifying: 30, identifyDeadlineMs: 3_000 },
  });
  const account = await clock.finish(run());
  expect(account.counts).toMatchObject({ identified: 20, unknown: 20 });
  expect(Math.max(...contacts.filter(({ status }) => status === 'identified').map(({ atMs }) => atMs))).toBeLessThan(
    1_000,
  );
  expect(seen.identifications).toHaveLength(60);
  expect(account.elapsedMs).toBeLessThan(20_000);
});

test('probes and identifications in flight stay within their own limits, and identification starts while probing goes on', async () => {
  const stations: Record<string, Station> = {};
  for (let i = 1; i < 255; i++) stations[`10.0.0.${i}`] = { ...minerAt(`m${i}`), answerMs: 100, identifyMs: 1_000 };
  const { clock, run, seen } = setUp(['10.0.0.0/24'], stations, { limits: { maxSockets: 60, maxIdentifying: 9 } });
  const account = await clock.finish(run());
  expect(account.counts.identified).toBe(254);
  expect(seen.mostProbing).toBe(60);
  expect(seen.mostIdentifying).toBe(9);
  expect(seen.identifications[0]?.atMs).toBeLessThan(seen.probes.at(-1)?.atMs ?? 0);
});

test('the rate holds in every window of a second', async () => {
  const { clock, run, seen } = setUp(['10.0.0.0/24'], {}, { limits: { maxPerSecond: 100 } });
  await clock.finish(run());
  expect(seen.probes).toHaveLength(254 * 3);
  expect(mostInASecond(seen.probes)).toBeLessThanOrEqual(100);
});

test('it holds where every host shuts its ports and is asked for a rare one, too', async () => {
  const stations: Record<string, Station> = {};
  const shut = { 80: 'refused', 4028: 'refused', 4433: 'refused', 8359: 'refused' } as const;
  for (let i = 1; i < 255; i++) stations[`10.0.0.${i}`] = { ports: shut };
  const { clock, run, seen } = setUp(['10.0.0.0/24'], stations, { limits: { maxPerSecond: 100 } });
  const account = await clock.finish(run());
  expect(seen.probes).toHaveLength(254 * 4);
  expect(mostInASecond(seen.probes)).toBeLessThanOrEqual(100);
  // Nor is it much slower than it may be.
  expect(account.elapsedMs).toBeLessThan((254 * 4 * 1_000) / 90);
});

test('cancel keeps what was found and counts the rest as not reached', async () => {
  const stations: Record<string, Station> = {};
  for (let i = 1; i < 255; i++) stations[`10.0.0.${i}`] = minerAt(`m${i}`);
  const { clock, run, contacts, abort, seen } = setUp(['10.0.0.0/24', '10.1.0.0/16'], stations, {
    limits: { maxSockets: 300 },
  });
  clock.after(5_000, () => abort.abort());
  const account = await clock.finish(run(), 5_000 + 3_000);
  expect(account.isCancelled).toBe(true);
  expect(account.counts.identified).toBeGreaterThan(100);
  expect(contacts).toHaveLength(account.counts.identified);
  const counted = Object.values(account.counts).reduce((sum, count) => sum + count, 0);
  expect(counted + account.excluded + account.notReached).toBe(account.addresses);
  expect(account.notReached).toBeGreaterThan(50_000);
  const probesAtCancel = seen.probes.length;
  await clock.advance(60_000);
  expect(seen.probes).toHaveLength(probesAtCancel);
});

test('a cancelled scan ends within its grace even when an identification ignores the signal', async () => {
  const { clock, run, abort } = setUp(['10.0.0.1'], { '10.0.0.1': { ...minerAt('hung'), who: ['hangs'] } });
  clock.after(1_000, () => abort.abort());
  await expect(clock.finish(run(), 3_100)).resolves.toMatchObject({ isCancelled: true, notReached: 1 });
});

test('an address that could not be asked is not called silent: it is asked again, then said to be not reached', async () => {
  const { clock, run, statuses } = setUp(['10.0.0.1-4'], {
    '10.0.0.1': {
      ports: { 80: ['error', 'silent'], 4028: ['error', 'open'], 4433: 'silent' },
      who: [miner('after all')],
    },
    '10.0.0.2': { ports: { 80: ['error'], 4028: ['error'], 4433: ['error'] } },
  });
  const account = await clock.finish(run());
  expect(statuses()).toEqual({ '10.0.0.1': 'identified' });
  expect(account).toMatchObject({ notReached: 1, counts: { silent: 2, identified: 1 } });
  expect(account.notes?.[0]).toMatch(/^1 addresses could not be asked/);
});

test('where hosts answer slowly a probe waits longer, and a known miner that was missed gets twice the time', async () => {
  const stations: Record<string, Station> = {};
  for (let i = 1; i <= 60; i++) stations[`10.0.0.${i}`] = { ...minerAt(`m${i}`), answerMs: 400 + (i % 3) * 350 };
  // The slowest of all, met when the others are known.
  stations['10.0.0.77'] = { ...minerAt('far away'), answerMs: 1_500 };
  const slow = setUp(['10.0.0.1-100'], stations, { limits: { maxSockets: 30 } });
  const { counts } = await slow.clock.finish(slow.run());
  expect(counts.identified).toBe(61);

  const known = setUp(
    ['10.0.0.77'],
    { '10.0.0.77': { ...minerAt('far away'), answerMs: 2_000 } },
    { known: ['10.0.0.77'] },
  );
  expect((await known.clock.finish(known.run())).counts).toMatchObject({ identified: 1, missing: 0 });

  // Fast hosts do not make it shorter: a silent address is asked once.
  const near = setUp(['10.0.0.1-3'], { '10.0.0.1': { ...minerAt('a'), answerMs: 1 } });
  const { elapsedMs } = await near.clock.finish(near.run());
  expect(elapsedMs).toBeGreaterThanOrEqual(1_200);
});

test('progress only grows, and its last word is the account', async () => {
  const { clock, run, shown } = setUp(
    ['10.0.0.0/24'],
    { '10.0.0.9': minerAt('a'), '10.0.0.10': { ports: { 80: 'open' }, who: [stranger] } },
    { limits: { maxSockets: 30 } },
  );
  await clock.finish(run());
  expect(shown.length).toBeGreaterThan(10);
  for (const [i, progress] of shown.entries()) {
    const before = shown[i - 1];
    if (before === undefined) continue;
    expect(progress.probed).toBeGreaterThanOrEqual(before.probed);
    expect(progress.answering).toBeGreaterThanOrEqual(before.answering);
    expect(progress.elapsedMs - before.elapsedMs).toBeLessThanOrEqual(250);
  }
  expect(shown.at(-1)).toMatchObject({
    phase: 'done',
    probed: 254,
    toProbe: 254,
    identified: 1,
    answering: 2,
    identifying: 0,
  });
});

test('a held scan starts nothing until it is released, and then goes on where it was', async () => {
  const pause = createPause();
  const { clock, run, deps, seen } = setUp(
    ['10.0.0.0/24'],
    { '10.0.0.200': minerAt('a') },
    { limits: { maxSockets: 30 } },
  );
  const scan = run({ ...deps, pause });
  await clock.advance(2_000);
  pause.pause();
  await clock.advance(1_300);
  const before = seen.probes.length;
  await clock.advance(600_000);
  expect(seen.probes).toHaveLength(before);
  pause.resume();
  const account = await clock.finish(scan);
  expect(account.counts).toMatchObject({ identified: 1, silent: 253 });
  expect(seen.probes).toHaveLength(254 * 3);
});

test('a listener that throws ends the scan with its error, and nothing is reported after that', async () => {
  const { clock, deps } = setUp([], { '10.0.0.1': minerAt('a'), '10.0.0.2': minerAt('b') });
  let calls = 0;
  const fail = () => {
    throw new TypeError('broken listener');
  };
  const plan = { ranges: readRanges(['10.0.0.0/24'], []) };
  const onContact = () => {
    calls++;
    fail();
  };
  const scan = runScan(plan, deps, { onContact }, new AbortController().signal);
  await expect(clock.finish(scan)).rejects.toThrow('broken listener');
  await clock.advance(60_000);
  expect(calls).toBe(1);
  const onProgress = runScan(plan, deps, { onProgress: fail }, new AbortController().signal);
  await expect(clock.finish(onProgress)).rejects.toThrow('broken listener');
});

test('sockets are kept within half of what the process may open, less a reserve', () => {
  expect([64, 128, 256, 1_024, 4_096].map(socketsWithin)).toEqual([6, 38, 64, 64, 1_536]);
  expect([64, 1_024, 65_536].map((files) => connectionsWithin(10_000, files))).toEqual([6, 486, 10_000]);
});

test('a known miner that does not answer its polls gets one short try, and its row comes within ten seconds', async () => {
  const hung: Station = { ports: { 4028: 'open', 80: 'open' }, who: ['hangs'] };
  const { clock, run, contacts, seen } = setUp(
    ['10.0.0.1-4'],
    { '10.0.0.1': hung, '10.0.0.2': hung },
    { known: ['10.0.0.1', '10.0.0.2'], mute: new Set(['10.0.0.1']) },
  );
  await clock.finish(run());
  expect(seen.identifications.filter(({ ip }) => ip === '10.0.0.1')).toHaveLength(1);
  expect(seen.identifications.filter(({ ip }) => ip === '10.0.0.2')).toHaveLength(2);
  const first = contacts.find(({ ip }) => ip === '10.0.0.1');
  expect(first?.status).toBe('unknown');
  expect(first?.atMs).toBeLessThan(10_000);
});

// What others may do to the poller while it works: add, move, remove, ask now, stop. Never two visits of one miner,
// never a result of the past.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFarm, type Manner, minersOf } from './farm.ts';

const MINUTE = 60_000;

test('a miner that is asked for now is next, ahead of those that are due', async () => {
  const { clock, poller, visits } = createFarm();
  for (const miner of minersOf(600)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  const from = visits.length;
  expect(poller.pollNow('m77')).toBe(true);
  expect(poller.pollNow('nobody')).toBe(false);
  await clock.advance(50);
  expect(visits.slice(from, from + 2).map(({ key }) => key)).toContain('m77');
});

test('a miner that is asked for during its visit is visited again right after it', async () => {
  const { clock, poller, visits } = createFarm({}, { tookMs: 1_000 });
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  while (visits.length === 0) await clock.advance(50);
  poller.pollNow('m0');
  await clock.advance(3_000);
  expect(visits).toHaveLength(2);
  const pauseMs = (visits[1]?.atMs ?? 0) - (visits[0]?.endMs ?? 0);
  expect(pauseMs).toBeGreaterThanOrEqual(0);
  expect(pauseMs).toBeLessThan(50);
});

test('a miner in its back-off is polled at once when asked for', async () => {
  const { clock, poller, manners, resultsOf } = createFarm();
  manners.set('m0', 'refused');
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(12 * MINUTE);
  manners.set('m0', 'ok');
  poller.pollNow('m0');
  await clock.advance(500);
  expect(resultsOf('m0').at(-1)?.result.kind).toBe('ok');
});

test('a silent miner that is asked for soon is polled within an interval, and its pauses stay as long', async () => {
  const { clock, poller, manners, timesOf } = createFarm();
  manners.set('m0', 'refused');
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  const endOfPoll = async () => {
    const before = timesOf('m0').length;
    while (timesOf('m0').length === before) await clock.advance(1_000);
  };
  await clock.advance(20 * MINUTE);
  await endOfPoll();
  const polls = timesOf('m0').length;
  await clock.advance(2_000);
  poller.pollSoon('m0');
  poller.pollSoon('m0');
  await clock.advance(MINUTE);
  expect(timesOf('m0')).toHaveLength(polls + 1);
  await clock.advance(3 * MINUTE);
  expect(timesOf('m0')).toHaveLength(polls + 1);
});

test('asked for soon, a miner that answers keeps its rhythm, and one that breaks visits its pause', async () => {
  const { clock, poller, manners, timesOf } = createFarm();
  manners.set('m1', 'poison');
  for (const miner of minersOf(2)) poller.add(miner);
  poller.start();
  await clock.advance(20 * MINUTE);
  const before = [timesOf('m0').length, timesOf('m1').length];
  for (let i = 0; i < 10; i++) {
    for (const key of ['m0', 'm1', 'unknown']) poller.pollSoon(key);
    await clock.advance(MINUTE);
  }
  expect(timesOf('m0').length - (before[0] ?? 0)).toBe(10);
  expect(timesOf('m1').length - (before[1] ?? 0)).toBe(2);
});

test('after a move the answer of the old address is dropped and the new one is asked at once', async () => {
  for (const manner of ['ok', 'headstrong'] as const) {
    const { clock, poller, manners, results, visits } = createFarm({}, { tookMs: 200 });
    manners.set('m0', manner);
    for (const miner of minersOf(1)) poller.add(miner);
    poller.start();
    while (visits.length === 0) await clock.advance(50);
    poller.add({ key: 'm0', ip: '10.0.0.77' });
    await clock.advance(3_000);
    expect(results).toMatchObject([{ ip: '10.0.0.77', result: { kind: 'ok', outcome: 'm0 at 10.0.0.77' } }]);
  }
});

test('a removed miner is not visited and not reported any more', async () => {
  const { clock, poller, results, visits } = createFarm({}, { tookMs: 7_000 });
  for (const miner of minersOf(2)) poller.add(miner);
  poller.start();
  while (visits.length < 2) await clock.advance(50);
  poller.remove('m0');
  poller.remove('m0');
  await clock.advance(5 * MINUTE);
  expect(results.some(({ key }) => key === 'm0')).toBe(false);
  expect(visits.filter(({ key }) => key === 'm0')).toHaveLength(1);
  expect(poller.stats().targets).toBe(1);
});

test('those that stay keep their rhythm when they are added again', async () => {
  const { clock, poller, timesOf, visits } = createFarm();
  for (const miner of minersOf(10)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  for (let i = 0; i < 20; i++) {
    for (const key of i % 2 === 0 ? ['m0', 'm1', 'm10'] : []) poller.remove(key);
    for (const miner of minersOf(10 + (i % 2)).slice(2)) poller.add(miner);
    await clock.advance(10_000);
  }
  expect(timesOf('m5').length).toBeLessThanOrEqual(9);
  expect(visits.some(({ key, atMs }) => key === 'm0' && atMs > 3 * MINUTE + 100)).toBe(false);
});

test('stop ends what is in flight within a second, and nothing happens afterwards', async () => {
  const { clock, poller, manners, results, visits } = createFarm();
  for (const [i, { key }] of minersOf(200).entries()) if (i % 4 === 0) manners.set(key, i % 8 === 0 ? 'hung' : 'deaf');
  for (const miner of minersOf(200)) poller.add(miner);
  poller.start();
  await clock.advance(6_000);
  expect(poller.stats().inFlight).toBeGreaterThan(40);
  const reported = results.length;
  await clock.finish(poller.stop(), 1_000);
  const visited = visits.length;
  await clock.advance(10 * MINUTE);
  expect(results).toHaveLength(reported);
  expect(visits).toHaveLength(visited);
  expect(clock.pending()).toBe(0);
  await poller.stop();
  poller.start();
  await clock.advance(6_000);
  expect(results.length).toBeGreaterThan(reported);
});

test('property: whatever is done to it, a miner is never visited twice at the same time and results belong to its present address', async () => {
  const key = fc.integer({ min: 0, max: 5 }).map((n) => `m${n}`);
  const manner = fc.constantFrom<Manner>(
    'ok',
    'refused',
    'auth',
    'busy',
    'hung',
    'poison',
    'poison at once',
    'pre-empted',
  );
  const step = fc.oneof(
    fc.record({ kind: fc.constant('add' as const), key, host: fc.integer({ min: 1, max: 3 }) }),
    fc.record({ kind: fc.constant('remove' as const), key }),
    fc.record({ kind: fc.constant('pollNow' as const), key }),
    fc.record({ kind: fc.constant('manner' as const), key, manner }),
    fc.record({
      kind: fc.constant('wait' as const),
      ms: fc.oneof(fc.integer({ min: 0, max: 900 }), fc.integer({ min: 0, max: 40_000 })),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 60, size: 'max' }), async (steps) => {
      const { clock, poller, manners, seen, results } = createFarm(
        { intervalMs: 15_000, maxInFlight: 3, maxSlow: 3, visitDeadlineMs: 5_000 },
        { tookMs: 700 },
      );
      const where = new Map<string, string>();
      poller.start();
      for (const next of steps) {
        const reported = results.length;
        if (next.kind === 'add') {
          where.set(next.key, `10.0.0.${next.host}`);
          poller.add({ key: next.key, ip: `10.0.0.${next.host}` });
        } else if (next.kind === 'remove') {
          where.delete(next.key);
          poller.remove(next.key);
        } else if (next.kind === 'pollNow') expect(poller.pollNow(next.key)).toBe(where.has(next.key));
        else if (next.kind === 'manner') manners.set(next.key, next.manner);
        else await clock.advance(next.ms);
        for (const result of results.slice(reported)) expect(where.get(result.key)).toBe(result.ip);
        expect(seen.mostOfOne).toBeLessThanOrEqual(1);
        expect(seen.most).toBeLessThanOrEqual(6);
      }
      for (const one of where.keys()) manners.set(one, 'ok');
      await clock.advance(8 * MINUTE);
      for (const [one, ip] of where) expect(results.findLast((result) => result.key === one)?.ip).toBe(ip);
      expect(poller.stats()).toMatchObject({ targets: where.size, failing: 0 });
      await clock.finish(poller.stop());
      expect(clock.pending()).toBe(0);
    }),
    { numRuns: 120 },
  );
});

// What one miner does stays with that miner: silence, slowness, refusal, poison.
import { expect, test } from 'vitest';
import { createFarm, densest, gapsOf, minersOf } from './farm.ts';

const MINUTE = 60_000;

// It computes for seconds on an idle machine.
test('half the farm hangs and the other half is polled as if nothing were', { timeout: 90_000 }, async () => {
  for (const intervalMs of [15_000, MINUTE]) {
    const healthy = minersOf(1_000).filter((_, i) => i % 2 === 0);
    const lateness = [];
    for (const isIll of [false, true]) {
      const { clock, poller, manners, timesOf, visits, seen } = createFarm({ intervalMs });
      for (const [i, { key }] of minersOf(1_000).entries()) {
        if (isIll && i % 2 === 1) manners.set(key, 'hung');
      }
      for (const miner of minersOf(1_000)) poller.add(miner);
      poller.start();
      await clock.advance(10 * MINUTE);
      const gaps = healthy.flatMap(({ key }) => gapsOf(timesOf(key).slice(1))).toSorted((a, b) => a - b);
      expect(Math.max(...healthy.map(({ key }) => timesOf(key)[0] ?? Infinity))).toBeLessThan(8_000);
      lateness.push(gaps[Math.floor(gaps.length * 0.99)] ?? Infinity);
      const longest = Math.max(...visits.map(({ atMs, endMs }) => (endMs === undefined ? 0 : endMs - atMs)));
      expect(longest).toBeLessThanOrEqual(15_250);
      expect(seen.most).toBeLessThanOrEqual(256 + 768);
      expect(
        densest(
          visits.map(({ atMs }) => atMs),
          1_000,
        ),
      ).toBeLessThanOrEqual(260);
    }
    const [calm = 0, ill = Infinity] = lateness;
    expect(ill).toBeLessThanOrEqual(calm * 1.1);
  }
});

test('a single lost poll is repeated soon and is not reported', async () => {
  const { clock, poller, manners, timesOf, resultsOf } = createFarm();
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  const before = timesOf('m0').length;
  manners.set('m0', 'refused');
  while (timesOf('m0').length === before) await clock.advance(100);
  await clock.advance(500);
  manners.set('m0', 'ok');
  await clock.advance(3_000);
  const [lost, again] = timesOf('m0').slice(before);
  expect((again ?? 0) - (lost ?? 0)).toBeGreaterThan(1_900);
  expect((again ?? 0) - (lost ?? 0)).toBeLessThan(3_000);
  expect(resultsOf('m0').every(({ result }) => result.kind === 'ok')).toBe(true);
  expect(poller.stats()).toMatchObject({ retried: 1, failed: 0, failing: 0 });
});

test('a miner that stays away is polled after 1, 2, 4 and then 5 intervals, and normally again once it answers', async () => {
  const { clock, poller, manners, timesOf, resultsOf } = createFarm();
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(2 * MINUTE);
  manners.set('m0', 'refused');
  const from = timesOf('m0').length;
  await clock.advance(30 * MINUTE);
  const [lost, confirmed, ...later] = timesOf('m0').slice(from);
  expect((confirmed ?? 0) - (lost ?? 0)).toBeLessThan(3_000);
  const gaps = gapsOf([lost ?? 0, ...later]).map((gap) => Math.round(gap / MINUTE));
  expect(gaps).toEqual([1, 2, 4, 5, 5, 5, 5]);
  const failures = resultsOf('m0').flatMap(({ result }) => (result.kind === 'failed' ? [result.consecutive] : []));
  expect(failures).toEqual([1, 2, 3, 4, 5, 6, 7, 8]);
  manners.set('m0', 'ok');
  await clock.advance(10 * MINUTE);
  expect(poller.stats().failing).toBe(0);
  expect(gapsOf(timesOf('m0').slice(-4)).map((gap) => Math.round(gap / MINUTE))).toEqual([1, 1, 1]);
});

test('an error that says never is not tried twice; a busy miner is given more time', async () => {
  const { clock, poller, manners, timesOf, resultsOf } = createFarm();
  manners.set('m0', 'auth');
  manners.set('m1', 'busy');
  for (const miner of minersOf(2)) poller.add(miner);
  poller.start();
  await clock.advance(25_000);
  expect(timesOf('m0')).toHaveLength(1);
  expect(resultsOf('m0')).toMatchObject([{ result: { kind: 'failed', consecutive: 1, error: { code: 'peer.auth' } } }]);
  const [first, again] = timesOf('m1');
  expect((again ?? 0) - (first ?? 0)).toBeGreaterThan(9_000);
});

test('poison stays with its miner, whose pauses grow, and the log does not fill up', async () => {
  for (const poison of ['poison', 'poison at once'] as const) {
    const { clock, poller, manners, timesOf, resultsOf, logged } = createFarm();
    manners.set('m3', poison);
    for (const miner of minersOf(50)) poller.add(miner);
    poller.start();
    await clock.advance(60 * MINUTE);
    for (const { key } of minersOf(50)) {
      if (key !== 'm3') expect(timesOf(key).length).toBeGreaterThanOrEqual(59);
    }
    const gaps = gapsOf(resultsOf('m3').map(({ atMs }) => atMs)).map((gap) => Math.round(gap / MINUTE));
    expect(gaps.slice(1, 4)).toEqual([4, 5, 5]);
    expect(gaps[0]).toBeLessThanOrEqual(3);
    expect(resultsOf('m3')[0]?.result).toMatchObject({ kind: 'failed', consecutive: 1 });
    expect(logged.length).toBeLessThanOrEqual(4);
    expect(logged.length).toBeGreaterThan(0);
  }
});

test('a visit that hangs is ended at its deadline and reported as a timeout', async () => {
  const { clock, poller, manners, visits, resultsOf } = createFarm({ visitDeadlineMs: 4_000 });
  manners.set('m0', 'hung');
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(20_000);
  expect(visits.map(({ atMs, endMs }) => Math.round((endMs ?? 0) - atMs))).toEqual([4_000, 4_000]);
  expect(resultsOf('m0')).toMatchObject([{ result: { error: { code: 'peer.timeout' } } }]);
  expect(poller.stats()).toMatchObject({ timeouts: 2, failed: 1, inFlight: 0 });
});

test('a visit that does not end when told to is a defect: reported, and left alone for long', async () => {
  const { clock, poller, manners, timesOf, resultsOf, logged } = createFarm();
  manners.set('m0', 'deaf');
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(20_000);
  expect(timesOf('m0')).toHaveLength(1);
  expect(resultsOf('m0')).toMatchObject([{ result: { kind: 'failed', error: { code: 'peer.timeout' } } }]);
  expect(logged).toEqual(['a visit goes on after it was told to stop']);
  expect(poller.stats().inFlight).toBe(0);
});

test('a visit that something more urgent pushed aside counts as nothing', async () => {
  const { clock, poller, manners, timesOf, resultsOf } = createFarm();
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(2 * MINUTE);
  const reported = resultsOf('m0').length;
  manners.set('m0', 'pre-empted');
  await clock.advance(5 * MINUTE);
  expect(resultsOf('m0')).toHaveLength(reported);
  expect(gapsOf(timesOf('m0').slice(-4)).map((gap) => Math.round(gap / MINUTE))).toEqual([1, 1, 1]);
  expect(poller.stats().skipped).toBeGreaterThanOrEqual(4);
});

test('a receiver that throws loses that result and nothing else', async () => {
  const { clock, poller, results, logged } = createFarm(
    {},
    {
      onResult: (key) => {
        if (key === 'm1') throw new TypeError('broken receiver');
      },
    },
  );
  for (const miner of minersOf(3)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  for (const { key } of minersOf(3))
    expect(results.filter((result) => result.key === key).length).toBeGreaterThanOrEqual(3);
  expect(logged.every((message) => message === 'the result of a poll was not taken in')).toBe(true);
});

// Every miner once per interval, evenly spread, from the first second on.
import { expect, test } from 'vitest';
import { createFarm, densest, gapsOf, minersOf } from './farm.ts';

const MINUTE = 60_000;

test('every miner is seen within seconds of the start and then once per interval', async () => {
  const { clock, poller, timesOf } = createFarm();
  for (const miner of minersOf(300)) poller.add(miner);
  poller.start();
  await clock.advance(10 * MINUTE);
  for (const { key } of minersOf(300)) {
    const [first, second, ...rest] = timesOf(key);
    expect(first).toBeLessThan(5_500);
    expect((second ?? 0) - (first ?? 0)).toBeGreaterThan(MINUTE / 2);
    expect((second ?? 0) - (first ?? 0)).toBeLessThan(MINUTE * 1.7);
    for (const gap of gapsOf([second ?? 0, ...rest])) {
      expect(gap).toBeGreaterThan(MINUTE * 0.85);
      expect(gap).toBeLessThan(MINUTE * 1.15);
    }
  }
});

test('no second of the steady state carries much more than its share, and the start is no burst', async () => {
  const { clock, poller, visits, seen } = createFarm();
  for (const miner of minersOf(1_200)) poller.add(miner);
  poller.start();
  await clock.advance(10 * MINUTE);
  const times = visits.map(({ atMs }) => atMs);
  const steady = times.filter((atMs) => atMs > 2 * MINUTE);
  expect(densest(steady, 1_000)).toBeLessThanOrEqual(2 * (1_200 / 60));
  expect(densest(times, 1_000)).toBeLessThanOrEqual((1_200 / 5) * 1.3);
  expect(densest(times, 50)).toBeLessThanOrEqual(25);
  expect(seen.most).toBeLessThan(60);
});

test('miners that are found later do not disturb the others and are seen at once', async () => {
  const { clock, poller, timesOf, visits } = createFarm();
  for (const miner of minersOf(600)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  const late = minersOf(900).slice(600);
  for (const target of late) poller.add(target);
  await clock.advance(5 * MINUTE);
  for (const { key } of late) expect(timesOf(key)[0]).toBeLessThan(3 * MINUTE + 6_000);
  expect(
    densest(
      visits.flatMap(({ atMs }) => (atMs > 5 * MINUTE ? [atMs] : [])),
      1_000,
    ),
  ).toBeLessThanOrEqual(30);
  for (const gap of gapsOf(timesOf('m5').slice(1))) expect(Math.abs(gap - MINUTE)).toBeLessThan(MINUTE * 0.15);
});

// It computes for seconds on an idle machine.
test('25,000 miners are each polled once per interval within the bound on what is in flight', {
  timeout: 90_000,
}, async () => {
  const { clock, poller, visits, seen } = createFarm({ maxInFlight: 256 });
  for (const miner of minersOf(25_000)) poller.add(miner);
  poller.start();
  await clock.advance(2 * MINUTE);
  const first = new Set(visits.flatMap(({ key, atMs }) => (atMs <= MINUTE ? [key] : [])));
  expect(first.size).toBe(25_000);
  const second = visits.filter(({ atMs }) => atMs > MINUTE);
  expect(second.length).toBeGreaterThan(22_000);
  expect(second.length).toBeLessThan(28_000);
  expect(
    densest(
      visits.map(({ atMs }) => atMs),
      1_000,
    ),
  ).toBeLessThanOrEqual((25_000 / 50) * 1.3);
  expect(seen.most).toBeLessThanOrEqual(256);
  expect(poller.stats().worstLateMs).toBeLessThan(6_000);
});

test('a step of the wall clock changes nothing', async () => {
  const { clock, poller, timesOf } = createFarm();
  for (const miner of minersOf(1)) poller.add(miner);
  poller.start();
  await clock.advance(2 * MINUTE);
  clock.stepWall(-86_400_000);
  await clock.advance(2 * MINUTE);
  clock.stepWall(2 * 86_400_000);
  await clock.advance(2 * MINUTE);
  for (const gap of gapsOf(timesOf('m0').slice(1))) expect(Math.abs(gap - MINUTE)).toBeLessThan(MINUTE * 0.15);
});

test('after a long sleep of the host each miner is polled once, at the usual pace', async () => {
  const jump = { ms: 0 };
  const { clock, poller, visits } = createFarm(
    {},
    { clock: (inner) => ({ ...inner, monotonicMs: () => inner.monotonicMs() + jump.ms }) },
  );
  for (const miner of minersOf(600)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  const from = visits.length;
  jump.ms = 8 * 3_600_000;
  await clock.advance(20_000);
  const after = visits.slice(from);
  const perMiner = new Map<string, number>();
  for (const { key } of after) perMiner.set(key, (perMiner.get(key) ?? 0) + 1);
  // A visit that was under way counts as this poll.
  expect(perMiner.size).toBeGreaterThanOrEqual(597);
  expect(Math.max(...perMiner.values())).toBe(1);
  expect(
    densest(
      after.map(({ atMs }) => atMs),
      1_000,
    ),
  ).toBeLessThanOrEqual((600 / 5) * 1.3);
});

// What an agent may have stored beside others, on a virtual clock: what it needs goes at once, what it saved too, and
// the rest has to wait.
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import { createIngestQuota, type Work } from '../../../../src/service/ingest/quota.ts';
import type { IngestStore } from '../../../../src/service/store/store.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

type Need = Awaited<ReturnType<IngestStore['needOf']>>;

const SLICE: Work = { frame: 'slice', records: 250, bytes: 250 * 1_500 };
const COST = SLICE.records + 20;

/** A service that takes no time, and agents that hand it one frame after the other. */
function startStore(needs: Readonly<Record<string, Partial<Need>>> = {}) {
  const clock = createVirtualClock();
  const taken = new Map<string, number>();
  const warnings: string[] = [];
  const quota = createIngestQuota({
    clock,
    log: { ...silentLog, warn: (_, message) => void warnings.push(message) },
    ingest: {
      needOf: async (id) => ({ miners: 1_500, pollIntervalMs: 60_000, lastStoredAtMs: null, ...needs[id] }),
    },
  });
  const hand = async (agentId: string, work = SLICE) => {
    await quota.wait(agentId);
    quota.charge(agentId, work);
    taken.set(agentId, (taken.get(agentId) ?? 0) + 1);
  };
  /** Hands over frame after frame for so long; how many were taken. */
  const flood = async (agentId: string, forMs: number, work = SLICE) => {
    const [before, untilMs] = [taken.get(agentId) ?? 0, clock.monotonicMs() + forMs];
    let isOver = false;
    const sending = (async () => {
      // A service that takes no time at all would never let go.
      for (; !isOver; await clock.sleep(1)) await hand(agentId, work);
    })();
    await clock.advance(untilMs - clock.monotonicMs());
    isOver = true;
    quota.stop();
    await clock.finish(sending);
    return (taken.get(agentId) ?? 0) - before;
  };
  /** Connects again and again for so long, every 100 ms; how often it is welcomed. */
  const reconnect = async (agentId: string, forMs: number) => {
    let welcomed = 0;
    for (const untilMs = clock.monotonicMs() + forMs; clock.monotonicMs() < untilMs; await clock.advance(100))
      if (quota.mayWelcome(agentId)) welcomed++;
    return welcomed;
  };
  return { clock, hand, flood, reconnect, warnings };
}

test('an agent that sends without end gets what its miners need and half as much again, beside others', async () => {
  const { clock, hand, flood, warnings } = startStore();
  const others = (async () => {
    for (let second = 0; second < 700; second++) {
      await hand('other', { ...SLICE, records: 25, bytes: 25 * 1_500 });
      await clock.sleep(1_000);
    }
  })();
  const slices = await flood('greedy', 600_000);
  const first = 30_000 / COST;
  const earned = (600 * 1.5 * (25 + 20)) / COST;
  expect(slices).toBeGreaterThan(first + earned * 0.95);
  expect(slices).toBeLessThan(first + earned + 5);
  expect(warnings).toHaveLength(1);
  await clock.finish(others);
});

test.each<[string, Work, number]>([
  ['frames of text', { frame: 'text', records: 0, bytes: 100 }, 1 + 100 / 4_096],
  ['a text of a megabyte', { frame: 'text', records: 0, bytes: 1024 * 1024 }, 1 + 256],
  ['records that fit no schema', { frame: 'slice', records: 500, bytes: 10_000 }, 520],
  ['few bytes that unpack to many', { frame: 'slice', records: 500, bytes: 7_500_000 }, 20 + 7_500_000 / 4_096],
  ['a body that cannot be read', { frame: 'slice', records: 0, bytes: 8 * 1024 * 1024 }, 20 + 2_048],
])('a flood of %s has to wait too', async (_name, work, cost) => {
  const { clock, hand, flood } = startStore();
  const others = (async () => {
    for (let second = 0; second < 120; second++) {
      await hand('other', { frame: 'slice', records: 25, bytes: 30_000 });
      await clock.sleep(1_000);
    }
  })();
  const frames = await flood('greedy', 100_000, work);
  const [first, earned] = [30_000 / cost, (100 * 1.5 * (25 + 20)) / cost];
  // A wait lasts 20 s at most.
  expect(frames).toBeLessThan(first + earned + 100_000 / 20_000 + 2);
  await clock.finish(others);
});

test('an agent that is alone never waits', async () => {
  const { flood, warnings } = startStore();
  expect(await flood('greedy', 10_000)).toBeGreaterThan(9_000);
  expect(warnings).toEqual([]);
});

test('an agent that sends what its miners need never waits, however many they are', async () => {
  const big = { miners: 25_000, pollIntervalMs: 15_000 };
  const { clock, hand } = startStore({ big });
  const startMs = clock.monotonicMs();
  let waitedMs = 0;
  for (let second = 0; second < 600; second++) {
    await hand('other', { ...SLICE, records: 1, bytes: 1_500 });
    for (let i = 0; i < 7; i++) {
      const atMs = clock.monotonicMs();
      await clock.finish(hand('big'));
      waitedMs += clock.monotonicMs() - atMs;
    }
    await clock.advance(1_000);
  }
  expect(clock.monotonicMs() - startMs).toBe(600_000);
  expect(waitedMs).toBe(0);
});

test('a backlog of six hours goes at full speed, whether the service was there meanwhile or not', async () => {
  const nowMs = createVirtualClock().nowMs();
  const { clock, hand } = startStore({ back: { lastStoredAtMs: nowMs - 6 * 3_600_000 } });
  await hand('other');
  const backlog = (6 * 3_600 * 25) / SLICE.records;
  const startMs = clock.monotonicMs();
  for (let i = 0; i < backlog; i++) await clock.finish(hand('back'));
  expect(clock.monotonicMs()).toBe(startMs);
});

test('an agent that connects in a loop is welcomed sixty times and then every five seconds; the others are not held up by it', async () => {
  const { clock, hand, reconnect } = startStore();
  await hand('other');
  expect(await reconnect('loop', 60_000)).toBe(60 + 12 - 1);
  expect(await reconnect('second', 1_000)).toBe(10);
  await clock.advance(30_000);
  expect(await reconnect('loop', 100)).toBe(1);
});

test('alone it may connect as often as it likes', async () => {
  const { reconnect } = startStore();
  expect(await reconnect('loop', 60_000)).toBe(600);
});

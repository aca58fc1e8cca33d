// What an agent may have stored beside others, on a virtual clock: what it needs goes at once, what it saved too, and the rest has to wait.
import { expect, test } from 'vitest';
import { silentLog } from '../../../src/base/log.ts';
import { createShares } from '../../../src/service/ingest/shares.ts';
import type { IngestStore } from '../../../src/service/store/store.ts';
import { createVirtualClock } from '../../virtual-clock.ts';
import { minerRecord } from '../service-http/records.ts';

type Need = Awaited<ReturnType<IngestStore['needOf']>>;

const RECORDS = Array.from({ length: 250 }, (_, n) => minerRecord(n, 0));
const COST = RECORDS.length + 20;

/** A store that takes no time, and agents that hand it one slice after the other. */
function startStore(needs: Readonly<Record<string, Partial<Need>>> = {}) {
  const clock = createVirtualClock();
  const stored = new Map<string, number>();
  const warnings: string[] = [];
  const shares = createShares({
    clock,
    log: { ...silentLog, warn: (_, message) => void warnings.push(message) },
    ingest: {
      cursor: async () => 0,
      needOf: async (id) => ({ miners: 1_500, pollIntervalMs: 60_000, lastStoredAtMs: null, ...needs[id] }),
      async storeSlice({ agentId }) {
        stored.set(agentId, (stored.get(agentId) ?? 0) + 1);
        return { kind: 'stored', strangerTasks: 0 };
      },
    },
  });
  const hand = (agentId: string, records = RECORDS) => {
    const nowMs = clock.nowMs();
    const slice = { agentId, farmId: 'f', epoch: 'e', seq: 1, producedAtMs: nowMs, records, rejected: 0, nowMs };
    return shares.ingest.storeSlice(slice);
  };
  /** Hands over slice after slice for so long; how many were stored. */
  const flood = async (agentId: string, forMs: number) => {
    const [before, untilMs] = [stored.get(agentId) ?? 0, clock.monotonicMs() + forMs];
    let isOver = false;
    const sending = (async () => {
      // A store that takes no time at all would never let go.
      for (; !isOver; await clock.sleep(1)) await hand(agentId);
    })();
    await clock.advance(untilMs - clock.monotonicMs());
    isOver = true;
    shares.stop();
    await clock.finish(sending);
    return (stored.get(agentId) ?? 0) - before;
  };
  return { clock, hand, flood, warnings };
}

test('an agent that sends without end gets what its miners need and half as much again, beside others', async () => {
  const { clock, hand, flood, warnings } = startStore();
  const others = (async () => {
    for (let second = 0; second < 700; second++) {
      await hand('other', RECORDS.slice(0, 25));
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
    await hand('other', RECORDS.slice(0, 1));
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
  const backlog = (6 * 3_600 * 25) / RECORDS.length;
  const startMs = clock.monotonicMs();
  for (let i = 0; i < backlog; i++) await clock.finish(hand('back'));
  expect(clock.monotonicMs()).toBe(startMs);
});

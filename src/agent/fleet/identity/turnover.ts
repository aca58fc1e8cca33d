// How often an address shows a miner that was never seen before. A device that invents one with each answer fills no register. In memory, bounded.
import type { Clock } from '../../../base/clock.ts';

export type Turnover = ReturnType<typeof createTurnover>;

const MAX_NEW = 3;
const WINDOW_MS = 3_600_000;
const MAX_ADDRESSES = 20_000;

export function createTurnover(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
  /** When new identities appeared at an address, by the monotonic clock. */
  const appeared = new Map<string, number[]>();
  /** Addresses that change who they are: since when, by the wall clock, and when last, by the monotonic one. */
  const restless = new Map<string, { readonly sinceMs: number; lastMs: number }>();

  const isRecent = (atMs: number) => clock.monotonicMs() - atMs < WINDOW_MS;
  const keepWithin = (map: Map<string, unknown>) => {
    const [oldest] = map.size > MAX_ADDRESSES ? map.keys() : [];
    if (oldest !== undefined) map.delete(oldest);
  };

  /** It tells another identity than it has, or one more than an address may. */
  const noteRestless = (ip: string) => {
    const before = restless.get(ip);
    const sinceMs = before !== undefined && isRecent(before.lastMs) ? before.sinceMs : clock.nowMs();
    restless.set(ip, { sinceMs, lastMs: clock.monotonicMs() });
    keepWithin(restless);
  };

  return {
    noteRestless,
    /** Whether another identity may appear at this address; it counts when it may. */
    mayAppear(ip: string): boolean {
      const recent = (appeared.get(ip) ?? []).filter(isRecent);
      if (recent.length >= MAX_NEW) {
        noteRestless(ip);
        return false;
      }
      appeared.delete(ip);
      appeared.set(ip, [...recent, clock.monotonicMs()]);
      keepWithin(appeared);
      return true;
    },
    isRestless: (ip: string): boolean => {
      const last = restless.get(ip)?.lastMs;
      return last !== undefined && isRecent(last);
    },
    restless: () =>
      [...restless].filter(([, { lastMs }]) => isRecent(lastMs)).map(([ip, { sinceMs }]) => ({ ip, sinceMs })),
  };
}

// How often an address shows a miner that was never seen before. A device that invents identities must not fill the
// registry. In memory, bounded.
import type { Clock } from '../../../base/clock.ts';

export type IdentityChurn = ReturnType<typeof createIdentityChurn>;

const MAX_NEW = 3;
const WINDOW_MS = 3_600_000;
const MAX_ADDRESSES = 20_000;

export function createIdentityChurn(clock: Pick<Clock, 'nowMs' | 'monotonicMs'>) {
  /** When new identities appeared at an address, by the monotonic clock. */
  const appeared = new Map<string, number[]>();
  /** Addresses that change their identity: since when, by the wall clock, and when last, by the monotonic clock. */
  const churning = new Map<string, { readonly sinceMs: number; lastMs: number }>();

  const isRecent = (atMs: number) => clock.monotonicMs() - atMs < WINDOW_MS;
  const keepWithin = (map: Map<string, unknown>) => {
    const [oldest] = map.size > MAX_ADDRESSES ? map.keys() : [];
    if (oldest !== undefined) map.delete(oldest);
  };

  /** The address reports another identity than it has, or one more than an address may show. */
  const note = (ip: string) => {
    const before = churning.get(ip);
    const sinceMs = before !== undefined && isRecent(before.lastMs) ? before.sinceMs : clock.nowMs();
    churning.set(ip, { sinceMs, lastMs: clock.monotonicMs() });
    keepWithin(churning);
  };

  return {
    note,
    /** Whether another identity may appear at this address; it counts when it may. */
    mayAppear(ip: string): boolean {
      const recent = (appeared.get(ip) ?? []).filter(isRecent);
      if (recent.length >= MAX_NEW) {
        note(ip);
        return false;
      }
      appeared.delete(ip);
      appeared.set(ip, [...recent, clock.monotonicMs()]);
      keepWithin(appeared);
      return true;
    },
    isChurning: (ip: string): boolean => {
      const last = churning.get(ip)?.lastMs;
      return last !== undefined && isRecent(last);
    },
    list: () =>
      [...churning].filter(([, { lastMs }]) => isRecent(lastMs)).map(([ip, { sinceMs }]) => ({ ip, sinceMs })),
  };
}

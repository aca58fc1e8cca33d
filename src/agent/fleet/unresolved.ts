// Addresses whose identity is not resolved yet. They are polled like miners; their answers are neither stored nor
// reported.
import type { MinerTarget } from '../device/device-client.ts';

type Unresolved = { readonly target: MinerTarget; failures: number };

export type UnresolvedAddresses = ReturnType<typeof createUnresolved>;

const MAX_ADDRESSES = 10_000;
/** Failed polls in a row after which an address is left to the next scan. */
const MAX_FAILURES = 3;

const keyOf = (ip: string) => `unresolved ${ip}`;

export function createUnresolved(schedule: { set(key: string, ip: string): void; drop(key: string): void }) {
  const byKey = new Map<string, Unresolved>();

  const release = (ip: string) => {
    if (byKey.delete(keyOf(ip))) schedule.drop(keyOf(ip));
  };

  return {
    /** Polls it until `release`. `target` must remember nothing of an earlier unit. */
    hold(target: MinerTarget) {
      const key = keyOf(target.ip);
      if (byKey.has(key) || byKey.size >= MAX_ADDRESSES) return;
      byKey.set(key, { target, failures: 0 });
      schedule.set(key, target.ip);
    },
    release,
    has: (ip: string) => byKey.has(keyOf(ip)),
    /** By the key in the poll schedule. */
    get: (key: string) => byKey.get(key)?.target,
    answered(key: string) {
      const unit = byKey.get(key);
      if (unit !== undefined) unit.failures = 0;
    },
    /** False when the key is none of these. */
    failed(key: string): boolean {
      const unit = byKey.get(key);
      if (unit === undefined) return false;
      if (++unit.failures >= MAX_FAILURES) release(unit.target.ip);
      return true;
    },
    /** The configured networks have changed. */
    confine(mayReach: (ip: string) => boolean) {
      for (const { target } of [...byKey.values()]) if (!mayReach(target.ip)) release(target.ip);
    },
  };
}

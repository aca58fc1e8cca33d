// Addresses of which it is not settled who answers there: polled like miners, and no miners yet. What they say is kept nowhere and reported nowhere.
import type { MinerTarget } from '../device/device-client.ts';

type Unsettled = { readonly target: MinerTarget; failures: number };

export type UnsettledAddresses = ReturnType<typeof createUnsettled>;

const MAX_ADDRESSES = 10_000;
/** Failed polls in a row after which an address is left to the next scan. */
const MAX_FAILURES = 3;

const keyOf = (ip: string) => `unsettled ${ip}`;

export function createUnsettled(schedule: { set(key: string, ip: string): void; drop(key: string): void }) {
  const byKey = new Map<string, Unsettled>();

  const release = (ip: string) => {
    if (byKey.delete(keyOf(ip))) schedule.drop(keyOf(ip));
  };

  return {
    /** It is polled until it is settled. `target` remembers nothing of an earlier unit. */
    hold(target: MinerTarget) {
      const key = keyOf(target.ip);
      if (byKey.has(key) || byKey.size >= MAX_ADDRESSES) return;
      byKey.set(key, { target, failures: 0 });
      schedule.set(key, target.ip);
    },
    release,
    has: (ip: string) => byKey.has(keyOf(ip)),
    /** By the key that the poller has. */
    get: (key: string) => byKey.get(key)?.target,
    answered(key: string) {
      const unit = byKey.get(key);
      if (unit !== undefined) unit.failures = 0;
    },
    /** False = it is none of these. */
    failed(key: string): boolean {
      const unit = byKey.get(key);
      if (unit === undefined) return false;
      if (++unit.failures >= MAX_FAILURES) release(unit.target.ip);
      return true;
    },
    /** The networks are others now. */
    confine(mayReach: (ip: string) => boolean) {
      for (const { target } of [...byKey.values()]) if (!mayReach(target.ip)) release(target.ip);
    },
  };
}

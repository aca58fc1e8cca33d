// Units whose identity is not resolved yet: how many looks at them there were, far enough apart, and how many in a row
// agree. In memory, bounded.
import type { Clock } from '../../../base/clock.ts';

type Waiting = {
  /** The miner that it may be. */
  key: string;
  /** What the newest look found. */
  verdict: string;
  lastMs: number;
  looks: number;
  /** Of them, the newest ones in a row with the same verdict. */
  inARow: number;
};

export type PendingIdentities = ReturnType<typeof createPendingIdentities>;

/** Polls come with jitter. */
const INTERVAL_SHARE = 0.9;
/** After so long without a look the count begins anew. */
const FORGET_INTERVALS = 5;
const MAX_WAITING = 20_000;

/** `intervalMs` = how often each miner is polled. */
export function createPendingIdentities(clock: Pick<Clock, 'monotonicMs'>, intervalMs: () => number) {
  const waiting = new Map<string, Waiting>();
  const ipsByKey = new Map<string, Set<string>>();

  const isForgotten = (lastMs: number) => clock.monotonicMs() - lastMs > FORGET_INTERVALS * intervalMs();

  const isRecent = (lastMs = Number.NEGATIVE_INFINITY) => clock.monotonicMs() - lastMs <= 2 * intervalMs();

  const remove = (ip: string) => {
    const { key = '' } = waiting.get(ip) ?? {};
    waiting.delete(ip);
    const ips = ipsByKey.get(key);
    ips?.delete(ip);
    if (ips?.size === 0) ipsByKey.delete(key);
  };
  const add = (ip: string, looked: Waiting) => {
    remove(ip);
    waiting.set(ip, looked);
    ipsByKey.set(looked.key, (ipsByKey.get(looked.key) ?? new Set()).add(ip));
  };

  const begin = (ip: string, key: string, verdict: string, nowMs: number): Waiting => {
    const [oldest] = waiting.size >= MAX_WAITING ? waiting.keys() : [];
    if (oldest !== undefined) remove(oldest);
    const added = { key, verdict, lastMs: nowMs, looks: 1, inARow: 1 };
    add(ip, added);
    return added;
  };

  return {
    /** One more look. A second one within the same poll interval does not count. */
    note(ip: string, key: string, verdict: string): { readonly looks: number; readonly inARow: number } {
      const nowMs = clock.monotonicMs();
      const before = waiting.get(ip);
      if (before === undefined || isForgotten(before.lastMs)) return begin(ip, key, verdict, nowMs);
      const isFarEnough = nowMs - before.lastMs >= INTERVAL_SHARE * intervalMs();
      if (isFarEnough) {
        before.looks++;
        before.lastMs = nowMs;
      }
      if (before.key !== key || before.verdict !== verdict) before.inARow = 1;
      else if (isFarEnough) before.inARow++;
      if (before.key !== key) {
        remove(ip);
        before.key = key;
        add(ip, before);
      }
      before.verdict = verdict;
      return before;
    },
    /** Those that were looked at recently. */
    list: () => [...waiting].flatMap(([ip, { key, lastMs }]) => (isForgotten(lastMs) ? [] : [{ ip, key }])),
    /** Another address, looked at in this poll interval or the last one, may be the miner too. */
    isElsewhere: (key: string, ip: string): boolean =>
      [...(ipsByKey.get(key) ?? [])].some((other) => other !== ip && isRecent(waiting.get(other)?.lastMs)),
    forget: remove,
  };
}

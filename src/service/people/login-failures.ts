// How long a name has to wait from an address where its password was wrong too often. Each address waits for itself
// alone: failures elsewhere never keep a person out. Pure but for its two tables, which are bounded.
import { isIPv6 } from 'node:net';

/** So many failures within the time cost no wait. */
export const FREE_FAILURES = 5;
export const WINDOW_MS = 15 * 60_000;
const FIRST_WAIT_MS = 30_000;
const MOST_WAIT_MS = 15 * 60_000;
/** Pairs of name and address in each of the two tables. */
export const MOST_PAIRS = 10_000;

type Failures = { readonly count: number; readonly firstMs: number; readonly lastMs: number };

/** From the last failure on; doubles with each. */
export function waitAfter(count: number): number {
  if (count < FREE_FAILURES) return 0;
  return Math.min(MOST_WAIT_MS, FIRST_WAIT_MS * 2 ** Math.min(10, count - FREE_FAILURES));
}

/** Undefined = what was is over: who had to wait begins anew only after a quiet time. */
function current(failures: Failures | undefined, nowMs: number): Failures | undefined {
  if (failures === undefined || nowMs < failures.lastMs) return undefined;
  const { count, firstMs, lastMs } = failures;
  const endMs = count < FREE_FAILURES ? firstMs + WINDOW_MS : lastMs + waitAfter(count) + WINDOW_MS;
  return nowMs < endMs ? failures : undefined;
}

/** The part of an address that belongs to one client: of IPv6 the network of 64 bits, in which it takes any address. */
export function clientOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [plain = ''] = address.split('%');
  const short = new URL(`http://[${plain}]/`).hostname.slice(1, -1);
  const [head = '', tail] = short.split('::');
  const [left, right] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const zeros = 8 - (left?.length ?? 0) - (right?.length ?? 0);
  const parts = [...(left ?? []), ...Array.from({ length: zeros }, () => '0'), ...(right ?? [])];
  // An address of IPv4 in the form of IPv6.
  return parts.slice(0, 6).join(':') === '0:0:0:0:0:ffff' ? short : parts.slice(0, 4).join(':');
}

export type LoginFailures = ReturnType<typeof createLoginFailures>;

/**
 * An attacker with many names or addresses fills the table of the few failures alone, and that evicts nothing that
 * waits: to get into the table of those that wait a pair has to fail five times, which costs as many hashes.
 */
export function createLoginFailures() {
  const few = new Map<string, Failures>();
  const waiting = new Map<string, Failures>();
  const keyOf = (name: string, address: string) => `${clientOf(address)}\n${name}`;
  return {
    /** Seconds to wait; 0 = it may be tried, and counts as a failure until it has succeeded. */
    begin(name: string, address: string, nowMs: number): number {
      const key = keyOf(name, address);
      const before = current(waiting.get(key) ?? few.get(key), nowMs);
      const leftMs = before === undefined ? 0 : before.lastMs + waitAfter(before.count) - nowMs;
      if (leftMs > 0) return Math.ceil(leftMs / 1_000);
      const count = (before?.count ?? 0) + 1;
      few.delete(key);
      waiting.delete(key);
      const table = count < FREE_FAILURES ? few : waiting;
      const [longestThere] = table.size >= MOST_PAIRS ? table.keys() : [];
      if (longestThere !== undefined) table.delete(longestThere);
      table.set(key, { count, firstMs: before?.firstMs ?? nowMs, lastMs: nowMs });
      return 0;
    },
    succeeded(name: string, address: string): void {
      few.delete(keyOf(name, address));
      waiting.delete(keyOf(name, address));
    },
    size: () => few.size + waiting.size,
  };
}

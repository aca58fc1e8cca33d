// Simulated miners for the poller on a virtual clock: each answers, fails or hangs as its script says, and every visit
// is written down.
import type { PollTarget } from '../../../../src/agent/poll/poll-schedule.ts';
import { Poller, type PollerOptions, type PollResult } from '../../../../src/agent/poll/poller.ts';
import type { Clock } from '../../../../src/base/clock.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

export type Manner =
  | 'ok'
  | 'refused'
  | 'auth'
  | 'busy'
  /** Silent until it is told to stop. */
  | 'hung'
  /** Silent, and deaf to the signal. */
  | 'deaf'
  /** Answers although it was told to stop. */
  | 'headstrong'
  | 'poison'
  | 'poison at once'
  | 'pre-empted';

export type VisitNote = {
  readonly key: string;
  readonly ip: string;
  readonly atMs: number;
  endMs?: number;
};

export function createFarm(
  settings: NonNullable<PollerOptions<string>['settings']> = {},
  options: { tookMs?: number; clock?: (clock: Clock) => Clock; onResult?: (key: string) => void } = {},
) {
  const virtual = createVirtualClock();
  const clock = options.clock?.(virtual) ?? virtual;
  const startMs = virtual.monotonicMs();
  const manners = new Map<string, Manner>();
  const visits: VisitNote[] = [];
  const results: { key: string; ip: string; atMs: number; result: PollResult<string> }[] = [];
  const logged: string[] = [];
  const seen = { inFlight: 0, most: 0, mostOfOne: 0, ofOne: new Map<string, number>() };
  let seed = 1;
  const random = () => {
    seed = (seed * 48_271) % 2_147_483_647;
    return seed / 2_147_483_647;
  };

  const answer = async (key: string, ip: string, signal: AbortSignal): Promise<string> => {
    const manner = manners.get(key) ?? 'ok';
    if (manner === 'deaf') await new Promise(() => {});
    if (manner === 'hung') await clock.sleep(3_600_000, signal);
    await clock.sleep(options.tookMs ?? 100, manner === 'headstrong' ? undefined : signal);
    if (manner === 'refused') throw new PeerError('peer.refused', `read ${ip}`, 'soon');
    if (manner === 'auth') throw new PeerError('peer.auth', `read ${ip}`, 'never');
    if (manner === 'busy') throw new PeerError('peer.busy', `read ${ip}`, 'later');
    if (manner === 'poison') throw new TypeError('cannot read properties of undefined');
    if (manner === 'pre-empted') await clock.sleep(0, AbortSignal.abort());
    return `${key} at ${ip}`;
  };

  const poller = new Poller<string>({
    clock,
    random,
    settings,
    log: { debug: () => {}, info: () => {}, warn: () => {}, error: (_, message) => logged.push(message) },
    visit: (target: PollTarget, signal) => {
      if (manners.get(target.key) === 'poison at once') throw new TypeError('poison');
      const note: VisitNote = { ...target, atMs: virtual.monotonicMs() - startMs };
      visits.push(note);
      seen.most = Math.max(seen.most, ++seen.inFlight);
      const ofOne = (seen.ofOne.get(target.key) ?? 0) + 1;
      seen.ofOne.set(target.key, ofOne);
      seen.mostOfOne = Math.max(seen.mostOfOne, ofOne);
      return answer(target.key, target.ip, signal).finally(() => {
        note.endMs = virtual.monotonicMs() - startMs;
        seen.inFlight--;
        seen.ofOne.set(target.key, (seen.ofOne.get(target.key) ?? 1) - 1);
      });
    },
    onResult: ({ key, ip }, result) => {
      results.push({ key, ip, atMs: virtual.monotonicMs() - startMs, result });
      options.onResult?.(key);
    },
  });

  const timesOf = (key: string) => visits.flatMap((visit) => (visit.key === key ? [visit.atMs] : []));
  const resultsOf = (key: string) => results.filter((result) => result.key === key);
  return { clock: virtual, poller, manners, visits, results, logged, seen, timesOf, resultsOf };
}

export const minersOf = (count: number): PollTarget[] =>
  Array.from({ length: count }, (_, i) => ({ key: `m${i}`, ip: `10.${i >> 16}.${(i >> 8) & 255}.${i & 255}` }));

export const gapsOf = (times: readonly number[]): number[] => times.slice(1).map((atMs, i) => atMs - (times[i] ?? 0));

/** Most of the times that fall into any window of `windowMs`. */
export function densest(times: readonly number[], windowMs: number): number {
  let most = 0;
  let from = 0;
  for (const [to, atMs] of times.entries()) {
    while (atMs - (times[from] ?? 0) >= windowMs) from++;
    most = Math.max(most, to - from + 1);
  }
  return most;
}

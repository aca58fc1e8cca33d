// Has this miner restarted since it was told to? Decided by its clocks alone, because an answer to the command proves
// nothing. Pure.
import type { Reading } from '../../../../model/reading.ts';
import type { Baseline } from '../../stored-task.ts';

/** Clocks of devices and ours drift apart by about this much in a watch; readings may be cached for a few seconds. */
const SLACK_S = 15;

export type Seen = {
  readonly baseline: Baseline | undefined;
  readonly reading: Pick<Reading, 'uptimeS' | 'systemUptimeS'>;
  readonly sinceActS: number;
  /** Since the baseline was read. */
  readonly sinceBaselineS: number;
  /** It was away in between, or the agent did not look. */
  readonly mayHaveBeenAway: boolean;
};

export type Verdict =
  | {
      readonly kind: 'restarted';
      readonly clock: 'system uptime' | 'uptime';
      readonly beforeS: number | null;
      readonly afterS: number;
    }
  | { readonly kind: 'not-restarted'; readonly uptimeS: number }
  /** It shows no clock, or one that fits both. */
  | { readonly kind: 'open'; readonly hasClock: boolean };

export function judgeRestart(seen: Seen): Verdict {
  const system = {
    clock: 'system uptime',
    before: seen.baseline?.systemUptimeS,
    after: seen.reading.systemUptimeS,
  } as const;
  const mining = { clock: 'uptime', before: seen.baseline?.uptimeS, after: seen.reading.uptimeS } as const;
  // Mining restarts by itself, with a watchdog or a lost pool: beside a clock of the system it proves nothing.
  const clocks = system.before !== undefined && system.after !== undefined ? [system] : [system, mining];
  for (const { clock, before, after } of clocks) {
    if (after !== undefined && wentBack(seen, before, after)) {
      return { kind: 'restarted', clock, beforeS: before ?? null, afterS: after };
    }
  }
  const oldest = clocks.find(({ after }) => after !== undefined && after > seen.sinceActS + SLACK_S);
  if (oldest?.after !== undefined) return { kind: 'not-restarted', uptimeS: oldest.after };
  return { kind: 'open', hasClock: clocks.some(({ after }) => after !== undefined) };
}

function wentBack(seen: Seen, before: number | undefined, after: number): boolean {
  // Without a figure from before, only a clock that began after the command proves anything.
  if (before === undefined) return after < seen.sinceActS;
  if (after >= seen.sinceActS + SLACK_S) return false;
  if (after < before) return true;
  // A miner that was young already may come back with a larger figure than it left with, yet a smaller one than it
  // would have now.
  return seen.mayHaveBeenAway && after < before + seen.sinceBaselineS - SLACK_S;
}

// One condition over time: pending, raised, clearing. It needs both the polls and the time of its hold; missing data
// changes nothing.
import type { Verdict } from './rule.ts';
import type { Hold } from './settings.ts';
import type { Condition } from './state.ts';

type ConditionStep = {
  readonly verdict: Verdict;
  readonly raise: Hold;
  readonly clear: Hold;
  /** Observed time, and wall time of this sample. */
  readonly t: number;
  readonly nowMs: number;
  /** Bad samples in a row by the caller's count, this one included. */
  readonly countedPolls: number;
  /** Whether the miner answered: only then does missing data show that the field is gone. */
  readonly hasAnswered: boolean;
  readonly forgetAfterMs: number;
};

/** The condition after the sample; undefined = nothing pending and nothing raised. */
export function stepCondition(before: Condition | undefined, step: ConditionStep): Condition | undefined {
  const { verdict, t } = step;
  if (verdict === 'no-data') {
    const isForgotten = before !== undefined && step.hasAnswered && t - before.judgedT >= step.forgetAfterMs;
    return isForgotten ? undefined : before;
  }
  if (verdict === 'not-yet') return before && { ...before, judgedT: t };
  if (verdict === 'clear') return before?.isRaised ? stepGood(before, step) : undefined;

  const badT = before?.badT ?? t;
  const badPolls = Math.max((before?.badPolls ?? 0) + 1, step.countedPolls);
  return {
    isRaised: before?.isRaised === true || isServed(step.raise, badPolls, t - badT),
    badAtMs: before?.badAtMs ?? step.nowMs,
    badT,
    badPolls,
    goodPolls: 0,
    judgedT: t,
    violation: verdict,
  };
}

function stepGood(before: Condition, { clear, t }: ConditionStep): Condition | undefined {
  const goodT = before.goodT ?? t;
  const goodPolls = before.goodPolls + 1;
  return isServed(clear, goodPolls, t - goodT) ? undefined : { ...before, goodT, goodPolls, judgedT: t };
}

const isServed = (hold: Hold, polls: number, elapsedMs: number): boolean =>
  polls >= hold.polls && elapsedMs >= hold.time;

// The shape of a rule and what it may look at. A rule is pure and small: one condition, one flag.
import type { AnomalyType } from '../../../model/flags/anomaly-types.ts';
import type { Reading } from '../../../model/reading.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings, Hold } from './settings.ts';
import type { History, Idle, Violation } from './state.ts';

/** An expected level and its source. */
export type Expected = {
  readonly value: number;
  readonly from: 'device' | 'learned';
  /** Its only source is one public table; `learned` = what this miner itself has shown. */
  readonly unproven?: { readonly learned: number | undefined } | undefined;
};

export type Expectations = {
  readonly hashrateHs: Expected | undefined;
  readonly boards: Expected | undefined;
  /** Of each board. */
  readonly chipsPerBoard: Expected | undefined;
  /** Of the whole miner; only learned. */
  readonly chips: Expected | undefined;
  readonly fans: Expected | undefined;
  readonly powerW: Expected | undefined;
  readonly isLiquidCooled: boolean;
};

/** An implausible value; the rules get the reading without it. */
export type Suspect = { readonly source: string; readonly value: number; readonly limit: number };

export type Facts = {
  readonly sample: Sample;
  /** Undefined when the visit failed. */
  readonly reading: Reading | undefined;
  readonly suspects: readonly Suspect[];
  /** This sample included. */
  readonly history: History;
  readonly expected: Expectations;
  readonly isHashing: boolean;
  readonly idle: Idle | undefined;
  readonly settings: AnomalySettings;
};

/**
 * `no-data` = the sample lacks the value: nothing is raised and nothing cleared. `not-yet` = the sample has the value
 * but it does not count yet: the same, and a raised condition is not forgotten.
 */
export type Verdict = Violation | 'clear' | 'no-data' | 'not-yet';

/**
 * A count below the expected one. An expectation from one table only makes a minor violation, unless the miner itself
 * has shown more before.
 */
export function shortOf(expected: Expected | undefined, seen: number, violation: Violation): Violation {
  if (expected?.unproven === undefined || (expected.unproven.learned ?? 0) > seen) return violation;
  return { ...violation, severity: 'minor', message: `${violation.message}, by a table from one source` };
}

export type Rule = {
  /** Key of the stored condition: never changed after a release. */
  readonly id: string;
  readonly type: AnomalyType;
  /** Judged also while the miner is idle in these ways. */
  readonly whileIdle?: readonly Idle[] | undefined;
  /** Instead of the hold of the type. */
  raise?(settings: AnomalySettings): Hold;
  /** `isRaised`: compare with the clear threshold. */
  evaluate(facts: Facts, isRaised: boolean): Verdict;
};

// The shape of a rule and what it may look at. A rule is pure and small: one condition, one flag.
import type { AnomalyType } from '../../../model/flags.ts';
import type { Reading } from '../../../model/reading.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings, Hold } from './settings.ts';
import type { History, Idle, Violation } from './state.ts';

/** A level that is expected, and who says so. */
export type Expected = {
  readonly value: number;
  readonly from: 'device' | 'learned';
  /** It rests on one public table alone; `learned` = what this miner itself has shown. */
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

/** A value that cannot be true; the reading that the rules see lacks it. */
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
 * `no-data` = this sample cannot say: nothing is raised by it and nothing cleared. `not-yet` = it tells the value, which means nothing yet: the same, and
 * what is raised is not forgotten.
 */
export type Verdict = Violation | 'clear' | 'no-data' | 'not-yet';

/**
 * A count that falls short of what is expected. What one table alone expects is no grave violation, unless the miner itself has shown more than it does
 * now.
 */
export function shortOf(expected: Expected | undefined, seen: number, violation: Violation): Violation {
  if (expected?.unproven === undefined || (expected.unproven.learned ?? 0) > seen) return violation;
  return { ...violation, severity: 'minor', message: `${violation.message}, by a table of one source` };
}

export type Rule = {
  /** Key of the remembered condition: never changed once released. */
  readonly id: string;
  readonly type: AnomalyType;
  /** Idle in these ways, it is judged all the same. */
  readonly whileIdle?: readonly Idle[] | undefined;
  /** Where it is not that of the type. */
  raise?(settings: AnomalySettings): Hold;
  /** `isRaised`: compare with the clear threshold. */
  evaluate(facts: Facts, isRaised: boolean): Verdict;
};

// What a check of a driver is and what it finds: a name, what was seen, and what to do next. Plain data for a test or a
// command to show.
import type { Driver, Known } from '../contract.ts';
import type { Families } from '../family.ts';
import { placeIn } from '../load/place.ts';
import type { ContractData } from './contract-data.ts';

export type Problem = {
  readonly seen: string;
  /** What to do about it: which file or field, and what is expected there. */
  readonly next: string;
};
export type Finding = Problem & { readonly check: string };

/** Answers as `read` gets them: one value per ask. `values` = all that may be read of them, by place. */
export type Sample = {
  readonly name: string;
  readonly known: Known;
  readonly raw: Readonly<Record<string, unknown>>;
  readonly values?: Readonly<Record<string, unknown>>;
  /** Of a real device. */
  readonly isReal: boolean;
  /** Of other firmware: what is read of it is not judged, only that nothing breaks. */
  readonly isForeign?: true;
  /** Values that a person read in the answers, by the names of expected.ts. */
  readonly expect: Readonly<Record<string, unknown>>;
};

export type Subject = {
  readonly driver: Driver;
  /** Where its files are, for messages. */
  readonly folder: string;
  /** Of all drivers that run beside it, its own included. */
  readonly families: Families;
  readonly samples: readonly Sample[];
  readonly exceptions: ContractData;
};

export type Check<S> = {
  /** Kebab-case; tests and people call it by this. */
  readonly name: string;
  /** What the driver owes, as a sentence. */
  readonly owes: string;
  run(subject: S): readonly Problem[] | Promise<readonly Problem[]>;
};

const MOST_SHOWN = 400;

/** A value in a message, cut. */
export function shown(value: unknown): string {
  const text =
    value === undefined
      ? 'nothing'
      : typeof value === 'number'
        ? String(value)
        : (JSON.stringify(value) ?? String(value));
  return text.length > MOST_SHOWN ? `${text.slice(0, MOST_SHOWN)}…` : text;
}

export const problem = (seen: string, next: string): Problem => ({ seen, next });

/** What `read` gives is no Reading. */
export class UnfitReading extends Error {
  readonly problems: readonly Problem[];
  constructor(problems: readonly Problem[]) {
    super(problems.map(({ seen }) => seen).join('; '));
    this.problems = problems;
  }
}

/** A check that throws has found something too: the driver threw where it must not. */
export async function runCheck<S extends Pick<Subject, 'folder'>>(
  check: Check<S>,
  subject: S,
): Promise<readonly Finding[]> {
  const found = await Promise.resolve()
    .then(() => check.run(subject))
    .catch((error: unknown) => problemsOf(error, subject.folder));
  return found.map((each) => ({ check: check.name, ...each }));
}

function problemsOf(error: unknown, folder: string): readonly Problem[] {
  if (error instanceof UnfitReading) return error.problems;
  const place = placeIn(error, folder);
  const at = place === undefined ? '' : ` at ${place}`;
  const what = error instanceof Error ? `${error.name}: ${error.message.slice(0, 1_000)}` : shown(error);
  return [
    problem(
      `the driver throws${at}: ${what}`,
      'mend it there: `read` and `identify` throw nothing, an ability throws PeerError only',
    ),
  ];
}

// Whether what `read` gives is a Reading at all: its fields, their types and ranges.
import type { z } from 'zod';
import { nearestNames } from '../../base/nearest-names.ts';
import { type Reading, readingSchema } from '../../model/reading.ts';
import type { Driver, ReadResult } from '../contract.ts';
import { valueAt } from './answers/change.ts';
import { type Check, type Problem, problem, type Subject, shown, UnfitReading } from './finding.ts';

/** `read` must not throw, and what it gives must be a Reading: else this throws UnfitReading. */
export function readStrictly(driver: Driver, raw: Readonly<Record<string, unknown>>, known = {}): ReadResult {
  const result = driver.read(raw, known);
  const misfits = misfitsOf(result.reading).map(({ seen, next }) =>
    problem(`${seen} from ${shown(raw).slice(0, MOST_OF_ANSWER)}`, next),
  );
  if (misfits.length > 0) throw new UnfitReading(misfits);
  return result;
}

const MOST_MISFITS = 5;
const MOST_OF_ANSWER = 160;

function misfitsOf(reading: Reading): Problem[] {
  const { error } = readingSchema.safeParse(reading);
  return (error?.issues ?? []).slice(0, MOST_MISFITS).flatMap((issue) => misfitOf(issue, reading));
}

function misfitOf(issue: z.core.$ZodIssue, reading: Reading): Problem[] {
  const { path, message } = issue;
  const place = path.map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`)).join('');
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys.map((key) =>
        problem(
          `\`read\` gives \`${`${place}.${key}`.slice(1)}\`, which no Reading has`,
          `take the name that \`Reading\` in pithead-kit.d.ts has for it${nearTo(key, path)}`,
        ),
      );
    case 'too_big':
    case 'too_small':
      return [
        problem(
          `\`read\` gives \`${place.slice(1)}\` ${shown(valueAt(reading, path))}: ${message}`,
          'no device measures that: look at its unit, and leave out what the device writes where it knows nothing',
        ),
      ];
    default:
      return [
        problem(
          `\`read\` gives \`${place.slice(1)}\` ${shown(valueAt(reading, path))}: ${message}`,
          'give what `Reading` in pithead-kit.d.ts has there; what is not told is undefined',
        ),
      ];
  }
}

const { boards, pools, psus, fans, errors, expected } = readingSchema.shape;
const NAMES: Readonly<Record<string, readonly string[]>> = {
  boards: Object.keys(boards.unwrap().element.shape),
  pools: Object.keys(pools.unwrap().element.shape),
  psus: Object.keys(psus.unwrap().element.shape),
  fans: Object.keys(fans.unwrap().element.shape),
  errors: Object.keys(errors.unwrap().element.shape),
  expected: Object.keys(expected.unwrap().shape),
};

function nearTo(key: string, [list]: readonly PropertyKey[]): string {
  const names = list === undefined ? Object.keys(readingSchema.shape) : (NAMES[String(list)] ?? []);
  const near = nearestNames(key, names);
  return near.length === 0 ? '' : `: ${near.join(' or ')}?`;
}

/** Of all answers that there are: what is no Reading breaks every check after this one. */
export const form: Check<Subject> = {
  name: 'reading',
  owes: 'a Reading of each case: fields that it has, in their units and ranges',
  run: ({ driver, samples }) =>
    samples.flatMap(({ name, raw, known }) =>
      misfitsOf(driver.read(raw, known).reading).map(({ seen, next }) => problem(`${name}: ${seen}`, next)),
    ),
};

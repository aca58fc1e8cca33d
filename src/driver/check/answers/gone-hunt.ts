// Check: a value that is missing in an answer is missing in the reading, or another source stands in. It never becomes
// 0, and what is left is still a reading. So it is where all numbers of one thing are missing.
import { type Check, type Problem, problem, type Sample, type Subject } from '../finding.ts';
import { readStrictly } from '../form.ts';
import { isObject, type Path, pathsTo, valueAt, withChange, withTokens } from './change.ts';
import { numbersOf } from './mutate.ts';

const isLeaf = (value: unknown) => ['string', 'number', 'boolean'].includes(typeof value);

type Raw = Readonly<Record<string, unknown>>;

/** The answers without one member of an object; entries of lists stay where they are. */
function without(raw: Raw, path: Path): Raw | undefined {
  const [ask = '', ...rest] = path;
  const last = rest.pop();
  if (last === undefined) return undefined;
  const copy: Record<string, unknown> = { ...raw, [ask]: structuredClone(raw[ask]) };
  let at: unknown = copy[ask];
  for (const key of rest) at = isObject(at) ? Reflect.get(at, key) : undefined;
  if (!isObject(at) || Array.isArray(at)) return undefined;
  Reflect.deleteProperty(at, last);
  return copy;
}

const hasNumbers = (value: unknown) =>
  isObject(value) && !Array.isArray(value) && Object.values(value).some((each) => typeof each === 'number');

/** The kit takes no chips for not told beside a rate: both are gone then. */
function withoutNumbers(raw: Raw, path: Path): Raw {
  const others = Object.entries(Object(valueAt(raw, path))).filter(([, value]) => typeof value !== 'number');
  return withChange(raw, path, Object.fromEntries(others));
}

/** How many zeros there are, by place without its number. */
function zerosOf(reading: unknown): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const [path, value] of numbersOf(reading)) {
    const place = path.replaceAll(/\.\d+/g, '[]');
    // A list that lost its first entries moves the others up: their places count from 0.
    if (value === 0 && !/\.(slot|index)$/.test(path)) counts.set(place, (counts.get(place) ?? 0) + 1);
  }
  return counts;
}

function problemsOf({ driver, folder }: Subject, { name, raw, known }: Sample): Problem[] {
  const base = readStrictly(driver, raw, known).reading;
  const before = zerosOf(base);
  // Beside a rate of 0, another of its rates may come in.
  const mayBeZero = (place: string) => base.hashrateHs === 0 && place.startsWith('hashrate');
  const gone: (readonly [string, Raw | undefined])[] = [
    ...pathsTo(raw, isLeaf).map((path) => [path.join('.'), without(raw, path)] as const),
    ...withTokens(raw, () => [['', undefined]]).map(({ what, raw: less }) => [what, less] as const),
    ...pathsTo(raw, hasNumbers).map((path) => [`the numbers of ${path.join('.')}`, withoutNumbers(raw, path)] as const),
  ];
  return gone.flatMap(([what, less]) => {
    if (less === undefined) return [];
    const after = zerosOf(readStrictly(driver, less, known).reading);
    return [...after]
      .filter(([place, count]) => count > (before.get(place) ?? 0) && !mayBeZero(place))
      .map(([place]) =>
        problem(
          `${name} without ${what}: ${place} is 0`,
          `let \`read\` in ${folder} leave it undefined: absent is no 0`,
        ),
      );
  });
}

export const goneHunt: Check<Subject> = {
  name: 'gone-hunt',
  owes: 'no 0, and no broken reading, where any one value of an answer, or all numbers of one thing, are missing',
  run: (subject) => subject.samples.flatMap((sample) => problemsOf(subject, sample)),
};

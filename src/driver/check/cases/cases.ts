// Checks with the cases of a driver: every value that a person read in them, or that they have listed, is read; and
// with any one answer missing or damaged the others still say what they say.
import type { Reading } from '../../../model/reading.ts';
import type { Driver } from '../../contract.ts';
import { numbersOf } from '../answers/mutate.ts';
import { type Check, type Problem, problem, type Sample, type Subject, shown } from '../finding.ts';
import { readStrictly } from '../form.ts';
import { asLinkWould } from './case-file.ts';
import { type Easing, unlike } from './expected.ts';
import { isSame, valuesOf } from './values.ts';

/** Fewer prove nothing. */
const LEAST_VALUES = 3;
/** The check of an answer is compiled by then. */
const OFTEN = 40;

const ownOf = (samples: readonly Sample[]) => samples.filter(({ isForeign }) => isForeign !== true);

const described: Check<Subject> = {
  name: 'case-values',
  owes: `at least ${LEAST_VALUES} values in each case that a person read in its answers`,
  run: ({ samples, folder, exceptions: { recordings = {} } }) =>
    ownOf(samples)
      .filter(({ name, expect, values = recordings[name]?.values ?? {} }) => {
        return Object.keys(expect).length + Object.keys(values).length < LEAST_VALUES;
      })
      .map(({ name }) => {
        const next = `read three off the pages of the device, and write them into \`expect\` of ${folder}/cases/${name}/case.json by the names of a reading, such as { "uptimeS": 86400, "boards": [{ "slot": 0, "chips": 114 }] }`;
        return problem(`the case ${name} says of fewer than ${LEAST_VALUES} values how they are to be read`, next);
      }),
};

const expected: Check<Subject> = {
  name: 'case-expect',
  owes: 'each value of `expect` of a case, read as it is',
  run: ({ driver, folder, samples, exceptions: { recordings = {} } }) =>
    ownOf(samples).flatMap(({ name, raw, known, expect }) => {
      const { comparedAt = {}, notReported = {}, tolerance = {} } = recordings[name] ?? {};
      const easing: Easing = {
        isLeftOut: (field) => field in comparedAt || field in notReported,
        tolerance: (field) => tolerance[field]?.relative,
      };
      const next = `correct \`read\` in ${folder}, or \`expect\` of the case if the value was read wrongly by hand`;
      return unlike(driver.read(raw, known).reading, expect, easing).map((line) => problem(`${name}: ${line}`, next));
    }),
};

const whole: Check<Subject> = {
  name: 'case-whole',
  owes: 'where a case lists all its values, these and no others',
  run: ({ driver, folder, samples }) =>
    ownOf(samples).flatMap(({ name, raw, known, values }) => {
      if (values === undefined) return [];
      const found = new Map(valuesOf(driver.read(raw, known).reading));
      const next = `correct \`read\` in ${folder}, or \`values\` of the case ${name} if the answer means something else`;
      return [
        ...Object.entries(values)
          .filter(([place, wanted]) => !isSame(found.get(place), wanted))
          .map(([place, wanted]) => `${place} is ${shown(found.get(place))} instead of ${shown(wanted)}`),
        ...[...found]
          .filter(([place]) => !(place in values))
          .map(([place, value]) => `${place} ${shown(value)} is not listed`),
      ].map((line) => problem(`${name}: ${line}`, next));
    }),
};

/** How many times larger one rate of a machine may be than another. */
const MOST_APART = 100;

const agreeing: Check<Subject> = {
  name: 'case-agreeing',
  owes: `rates of one machine that are not ${MOST_APART} times each other`,
  run: ({ driver, folder, samples }) =>
    ownOf(samples).flatMap(({ name, raw, known }) => {
      const {
        hashrateHs,
        hashrateSettledHs,
        hashrateAverageHs,
        expected,
        boards = [],
      } = driver.read(raw, known).reading;
      const ofBoardsHs = boards.reduce((sum, board) => sum + (board.hashrateHs ?? 0), 0);
      const rates = {
        hashrateHs,
        hashrateSettledHs,
        hashrateAverageHs,
        boards: ofBoardsHs,
        expected: expected?.hashrateHs,
      };
      const told = Object.entries(rates).filter(([, rateHs]) => rateHs !== undefined && rateHs > 0);
      const [least, most] = [told.toSorted(byRate)[0], told.toSorted(byRate).at(-1)];
      if (least === undefined || most === undefined || Number(most[1]) < MOST_APART * Number(least[1])) return [];
      const next = `look at the unit of the smaller or the larger one in \`read\` in ${folder}`;
      return [problem(`${name}: ${least[0]} ${least[1]} H/s beside ${most[0]} ${most[1]} H/s`, next)];
    }),
};
const byRate = ([, a = 0]: readonly [string, number | undefined], [, b = 0]: readonly [string, number | undefined]) =>
  a - b;

const often: Check<Subject> = {
  name: 'case-often',
  owes: 'the same reading of the same answers, however often they came',
  run: ({ driver, folder, samples }) =>
    ownOf(samples).flatMap(({ name, raw, known }) => {
      const first = JSON.stringify(driver.read(raw, known).reading);
      for (let times = 0; times < OFTEN; times++) driver.read(raw, known);
      const next = `keep nothing between two calls of \`read\` in ${folder}: it is pure`;
      return JSON.stringify(driver.read(raw, known).reading) === first
        ? []
        : [problem(`${name} is read otherwise after ${OFTEN} times`, next)];
    }),
};

const damaged: Check<Subject> = {
  name: 'case-damaged',
  owes: 'what the other answers say, with any one answer missing or bad',
  run: (subject) =>
    ownOf(subject.samples).flatMap((sample) => Object.keys(sample.raw).flatMap((bad) => withBad(subject, sample, bad))),
};

function withBad({ driver, folder }: Subject, { name, raw, known }: Sample, bad: string): Problem[] {
  const read = (answers: Readonly<Record<string, unknown>>) => readStrictly(driver, answers, known).reading;
  const base = read(raw);
  const others = Object.fromEntries(Object.entries(raw).filter(([ask]) => ask !== bad));
  const without = read(others);
  return damagesOf(driver, bad, raw[bad]).flatMap(([what, answer]) => {
    const reading = answer === undefined ? without : read({ ...others, [bad]: answer });
    const place = `${name} with ${bad} ${what}`;
    // The other answers still say what they say, unless a better source was saved.
    const lost = plainValues(without).filter(([field, value]) => {
      const may: readonly unknown[] = [value, Reflect.get(base, field)];
      return !may.includes(Reflect.get(reading, field));
    });
    const next = `let \`read\` in ${folder} lose the fields of that answer only, never to 0`;
    return [
      ...lost.map(([field]) => problem(`${place}: ${field} was lost or changed`, next)),
      ...(zeroCount(reading) > zeroCount(base) ? [problem(`${place}: there are more zeros than before`, next)] : []),
    ];
  });
}

/** The ways in which an answer goes bad, as the link hands them over: nothing at all, or what could be saved. */
function damagesOf(driver: Driver, name: string, answer: unknown): readonly (readonly [string, unknown])[] {
  const ask = driver.asks[name];
  if (ask === undefined) return [];
  const bytes = Buffer.from(typeof answer === 'string' ? answer : JSON.stringify(answer));
  const cut = (share: number) => asLinkWould(ask, bytes.subarray(0, Math.floor(bytes.length * share)));
  return [
    ['missing', undefined],
    ['empty', asLinkWould(ask, Buffer.alloc(0))],
    ['an HTML page', '<html><body>404 Not Found</body></html>'],
    ['an empty object', {}],
    ['cut at a quarter', cut(0.25)],
    ['cut in the middle', cut(0.5)],
    ['cut near the end', cut(0.9)],
    ['refused', { STATUS: [{ STATUS: 'E', Code: 45, Msg: 'Access denied' }] }],
  ];
}

/**
 * Texts and numbers of a reading. Lists grow with what is known: their items may move, so they are left out. The clock
 * goes with its answer.
 */
const plainValues = (reading: Reading): [string, unknown][] =>
  Object.entries(reading).filter(([field, value]) => typeof value !== 'object' && field !== 'deviceTimeS');

/** Of fans a controller writes 0 for a slot that is empty: which are is lost with the rest of the list. */
const zeroCount = (reading: Reading) =>
  numbersOf(reading).filter(([path, value]) => value === 0 && !/\.(slot|index)$|^fans\./.test(path)).length;

export const CASE_CHECKS: readonly Check<Subject>[] = [described, expected, whole, agreeing, often, damaged];

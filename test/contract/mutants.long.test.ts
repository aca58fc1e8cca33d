// Drivers that are wrong in ways that happen, and are refused by the shared contract alone: no test of a driver's own
// has a say. The operators are listed here, the places are found in the sources, the choice is seeded. PITHEAD_SEED
// chooses others; PITHEAD_MUTANTS=all tries every one, and says which survive; PITHEAD_MUTANTS_OF names other drivers.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { drivers } from '../../drivers/index.ts';
import { seeded } from '../../src/driver/check/answers/mutate.ts';
import { loopback } from '../support/loopback.ts';
import { contractOf } from './contract-files.ts';
import type { Range } from './mutants/job.ts';
import { type Mutant, mutantsOf, type Operator } from './mutants/mutate-source.ts';
import { judgeAll } from './mutants/pool.ts';

/** Those first that say so in their data, then others, until there are enough. */
const DRIVERS =
  process.env.PITHEAD_MUTANTS_OF?.split(',') ??
  drivers
    .map(({ id }) => id)
    .toSorted((a, b) => Number(isFirst(b)) - Number(isFirst(a)))
    .slice(0, 5);
function isFirst(id: string): boolean {
  return contractOf(id).mutants !== undefined;
}
const SEED = Number(process.env.PITHEAD_SEED ?? 20_261_126);
const IS_ALL = process.env.PITHEAD_MUTANTS === 'all';
const COUNT = 40;
/** Of one driver. */
const LEAST = 5;
/** Of one; the machine may be busy. */
const LIMIT_MS = 30_000;
const PROCESSES = 2;

/** A field of a reading with a unit or a count: 0 in place of a name is dropped by the kit. */
const NUMBER_FIELD =
  /(?<=\b(?:\w*Hs|\w+W|\w+TempC|tempC|\w*[uU]ptimeS|\w+Mhz|\w+Percent|\w*[cC]hips|\w*[rR]pm|hwErrors|accepted|rejected|stale|difficulty): )(?![A-Z]\w*[,)])\w+(?:\??\.\w+)*(?:\((?:[^()]|\([^()]*\))*\))?(?=,$|, \w+:| \})/g;
/** The place of a board, a fan or a pool. */
const PLACE = String.raw`\b(?:slot|index)`;

const OPERATORS: readonly Operator[] = [
  // A factor, not a bound.
  { name: 'x1000', finds: /(?<=[A-Za-z_)\]] \* )[\d_]+(\.\d+)?(e\d+)?/g, becomes: '($& * 1000)' },
  { name: 'x1000', finds: /(?<=[A-Za-z_)\]] \/ )[\d_]+(\.\d+)?(e\d+)?/g, becomes: '($& / 1000)' },
  { name: 'x1000', finds: /'M'(?=[);])/g, becomes: "'G'" },
  { name: 'x1000', finds: /'G'(?=[);])/g, becomes: "'T'" },
  { name: 'x1000', finds: /'T'(?=[);])/g, becomes: "'P'" },
  { name: 'x1000', finds: /(?<=\w\.)milli(?=\()/g, becomes: 'number' },
  { name: 'swap slots', finds: new RegExp(`(?<=${PLACE}: )(?!number|string)\\w+(?=[,; }])`, 'g'), becomes: '(1 - $&)' },
  { name: 'swap slots', finds: /(?<=\bslot: )\w+\.int\([^()]+\)/g, becomes: '(1 - $&)' },
  { name: 'swap slots', finds: new RegExp(`(?<=^\\s+|\\{ )${PLACE}(?=,( url|$))`, 'g'), becomes: '$&: 1 - $&' },
  { name: 'swap slots', finds: /(?<!\b(?:match|exec)\(.*)(?<=[\w)]\??\.?)\[0\]/g, becomes: '[1]' },
  { name: 'swap slots', finds: /(?<!\b(?:match|exec)\(.*)(?<=[\w)]\??\.?)\[1\]/g, becomes: '[0]' },
  { name: 'swap slots', finds: /(?<=\w) [-+] 1\b/g, becomes: ' - 0' },
  { name: 'ignore the verdict', finds: /\bthrow (?=new |\w+[.(;])/g, becomes: 'void ' },
  { name: 'ignore the verdict', finds: /(?<=, )(?:verdict|judge)(?=[,)])/g, becomes: '() => true' },
  { name: 'ignore the verdict', finds: /\bkit\.refused\(|\{ why: /g, becomes: 'true || $&' },
  { name: 'lost is done', finds: /(?<=kind: )'lost-reply'/g, becomes: "'accepted'" },
  { name: 'lost is done', finds: /\bkit\.orLostReply(?=\()/g, becomes: '((act) => act())' },
  { name: 'absent to 0', finds: NUMBER_FIELD, becomes: '$& ?? 0' },
  { name: 'reuse a dead token', finds: /\b(?:isRefused|isEnded)(?=:)/g, becomes: 'never' },
  { name: 'reuse a dead token', finds: /\b(?:isRefused|isEnded)(?=,| \})/g, becomes: '$&: () => false' },
  { name: 'drop a filter', finds: /\.filter\(/g, becomes: '.slice(0, undefined, ' },
];

const ROOT = join(import.meta.dirname, '..', '..', 'drivers');

/** Code of the drivers themselves: no tests, no simulated devices, no tables. */
const sources = DRIVERS.flatMap((driver) =>
  globSync('**/*.ts', { cwd: join(ROOT, driver) })
    .filter((file) => !/(^|\/)farm|\.test\.ts$|\.data\.ts$/.test(file))
    .toSorted()
    .map((file) => ({ driver, file, source: readFileSync(join(ROOT, driver, file), 'utf8') })),
);
const all = sources.flatMap(({ driver, file, source }) => mutantsOf(driver, file, source, OPERATORS));
/** Mutants that change nothing that can be seen. */
const isExcused = (mutant: Mutant) =>
  contractOf(mutant.driver).mutants?.some(({ line }) => mutant.was.includes(line)) === true;
const notExcused = all.filter((mutant) => !isExcused(mutant));

/** What of each driver runs when it is held to the contract as it is. */
let ran: readonly Range[][] = [];
const isReached = ({ driver, file, offset }: Mutant): boolean => {
  const around = (ran[DRIVERS.indexOf(driver)] ?? [])
    .filter((range) => range.file === file && range.start <= offset && offset < range.end)
    .toSorted((a, b) => a.end - a.start - (b.end - b.start));
  return (around[0]?.count ?? 0) > 0;
};
/** Of what never runs no check can say anything: at most this share of the places. */
const MOST_UNREACHED = 0.2;

/** Of the drivers in turn, of the operators of each in turn. */
function choose(possible: readonly Mutant[]): Mutant[] {
  const random = seeded(SEED);
  const shuffled = <T>(list: readonly T[]): T[] =>
    list
      .map((each) => ({ each, at: random() }))
      .toSorted((a, b) => a.at - b.at)
      .map(({ each }) => each);
  const queues = DRIVERS.map((driver) => {
    const own = shuffled(possible.filter((mutant) => mutant.driver === driver));
    const groups = shuffled([...Map.groupBy(own, ({ operator }) => operator).values()]);
    return own.flatMap((_, round) => groups.flatMap((group) => group.slice(round, round + 1)));
  });
  return possible.flatMap((_, round) => queues.flatMap((queue) => queue.slice(round, round + 1))).slice(0, COUNT);
}

const networks = Array.from({ length: PROCESSES }, () => loopback(21).network);
const nameOf = ({ driver, file, line, operator, is }: Mutant) => `${driver}/${file}:${line} ${operator}: ${is}`;

test('what is called equivalent is there', () => {
  const lost = DRIVERS.flatMap((driver) =>
    (contractOf(driver).mutants ?? [])
      .filter(({ line }) => !all.some((each) => each.driver === driver && each.was.includes(line)))
      .map(({ line }) => `delete this row of \`mutants\` in drivers/${driver}/contract.data.ts: ${line}`),
  );
  expect(lost).toEqual([]);
});

test('drivers as they are keep the contract', async () => {
  const jobs = DRIVERS.map((driver) => ({ driver, file: 'index.ts', isCovered: true }));
  const verdicts = await judgeAll(jobs, networks, 4 * LIMIT_MS);
  const refused = verdicts
    .map(({ by, seen }, nth) => ({ driver: DRIVERS[nth], by, seen }))
    .filter(({ by }) => by !== undefined);
  expect(refused).toEqual([]);
  ran = verdicts.map((verdict) => verdict.ran ?? []);
});

test('there are enough places, of most operators, in each driver, and most are reached', () => {
  const possible = notExcused.filter(isReached);
  for (const driver of DRIVERS) {
    const own = possible.filter((mutant) => mutant.driver === driver);
    expect(own.length, driver).toBeGreaterThanOrEqual(LEAST);
    expect(new Set(own.map(({ operator }) => operator)).size, driver).toBeGreaterThan(2);
  }
  expect(possible.length).toBeGreaterThanOrEqual(COUNT);
  process.stdout.write(`${possible.length} of ${notExcused.length} places are reached\n`);
  expect(1 - possible.length / notExcused.length).toBeLessThanOrEqual(MOST_UNREACHED);
});

test(`${COUNT} mutants are refused, seed ${SEED}`, { timeout: 3_600_000 }, async () => {
  const possible = notExcused.filter(isReached);
  const chosen = IS_ALL ? possible : choose(possible);
  const verdicts = await judgeAll(chosen, networks, LIMIT_MS);
  const rows = chosen.map((mutant, nth) => ({ mutant, verdict: verdicts[nth] }));
  expect(rows.filter(({ verdict }) => verdict?.by === 'bench').length, 'raise PER_KIND of the judge').toBe(0);
  const broken = rows.filter(({ verdict }) => verdict?.by === 'load').map(({ mutant }) => nameOf(mutant));
  expect(broken, 'what does not load is no mutant: correct its operator').toEqual([]);
  const survivors = rows.filter(({ verdict }) => verdict?.by === undefined).map(({ mutant }) => nameOf(mutant));
  const byCheck = [...Map.groupBy(rows, ({ verdict }) => verdict?.by ?? 'none')].map(
    ([by, list]) => `${by} ${list.length}`,
  );
  process.stdout.write(`${chosen.length} mutants: ${byCheck.join(', ')}; ${survivors.length} survive\n`);
  if (IS_ALL) process.stdout.write(`${survivors.join('\n')}\n`);
  const next =
    'add the check that refuses it to src/driver/check, or a case, or, if nobody could see it, a row of `mutants` in contract.data.ts with the reason';
  expect(survivors, next).toEqual([]);
  expect(chosen.length).toBeGreaterThanOrEqual(COUNT);
});

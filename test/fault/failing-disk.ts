// Runs a child of failing-cases.ts under strace until each call of a cycle has failed once, and adds up what it says.
import { mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { CALLS, CASE_FOLDER, type Call, DECOY } from './failing-cases.ts';
import { trace } from './strace.ts';
import { report } from './table.ts';

/** Of one process: more of them run side by side. */
const CASES = 60;
/** What follows a failure may be more calls than were counted. */
const MARGIN = 40;
/** They wait more than they work. */
const WORKERS = 4;

export type FailingDisk = {
  /** A new one for each process is made in it. */
  readonly folder: string;
  readonly child: string;
  readonly args?: readonly string[];
  /** Names of the files that the disk refuses, below that of the case. */
  readonly files: readonly string[];
  /** Of these kinds only one of so many calls fails, which one follows from the seed. Default: each call; all kinds. */
  readonly step?: number;
  readonly sparse?: readonly Call[];
  readonly seed?: number;
};

/** Of a database: itself, and what SQLite has beside it. */
export const filesOf = (database: string) => ['', '-wal', '-shm', '-journal'].map((part) => `${database}${part}`);

export type Outcome = { readonly runs: number; readonly notOpened: number; readonly problems: readonly string[] };

type Work = {
  readonly call: Call;
  readonly error: string;
  /** Of the calls one fails. */
  readonly period: number;
  readonly numbers: readonly number[];
};

export async function failEachCall(disk: FailingDisk): Promise<Outcome> {
  const counts = await countCalls(disk);
  const all = [...counts].flatMap(([call, count]) => workOf(call, count, disk));
  const outcomes: Outcome[] = [];
  const next = all.values();
  const worker = async () => {
    for (const work of next) outcomes.push(await fail(disk, work));
  };
  await Promise.all(Array.from({ length: WORKERS }, worker));
  return {
    runs: outcomes.reduce((sum, { runs }) => sum + runs, 0),
    notOpened: outcomes.reduce((sum, { notOpened }) => sum + notOpened, 0),
    problems: outcomes.flatMap(({ problems }) => problems),
  };
}

const pathsOf = (folder: string, { files }: FailingDisk) =>
  [DECOY, `${DECOY}.none`, CASE_FOLDER, ...files.map((name) => join(CASE_FOLDER, name))].flatMap((path) => [
    '-P',
    join(folder, path),
  ]);

/** How often each call is made in a case in which nothing fails. */
async function countCalls(disk: FailingDisk): Promise<Map<Call, number>> {
  const folder = mkdtempSync(join(disk.folder, 'count-'));
  const log = join(folder, 'trace');
  const options = [...pathsOf(folder, disk), '-e', `trace=${CALLS.join(',')}`, '-o', log];
  const { code } = await trace(options, [disk.child, folder, 'none', '0', '0', ...(disk.args ?? [])]);
  if (code !== 0) throw new Error(`without a failure it ended with ${code}`);
  const between = readFileSync(log, 'utf8').split(/^.*\/decoy".*$/m)[1] ?? '';
  return new Map(CALLS.map((call) => [call, between.match(new RegExp(`\\b${call}\\(`, 'g'))?.length ?? 0]));
}

/** A disk without space refuses these. */
const TAKES_SPACE: readonly Call[] = ['pwrite64', 'openat', 'ftruncate'];

/** Each call fails with an error of the device, every fourth of some kinds also for want of space. */
function workOf(call: Call, count: number, { step = 1, sparse = CALLS, seed = 0 }: FailingDisk): Work[] {
  const every = sparse.includes(call) ? step : 1;
  const all = Array.from({ length: count }, (_, index) => index + 1);
  const numbers = all.filter((number) => number % every === seed % every);
  const kinds = [
    { error: 'EIO', numbers },
    { error: 'ENOSPC', numbers: TAKES_SPACE.includes(call) ? numbers.filter((_, index) => index % 4 === 3) : [] },
  ];
  return kinds.flatMap(({ error, numbers }) =>
    Array.from({ length: Math.ceil(numbers.length / CASES) }, (_, index) => ({
      ...{ call, error, period: count + MARGIN, numbers: numbers.slice(index * CASES, (index + 1) * CASES) },
    })),
  );
}

async function fail(disk: FailingDisk, { call, error, period, numbers }: Work): Promise<Outcome> {
  const folder = mkdtempSync(join(disk.folder, `${call}-`));
  const inject = ['-e', `trace=${call}`, '-e', `inject=${call}:error=${error}:when=${period}+${period}`];
  const script = [disk.child, folder, call, String(period), numbers.join(), ...(disk.args ?? [])];
  const { code, signal, lines } = await trace([...pathsOf(folder, disk), ...inject, '-o', '/dev/null'], script);
  const count = (what: string) => lines.filter((line) => line.startsWith(what)).length;
  const [ran, notOpened] = [count('ran '), count('refused ')];
  const problems = lines.flatMap((line) => /^problem (.*)$/.exec(line)?.[1] ?? []);
  if (code !== 0 || ran + notOpened < numbers.length) problems.push(`${lines.at(-1)}: ended with ${code ?? signal}`);
  return { runs: ran + notOpened, notOpened, problems: problems.map((text) => `${call} ${error} ${text}`) };
}

/** The line of the table. */
export function reportFailures(what: string, { runs, notOpened, problems }: Outcome): void {
  for (const problem of problems.slice(0, 20)) process.stdout.write(`  ${what}: ${problem}\n`);
  report({
    id: 'R5',
    value: `${what}: ${runs} cycles, one call failing in each: ${problems.length} crashed, lost silently or showed nothing; ${notOpened} not opened, to be started again`,
    bar: '0 crashes, 0 silent loss for every n',
    isMet: problems.length === 0 && runs > 0,
  });
}

// Inside a process under strace, which makes each n-th call of one kind on some files fail: counts the calls on a decoy
// among them, so that it is a certain call of a case that fails, and then the same for the next case.
import {
  closeSync,
  cpSync,
  fdatasyncSync,
  fsyncSync,
  ftruncateSync,
  mkdirSync,
  openSync,
  renameSync,
  rmSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';

export const CALLS = ['pwrite64', 'fsync', 'fdatasync', 'openat', 'ftruncate', 'unlink', 'rename'] as const;
export type Call = (typeof CALLS)[number];

/** In the folder of the process. */
export const CASE_FOLDER = 'case';
export const DECOY = 'decoy';

export type Cases = {
  /** Makes what is there before each case, in a folder of its own. Absent = nothing is. */
  prepare?(folder: string): Promise<void>;
  /** What the disk refuses in the middle of; false when it was to be started again. `say` = for the judge. */
  run(folder: string, say: (line: string) => void): Promise<boolean>;
  /** What is wrong with a copy of what was left, and with what was said. */
  judge(folder: string, said: readonly string[]): Promise<readonly string[]> | readonly string[];
};

/**
 * Arguments of the process: folder, kind of call, after how many of them strace lets one fail, the numbers of the calls
 * that are to fail, with commas. With the kind `none` none fails, in one case. Prints `ran <number>` or `refused
 * <number>` for each case, and `problem <number> <text>`.
 */
export async function runCases({ prepare, run, judge }: Cases): Promise<void> {
  const [folder = '', call = 'none', every = '0', numbers = '0'] = process.argv.slice(2);
  const [cases, prepared, copy] = [join(folder, CASE_FOLDER), join(folder, 'prepared'), join(folder, 'copy')];
  mkdirSync(prepared);
  await prepare?.(prepared);
  const decoy = join(folder, DECOY);
  const failNext = call === 'none' ? () => {} : aligned(decoy, call, Number(every));
  for (const number of numbers.split(',').map(Number)) {
    cpSync(prepared, cases, { recursive: true });
    const said: string[] = [];
    failNext(number);
    if (call === 'none') mark(decoy);
    writeSync(1, `begin ${number}\n`);
    const isRun = await run(cases, (line) => void said.push(line));
    if (call === 'none') mark(decoy);
    writeSync(1, `${isRun ? 'ran' : 'refused'} ${number}\n`);
    cpSync(cases, copy, { recursive: true });
    for (const problem of await judge(copy, said)) writeSync(1, `problem ${number} ${problem}\n`);
    for (const used of [cases, copy]) rmSync(used, { recursive: true });
  }
}

/** For who counts the calls between two of them. */
const mark = (decoy: string) => writeFileSync(decoy, '');

/** Gives a function after which the call of that number, from 1 on, is the one that fails. */
function aligned(decoy: string, call: string, every: number): (number: number) => void {
  const file = openSync(decoy, 'w');
  const once: Readonly<Record<string, () => void>> = {
    pwrite64: () => void writeSync(file, '.', 0),
    fsync: () => fsyncSync(file),
    fdatasync: () => fdatasyncSync(file),
    openat: () => closeSync(openSync(decoy, 'r')),
    ftruncate: () => ftruncateSync(file, 1),
    unlink: () => unlinkSync(`${decoy}.none`),
    rename: () => renameSync(decoy, decoy),
  } satisfies Record<Call, () => void>;
  /** Whether it was the one that fails. */
  const isLast = (): boolean => {
    try {
      once[call]?.();
      return false;
    } catch (error) {
      return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
    }
  };
  return (number) => {
    for (let count = 1; !isLast(); count++) if (count > every) throw new Error(`no ${call} of ${every} fails`);
    for (let count = number; count < every; count++) if (isLast()) throw new Error(`a ${call} too early fails`);
  };
}

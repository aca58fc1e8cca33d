// Counts the statements of the interface document that were checked, over all files of the suite, and prints one line
// when the last file has ended: `checks of the interface document: 540 of 540 hold`. A run of some files prints none.
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, inject } from 'vitest';
import { z } from 'zod';

type Check = () => void | Promise<void>;

/** Of this file: each statement, and which of its checks have held. Files of a worker share this module. */
const tallies = new Map<string, Map<string, Map<string, boolean>>>();

const thisFile = () => basename(expect.getState().testPath ?? '');

/** Call it at the top of a file, in no `describe`: before the first `counted`. */
export function countFile(): void {
  const file = thisFile();
  if (tallies.has(file)) return;
  const tally = new Map<string, Map<string, boolean>>();
  tallies.set(file, tally);
  afterAll(() => endFile(file, tally));
}

/** The check, counted as one of those of the statement: a statement holds when all of them have. */
export function counted(statement: string, name: string, check: Check): Check {
  const tally = tallies.get(thisFile());
  if (tally === undefined) throw new Error(`count '${statement}': the file is not counted`);
  const checks = tally.get(statement) ?? new Map<string, boolean>();
  if (checks.has(name)) throw new Error(`'${statement}', '${name}': there are two checks of this name`);
  tally.set(statement, checks.set(name, false));
  return async () => {
    checks.set(name, false);
    await check();
    checks.set(name, true);
  };
}

const resultSchema = z.object({ total: z.int(), held: z.int() });

/** Files that check statements: those that call `rows` or `statements`. */
const filesOfSuite = () =>
  readdirSync(import.meta.dirname).filter(
    (name) =>
      name.endsWith('.test.ts') &&
      /^ *(rows|statements)\('/m.test(readFileSync(join(import.meta.dirname, name), 'utf8')),
  );

function endFile(file: string, tally: ReadonlyMap<string, ReadonlyMap<string, boolean>>): void {
  // The files of a run may have several workers, which have one parent.
  const database = inject('postgres') === undefined ? 'embedded' : 'postgres';
  const folder = join(tmpdir(), `pithead-conformance-${process.ppid}-${database}`);
  mkdirSync(folder, { recursive: true });
  const held = [...tally.values()].filter((checks) => [...checks.values()].every((holds) => holds)).length;
  writeFileSync(join(folder, file), JSON.stringify({ total: tally.size, held }));
  tallies.delete(file);
  const files = filesOfSuite();
  if (!files.every((name) => existsSync(join(folder, name)))) return;
  const results = files.map((name) => resultSchema.parse(JSON.parse(readFileSync(join(folder, name), 'utf8'))));
  rmSync(folder, { recursive: true, force: true });
  const sum = (of: (result: z.infer<typeof resultSchema>) => number) => results.reduce((all, one) => all + of(one), 0);
  const line = `checks of the interface document: ${sum(({ held: one }) => one)} of ${sum(({ total }) => total)} hold`;
  process.stdout.write(`${line}\n`);
}

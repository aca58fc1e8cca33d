// A driver is its folder and its lines in the two lists: a copy of the project without them has no error of types, and
// the quick tests of all drivers and of the program pass there. Recordings beside the project are not in the copy.
import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { afterEach, beforeEach, expect, test } from 'vitest';

const ROOT = join(import.meta.dirname, '..', '..');
/** One with a folder of cases, recordings, errors and its own firmware files. */
const GONE = process.env.PITHEAD_WITHOUT ?? 'axeos';
const NOT_COPIED: ReadonlySet<string> = new Set(['.git', 'dist', 'node_modules']);
const LISTS = ['drivers/index.ts', 'drivers/farm-index.ts'];

let copy: string;
beforeEach(() => {
  copy = mkdtempSync(join(tmpdir(), 'pithead-without-'));
});
afterEach(() => rmSync(copy, { recursive: true, force: true }));

/** Exit code and output. */
const run = (tool: string, ...args: readonly string[]) =>
  new Promise<{ readonly code: number; readonly output: string }>((resolve) => {
    const child = execFile(
      process.execPath,
      [join(copy, 'node_modules', ...tool.split('/')), ...args],
      {
        cwd: copy,
        maxBuffer: 64 * 1024 ** 2,
        timeout: 400_000,
        env: { ...process.env, CI: '1', VITEST: undefined, PITHEAD_REQUIRE_RECORDINGS: undefined },
      },
      (_error, stdout, stderr) => resolve({ code: child.exitCode ?? -1, output: `${stdout}${stderr}` }),
    );
  });

test(`without ${GONE}`, { timeout: 600_000 }, async () => {
  for (const name of readdirSync(ROOT).filter((each) => !NOT_COPIED.has(each))) {
    cpSync(join(ROOT, name), join(copy, name), {
      recursive: true,
      filter: (path) => path !== join(ROOT, 'drivers', GONE) && !path.includes('node_modules'),
    });
  }
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'));
  for (const list of LISTS) {
    const lines = readFileSync(join(ROOT, list), 'utf8').split('\n');
    const imported = lines.find((line) => line.includes(`'./${GONE}/`));
    const [, name] = /(?:as )?(\w+) \}/.exec(imported ?? '') ?? [];
    expect(name, `${list} imports ${GONE} on one line`).toBeDefined();
    const left = lines.filter((line) => line !== imported && line.trim() !== `${name},`);
    expect(lines.length - left.length, `two lines of ${list}`).toBe(2);
    writeFileSync(join(copy, list), left.join('\n'));
  }
  const types = await run('typescript/bin/tsc', '--noEmit', '-p', '.');
  expect(types.output, 'nothing but the lists may import a driver').toBe('');
  expect(types.code).toBe(0);
  // Its rows in the tables of the handbook are made from the drivers that there are.
  const handbook = await run('../test/handbook/write.ts');
  expect(handbook.code, handbook.output).toBe(0);
  const tests = await run(
    'vitest/vitest.mjs',
    'run',
    '--project',
    'contract',
    '--project',
    'unit',
    '--reporter',
    'dot',
  );
  const failed = tests.output.split('\n').filter((line) => /FAIL|Error:/.test(line));
  expect(failed, 'tests that name the driver: move them to its folder, or find it by its data').toEqual([]);
  expect(tests.code, tests.output.slice(-4_000)).toBe(0);
  const [, passed = '0'] = /Tests\D*?(\d+) passed/.exec(stripVTControlCharacters(tests.output)) ?? [];
  expect(Number(passed)).toBeGreaterThan(1_000);
});

// The rest of the house rules that a machine can check: names of places, what each file opens with, words that are not
// ours to use.
import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { VERSION } from '../../src/base/version.ts';
import { codeLines, importsOf, programSources, ROOT, sources } from './sources.ts';

const ours = programSources('src', 'drivers', 'fixtures');
const everything = sources('src', 'drivers', 'fixtures', 'test', 'packaging');

/** `path:line` of every code line that matches, outside the files that may. */
function findings(
  files: readonly (typeof ours)[number][],
  pattern: RegExp,
  except: (path: string) => boolean = () => false,
): string[] {
  return files
    .filter(({ path }) => !except(path))
    .flatMap((source) =>
      codeLines(source).flatMap((line, index) => (pattern.test(line) ? [`${source.path}:${index + 1}`] : [])),
    );
}

/** These tests spell the words that they look for. */
const isArch = (path: string) => path.startsWith('test/arch/');

test('the top level holds what the design names and nothing else', () => {
  const fixed = new Set([
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'src',
    'drivers',
    'test',
    'fixtures',
    'packaging',
    'README.md',
  ]);
  const alsoFine = new Set(['LICENSE', 'biome.json', 'vitest.config.ts', 'node_modules', 'dist', 'coverage']);
  const odd = readdirSync(ROOT).filter((name) => !name.startsWith('.') && !fixed.has(name) && !alsoFine.has(name));
  expect(odd).toEqual([]);
});

test('no drawer names', () => {
  const drawers = /(^|\/)(utils?|helpers?|common|manager|misc)(\/|\.ts$)/;
  expect(everything.filter(({ path }) => drawers.test(path)).map(({ path }) => path)).toEqual([]);
});

test('file names are kebab-case', () => {
  const odd = everything.filter(
    ({ path }) => !/^([a-z0-9_]+[a-z0-9-]*\/)*[a-z0-9][a-z0-9-]*(\.[a-z0-9-]+)*\.tsx?$/.test(path),
  );
  expect(odd.map(({ path }) => path)).toEqual([]);
});

test('each file opens with a comment that says what it promises', () => {
  const silent = ours.filter(
    ({ lines }) =>
      !/^(\/\/|\/\*)/.test(lines[0] === undefined || lines[0].startsWith('#!') ? (lines[1] ?? '') : lines[0]),
  );
  expect(silent.map(({ path }) => path)).toEqual([]);
});

test('no any, no casts, no switched-off checks', () => {
  expect(findings(everything, /(: any\b|<any\b|\bas any\b|\bany\[\])/, isArch)).toEqual([]);
  expect(findings(ours, /[\w)\]}'"`>]\s+as\s+(?!const\b)[\w{[(]/).filter((place) => !isAlias(place))).toEqual([]);
  expect(
    everything
      .filter(({ text, path }) => /@ts-(ignore|nocheck|expect-error)/.test(text) && !isArch(path))
      .map(({ path }) => path),
  ).toEqual([]);
});

/** `import { a as b }` is a name, not a cast. */
function isAlias(place: string): boolean {
  const [path, line] = place.split(':');
  const source = ours.find((entry) => entry.path === path);
  const text = source?.lines[Number(line) - 1] ?? '';
  return /^(import|export)\b|^\s+(type )?\w+ as \w+,?$|\* as \w+/.test(text);
}

test('no enum, no default export, no coercion that turns blanks into zero', () => {
  expect(findings(ours, /^\s*(export\s+)?(const\s+)?enum\s/)).toEqual([]);
  expect(findings(ours, /^export default/)).toEqual([]);
  expect(findings(ours, /\.coerce\b/, (path) => !/^(drivers|src\/(wire|driver|model))\//.test(path))).toEqual([]);
});

test('time is read and waited for in one place', () => {
  // A browser has its own.
  const clocks = (path: string) => path === 'src/base/clock.ts' || path === 'src/page/time.ts';
  expect(
    findings(programSources('src', 'drivers'), /\b(Date\.now\(|setTimeout\(|setInterval\(|new Date\(\))/, clocks),
  ).toEqual([]);
});

test('the process ends only in main', () => {
  expect(findings(programSources('src', 'drivers'), /\bprocess\.exit\(/, (path) => path === 'src/main.ts')).toEqual([]);
});

test('no shell, no eval, no code from text', () => {
  expect(findings(ours, /\beval\(|new Function\(/)).toEqual([]);
  // One file gives a thread its code as text: in the single program that is a part of it.
  const threads = ['src/service/http/pages/page-thread.ts'];
  expect(findings(ours, /\beval: /, (path) => threads.includes(path))).toEqual([]);
  // One file may start programs: those of the service manager, and the new version that an update has to try. One
  // starts this program again, for the drivers of a folder, and one for the check of a driver. One compiles the text of
  // a driver to find a mistake in it, and runs nothing.
  const starters = [
    'src/base/platform/service-manager.ts',
    'src/driver/load/process/driver-process.ts',
    'src/cli/driver/own-process.ts',
    'src/driver/load/place.ts',
  ];
  const shells = ours
    .flatMap(importsOf)
    .filter(({ to, from }) => /^(node:)?(child_process|vm)$/.test(to) && !starters.includes(from));
  expect(shells).toEqual([]);
});

test('tests are neither skipped nor alone', () => {
  expect(findings(sources('test', 'drivers'), /\b(it|test|describe)\.(only|todo|skip)\b/, isArch)).toEqual([]);
});

test('no left-overs', () => {
  expect(
    everything.filter(({ text, path }) => /\b(TODO|FIXME|XXX)\b/.test(text) && !isArch(path)).map(({ path }) => path),
  ).toEqual([]);
});

test('the version is the same everywhere', () => {
  const manifest: unknown = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  expect(manifest).toMatchObject({ version: VERSION });
});

test('a package that runs a script when it is installed is one that was looked at, and npm installs no other', () => {
  expect(readFileSync(join(ROOT, '.npmrc'), 'utf8')).toMatch(/^strict-allow-scripts=true$/m);
  const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));
  const { allowScripts } = z.object({ allowScripts: z.record(z.string(), z.boolean()) }).parse(read('package.json'));
  const { packages } = z
    .object({ packages: z.record(z.string(), z.object({ hasInstallScript: z.boolean().optional() })) })
    .parse(read('package-lock.json'));
  const scripted = Object.entries(packages).flatMap(([path, { hasInstallScript }]) =>
    hasInstallScript === true ? [path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)] : [],
  );
  expect(scripted.filter((name) => !(name in allowScripts))).toEqual([]);
});

test('text that cannot be seen is looked for by one rule', () => {
  const pattern = /\\p\{(Cc|Cf|Zl|Zp|Cs)\}/;
  expect(findings(ours, pattern, (path) => path === 'src/model/plain-text.ts')).toEqual([]);
});

test.runIf(existsSync(join(ROOT, '.git')))('the baseline of tests beside an earlier version can be built', () => {
  const text = readFileSync(join(ROOT, 'test/skew/baseline.json'), 'utf8');
  const { version, commit } = z.strictObject({ version: z.string(), commit: z.hash('sha1') }).parse(JSON.parse(text));
  const git = (...args: string[]) => execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' });
  expect(JSON.parse(git('show', `${commit}:package.json`))).toMatchObject({ version });
  expect(() => git('merge-base', '--is-ancestor', commit, 'HEAD')).not.toThrow();
});

// The single program for this platform, built as a release is: it contains what it needs, checks itself, and two builds
// are the same bytes.
import { execFileSync, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VERSION } from '../../src/base/version.ts';
import { ROOT } from '../arch/sources.ts';
import { report } from '../fault/table.ts';
import { loopback } from '../support/loopback.ts';
import { driverText } from '../unit/driver/load/driver-files.ts';

const TARGET = `${process.platform === 'win32' ? 'win' : 'linux'}-${process.arch}`;
const lockedSchema = z.object({ version: z.string(), dev: z.boolean().default(false) });
const dist = join(ROOT, 'dist');
const binary = join(dist, `pithead-${TARGET}${process.platform === 'win32' ? '.exe' : ''}`);

const build = (root = ROOT) =>
  execFileSync(process.execPath, [join(root, 'packaging', 'binary', 'build.ts'), '--target', TARGET], {
    cwd: root,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  });
const hash = (path = binary) => createHash('sha256').update(readFileSync(path)).digest('hex');

let folder: string;
let sums: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-binary-'));
  sums = build();
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Away from the project: nothing of it may be found by chance. */
const run = (...args: string[]) =>
  execFileSync(binary, args, {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
  });

test('it knows its version, and its checksum is in the list', () => {
  expect(run('--version').trim()).toBe(VERSION);
  expect(sums).toContain(`${hash()}  pithead-${TARGET}`);
  expect(statSync(binary).size).toBeLessThan(140e6);
});

test('every part works inside it', () => {
  const { binary: isBinary, checks } = JSON.parse(run('selftest', '--json', '--network', loopback().network));
  expect(isBinary).toBe(true);
  expect(checks.filter(({ ok }: { ok: boolean }) => !ok)).toEqual([]);
  expect(checks.length).toBeGreaterThanOrEqual(6);
});

test('it runs drivers of a folder, in a process that may read that folder and no more', () => {
  const site = mkdtempSync(join(folder, 'site-'));
  const drivers = join(site, 'drivers');
  mkdirSync(drivers, { mode: 0o755 });
  const config = join(site, 'pithead.yaml');
  const put = (path: string, text: string) => writeFileSync(path, text, { mode: 0o644 });
  put(config, 'networks: [192.0.2.0/30]\n');
  for (const ending of ['mjs', 'cjs', 'ts']) put(join(drivers, `toy-${ending}.${ending}`), driverText(`toy-${ending}`));
  put(join(drivers, 'toy-cjs.cjs'), driverText('toy-cjs').replace('export default', 'module.exports ='));
  const attempts = [
    `fs.writeFileSync(${JSON.stringify(join(drivers, 'out'))}, 'x')`,
    `fs.readFileSync(${JSON.stringify(config)})`,
    "process.getBuiltinModule('child_process').execFileSync('id')",
    "new (process.getBuiltinModule('worker_threads').Worker)('1', { eval: true })",
  ];
  const tried = attempts.map(
    (attempt) => `try { ${attempt}; said.push('DONE'); } catch ({ code }) { said.push(code); }`,
  );
  put(
    join(drivers, 'bold.mjs'),
    `const said = []; const fs = process.getBuiltinModule('fs'); ${tried.join('\n')} throw new Error(said.join());`,
  );
  const { status, stdout } = spawnSync(binary, ['doctor', '--json', '--config', config], {
    cwd: folder,
    encoding: 'utf8',
    env: { PATH: process.env.PATH, HOME: folder, TMPDIR: folder },
  });
  expect(status).toBe(1);
  const texts = JSON.parse(stdout)
    .findings.filter(({ about }: { about: string }) => about === 'driver')
    .map(({ text }: { text: string }) => text);
  expect(texts).toEqual([
    ...['cjs', 'mjs', 'ts'].map((ending) => expect.stringMatching(`^toy-${ending} of .*; it only reads$`)),
    expect.stringMatching(
      /bold\.mjs is refused: bold\.mjs:\d+:\d+: ERR_ACCESS_DENIED,ERR_ACCESS_DENIED,ERR_ACCESS_DENIED,ERR_ACCESS_DENIED$/,
    ),
  ]);
});

test('the handbook is in it, whole', () => {
  const pages = join(ROOT, 'packaging', 'handbook');
  for (const topic of ['security', 'configuration']) {
    const page = readFileSync(join(pages, `${topic}.md`), 'utf8').replaceAll(/^<!--.*-->\n\n?/gm, '');
    expect(run('help', topic)).toBe(page);
  }
  const listed = run('help');
  for (const page of readdirSync(pages)) expect(listed).toContain(`\n  ${page.replace('.md', '')} `);
});

test('a build in another folder is the same, byte for byte, and so is its bill of materials', () => {
  const other = join(folder, 'elsewhere', 'sources of a release');
  mkdirSync(join(other, 'dist', '.build'), { recursive: true });
  const isSource = (name: string) => !name.startsWith('.') && name !== 'dist';
  // As links to the same files: they are read, and what would follow them is where they are.
  for (const name of readdirSync(ROOT).filter(isSource)) execFileSync('cp', ['-al', join(ROOT, name), other]);
  // Fetched once is enough.
  for (const name of readdirSync(join(dist, '.build')).filter((file) => file.endsWith('.tgz')))
    cpSync(join(dist, '.build', name), join(other, 'dist', '.build', name));
  build(other);
  const made = [basename(binary), 'pithead.cdx.json', 'THIRD-PARTY-LICENSES.txt'];
  const differing = made.filter((name) => hash(join(other, 'dist', name)) !== hash(join(dist, name)));
  const namesPlace = readFileSync(binary).includes(ROOT);
  report({
    id: 'S21',
    value: `two builds in two folders: ${differing.length === 0 ? 'program, bill of materials and licences are the same bytes' : `${differing.join(', ')} differ`}${namesPlace ? '; the program names the place of its build' : ''}`,
    bar: 'identical bundles, identical bill of materials',
    isMet: differing.length === 0 && !namesPlace,
  });
});

test('the bill of materials names what the lock file says is shipped, and no tool of the developers', () => {
  const { components, dependencies, metadata } = JSON.parse(readFileSync(join(dist, 'pithead.cdx.json'), 'utf8'));
  expect(metadata.component).toMatchObject({ type: 'application', name: 'pithead', version: VERSION });
  const { packages } = z
    .object({ packages: z.record(z.string(), lockedSchema) })
    .parse(JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8')));
  const shipped = Object.entries(packages).flatMap(([path, { dev, version }]) =>
    path === '' || dev ? [] : [`${path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length)}@${version}`],
  );
  const named = components.map((entry: { 'bom-ref': string }) => entry['bom-ref']);
  expect(named.toSorted()).toEqual([...new Set(shipped)].toSorted());
  expect(named).toEqual(expect.arrayContaining([expect.stringMatching(/^pg@/), expect.stringMatching(/^undici@8/)]));
  const linked = dependencies.flatMap(({ dependsOn }: { dependsOn: string[] }) => dependsOn);
  expect(linked.filter((ref: string) => !named.includes(ref))).toEqual([]);
});

test('the licences of what is in it lie beside it', () => {
  const text = readFileSync(join(dist, 'THIRD-PARTY-LICENSES.txt'), 'utf8');
  for (const name of ['Node.js', 'undici', 'fastify', 'zod', 'pg', 'swagger-ui-dist'])
    expect(text).toMatch(new RegExp(`^${name} \\d`, 'm'));
  expect(text).not.toContain('\nvitest ');
  expect(text.match(/Permission is hereby granted/g)?.length).toBeGreaterThan(50);
});

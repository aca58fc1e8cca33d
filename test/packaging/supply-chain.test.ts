// What the program is made of, and how it comes in (S21): every package by the checksum of the lock file, no script of
// a package that was not let, no package and no licence that nobody has looked at.
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'vitest';
import { z } from 'zod';
import { BROUGHT, LIBRARIES, LICENCES } from '../../packaging/libraries.data.ts';
import { ROOT } from '../arch/sources.ts';
import { report } from '../fault/table.ts';

const read = (file: string) => readFileSync(join(ROOT, file), 'utf8');
const entrySchema = z.object({
  version: z.string(),
  integrity: z.string().optional(),
  resolved: z.string().optional(),
  license: z.string().optional(),
  hasInstallScript: z.boolean().default(false),
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
});
const ranges = z.record(z.string(), z.string());
const rootSchema = z.object({ dependencies: ranges, devDependencies: ranges });
const lockSchema = z.object({ packages: z.looseObject({ '': rootSchema }) });
const manifestSchema = rootSchema.extend({ allowScripts: z.record(z.string(), z.boolean()) });

const manifest = manifestSchema.parse(JSON.parse(read('package.json')));
const { '': ownEntry, ...others } = lockSchema.parse(JSON.parse(read('package-lock.json'))).packages;
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
const locked = Object.entries(others).map(([path, entry]) => ({ name: nameOf(path), ...entrySchema.parse(entry) }));
const shipped = locked.filter(({ dev, optional }) => !dev && !optional);

/** One string each; none when all is well. */
function problems(): string[] {
  const found: string[] = [];
  const must = (isSo: boolean, problem: string) => {
    if (!isSo) found.push(problem);
  };
  const { allowScripts, dependencies, devDependencies } = manifest;
  must(/^strict-allow-scripts=true$/m.test(read('.npmrc')), 'install scripts are not off in .npmrc');
  must(isSame(ownEntry, { dependencies, devDependencies }), 'package.json and the lock file name other versions');
  for (const [name, range] of Object.entries({ ...dependencies, ...devDependencies }))
    must(/^\d+\.\d+\.\d+[\w.-]*$/.test(range), `${name} ${range} is no exact version`);
  for (const { name, version, integrity, resolved, hasInstallScript } of locked) {
    must(/^sha512-/.test(integrity ?? ''), `${name} ${version} has no checksum`);
    must(!/^(git|file|http:)/.test(resolved ?? ''), `${name} ${version} comes from ${resolved}`);
    must(!hasInstallScript || name in allowScripts, `the install script of ${name} is neither let nor forbidden`);
  }
  const scripts = new Set(locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name));
  for (const name of Object.keys(allowScripts))
    must(scripts.has(name), `${name}, named in allowScripts, has no script`);
  const known = new Set([...Object.keys(LIBRARIES), ...BROUGHT]);
  for (const { name, license = 'none' } of shipped) {
    must(known.has(name), `${name} is in no list`);
    must(LICENCES.includes(license), `${name} has the licence ${license}`);
    must(allowScripts[name] !== true, `${name}, which is shipped, runs a script when it is installed`);
  }
  return found;
}

const isSame = (one: z.output<typeof rootSchema>, other: z.output<typeof rootSchema>) =>
  JSON.stringify([one.dependencies, one.devDependencies]) ===
  JSON.stringify([other.dependencies, other.devDependencies]);

test('packages come in by the lock file, and each is known', () => {
  const found = problems();
  for (const problem of found) process.stdout.write(`S21: ${problem}\n`);
  const scripts = locked.filter(({ hasInstallScript }) => hasInstallScript);
  const let_ = scripts.filter(({ name }) => manifest.allowScripts[name] === true).length;
  report({
    id: 'S21',
    value: `${locked.length} packages locked by checksum, ${shipped.length} of them shipped; ${let_} of ${scripts.length} install scripts let, none of them shipped; ${found.length} unexplained`,
    bar: 'lock file, scripts off, licences and names listed: 0 unexplained new packages',
    isMet: found.length === 0 && shipped.length > 50,
  });
});

const auditSchema = z.object({
  metadata: z.object({ vulnerabilities: z.object({ high: z.number(), critical: z.number() }) }),
});

test('no advisory is high', ({ skip }) => {
  const { stdout } = spawnSync('npm', ['audit', '--omit=dev', '--json'], {
    cwd: ROOT,
    encoding: 'utf8',
    timeout: 60_000,
  });
  const answer = auditSchema.safeParse(parsed(stdout));
  if (!answer.success) {
    if (process.env.PITHEAD_REQUIRE_AUDIT === '1') throw new Error(`ask for advisories: ${stdout.slice(0, 500)}`);
    process.stdout.write('S21: advisories are not known here: whom npm asks does not tell them\n');
    return skip('advisories are not known here');
  }
  const { high, critical } = answer.data.metadata.vulnerabilities;
  report({ id: 'S21', value: `${high + critical} high advisories`, bar: '0 high', isMet: high + critical === 0 });
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

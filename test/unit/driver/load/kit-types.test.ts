// The type file for editors: a compiler takes it, it agrees with the contract, and it names what the kit has.
import { execFile } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import * as kit from '../../../../src/driver/kit/index.ts';
import { writeKitTypes } from '../../../../src/driver/load/kit-types.ts';
import { folderWith } from './driver-files.ts';

const ROOT = join(import.meta.dirname, '..', '..', '..', '..');
const run = promisify(execFile);

/** What the compiler says of these files, beside the type file. */
async function compile(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = folderWith({ ...files, 'package.json': '{ "type": "module" }' });
  writeKitTypes(folder, kit);
  const { compilerOptions } = JSON.parse(readFileSync(join(ROOT, 'tsconfig.json'), 'utf8'));
  const options = {
    ...compilerOptions,
    checkJs: true,
    exactOptionalPropertyTypes: false,
    allowJs: true,
    typeRoots: [join(ROOT, 'node_modules', '@types')],
  };
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions: options, include: ['*'] }));
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc');
  try {
    const { stdout } = await run(process.execPath, [tsc, '-p', folder]);
    return stdout;
  } catch (error) {
    return error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error);
  }
}

const driver = (reading: string) => `/** @param {import('./pithead-kit.d.ts').Kit} kit */
export default (kit) =>
  kit.defineDriver({
    id: 'toy', make: 'Toy', covers: [], abilities: {}, login: { kind: 'none' }, quirks: {},
    asks: { summary: { every: 'poll', via: 'cgminer', command: 'summary' } },
    identify: ({ family }) => (family === 'toy' ? { confidence: 'sure' } : undefined),
    read: () => (${reading}),
  });
`;

test('knows a good driver from a wrong one', async () => {
  expect(await compile({ 'toy.mjs': driver('{ hashrateHs: 1, boards: [{ slot: 0, chips: 3 }] }') })).toBe('');
  expect(await compile({ 'toy.mjs': driver('{ hashrateHs: "1" }') })).toMatch(/toy\.mjs.*string.*number/s);
  expect(await compile({ 'toy.mjs': driver('{}').replace("'poll'", "'often'") })).toContain('\'"often"\'');
});

test('agrees with the contract', async () => {
  const path = join(ROOT, 'src', 'driver', 'contract.ts');
  const said = await compile({
    'agrees.ts': `import type * as Real from ${JSON.stringify(path)};
import type { Reading } from ${JSON.stringify(join(ROOT, 'src', 'model', 'reading.ts'))};
import type * as Written from './pithead-kit.d.ts';
declare const written: { ask: Written.Ask; family: Written.Driver['covers'][number]; reading: Written.Reading; identity: Written.Identity; quirks: Written.Driver['quirks']; login: Written.Driver['login']; families: Written.Family[] };
declare const real: { evidence: Real.Evidence; reading: Reading; link: Real.MinerLink; identity: Real.Identity; known: Real.Known };
export const ask: Real.Ask = written.ask;
export const covers: Real.Driver['covers'] = [written.family];
export const families: Real.Driver['families'] & object = written.families;
export const identity: Real.Identity = written.identity;
export const quirks: Real.Driver['quirks'] = written.quirks;
export const login: Real.Driver['login'] = written.login;
export const evidence: Written.Evidence = real.evidence;
export const reading: Written.Reading = real.reading;
export const link: Written.Link = real.link;
export const known: Parameters<Written.Ability['act']>[2] = real.known;
export const ability: Pick<Real.Ability, 'effect' | 'offlineS'> = {} as Written.Ability;
`,
  });
  expect(said).toBe('');
});

// The type file for editors: it is what the compiler says of the kit today, a compiler takes it without any library,
// and it knows a good driver from a wrong one.
import { lstatSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { draftOf } from '../../../../src/cli/driver/draft/draft.ts';
import { driverText } from '../../../../src/cli/driver/draft/text.ts';
import * as kit from '../../../../src/driver/kit/index.ts';
import { findCandidates } from '../../../../src/driver/load/candidates.ts';
import { kitTypesText, TYPES_FILE, writeKitTypes } from '../../../../src/driver/load/kit-types.ts';
import { areKitTypesCurrent } from '../../../handbook/kit-types/data-file.ts';
import { compile, ROOT } from './compile.ts';
import { folderWith, open, put } from './driver-files.ts';

/** With everything of the kit that most drivers need. */
const TOY = `// @ts-check
/** @param {import('./pithead-kit.d.ts').Kit} kit */
export default (kit) => {
  const session = kit.cookieSession({
    name: 'toy',
    path: '/login',
    form: ({ user, password }) => ({ user, password }),
  });

  /** @param {import('./pithead-kit.d.ts').Answer} board @param {number} slot */
  const boardOf = (board, slot) => ({
    slot,
    chips: board.count('chips'),
    hashrateHs: board.rateHs('rate', 'T'),
    boardTempsC: [board.tempC('inlet'), board.tempC('outlet')],
  });

  return kit.defineDriver({
    id: 'toy',
    make: 'Toy',
    covers: [{ models: 'Toy T1', firmware: '1.x', evidence: 'claimed' }],
    families: [
      { id: 'toy', tcp: [{ words: ['TOY'] }], page: { path: '/api', shape: kit.z.looseObject({ toy: kit.z.int() }) } },
    ],
    asks: {
      summary: { every: 'poll', ...kit.tcp('summary'), needs: 'SUMMARY' },
      status: { every: 'slow', ...kit.get('/api/status', session), needs: (answer) => answer.has('uptime') },
      old: { every: 'static', ...kit.get('/status', 'digest'), insteadOf: 'status' },
    },
    login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
    abilities: {
      reboot: kit.reboot([30, 120], (link) =>
        kit.orLostReply(() => kit.command(link, 'restart', kit.post('/reboot', session))),
      ),
      light: kit.light((link, on) =>
        kit.command(link, 'set the light of', kit.post('/light', session, { json: { on } }), (answer) =>
          answer.bool('ok') === true ? true : kit.refused(answer.text('message')),
        ),
      ),
      powerMode: kit.ability({
        effect: 'once',
        offlineS: [0, 60],
        params: kit.z.looseObject({ mode: kit.z.string(), watts: kit.z.number().optional() }),
        act: (link, { mode, watts }) =>
          kit.command(link, 'set the mode of', kit.post('/mode', session, { json: [mode.length, watts?.toFixed()] })),
        shows: ({ miningMode }, { mode }) => miningMode === mode,
      }),
    },
    identify: ({ version }, ours) => ours && { ...ours, model: kit.versionTexts(version).Type },
    read({ summary, status }, { generation }) {
      const row = summary.row('SUMMARY');
      return {
        ...kit.hashrates(row),
        uptimeS: status.seconds('uptime'),
        firmwareVersion: generation ?? status.name('version'),
        boards: status.rows('boards')?.map(boardOf),
        pools: kit.cgminerPools(status),
        expected: kit.knownModel('luxos', status.name('model'))?.expected,
      };
    },
  });
};
`;

const toyWith = (from: string, to: string) => {
  expect(TOY).toContain(from);
  return TOY.replace(from, to);
};

/** What is right in the driver above, what is wrong in its place, and what the compiler says of that. */
const WRONG = [
  ["'rate', 'T'", "'rate', 'TH/s'", `'"TH/s"' is not assignable`],
  ['uptimeS:', 'uptime:', "Types of property 'uptime' are incompatible"],
  ["chips: board.count('chips')", "chip: board.count('chips')", "Types of property 'chip' are incompatible"],
  ["uptimeS: status.seconds('uptime')", "uptimeS: status.text('uptime')", "'string' is not assignable"],
  ["every: 'poll'", "every: 'often'", `'"often"' is not assignable`],
  ["chips: board.count('chips')", "chips: board.counts('chips')", "'counts' does not exist"],
  ["every: 'slow', ...kit.get", "every: 'slow', ...kit.got", "'got' does not exist"],
  ['read({ summary, status }', 'read({ summary, state: status }', "'state' does not exist"],
  ["evidence: 'claimed'", "evidence: 'believed'", `'"believed"' is not assignable`],
  ["kind: 'session'", "kind: 'cookie'", `'"cookie"' is not assignable`],
  ["effect: 'once'", "effect: 'twice'", `'"twice"' is not assignable`],
  ['mode.length', 'mode.size', "'size' does not exist"],
  ['(link, on) =>', '(on, link) =>', "'boolean' is not assignable"],
  ["kit.knownModel('luxos'", "kit.knownModel('luxor'", `'"luxor"' is not assignable`],
] as const;

describe('the type file', () => {
  test('is what the compiler says of the kit: npm run handbook', () => {
    expect(areKitTypesCurrent()).toBe(true);
    const declared = [...kitTypesText().matchAll(/^export declare (?:const|function|class|namespace) (\w+)/gm)];
    expect(declared.map(([, name]) => name).toSorted()).toEqual(Object.keys(kit).toSorted());
  });

  test('is small, and holds no table', () => {
    expect(kitTypesText().length).toBeLessThan(100_000);
    expect(kitTypesText()).not.toContain('Antminer S19');
  });

  test.each(['nodenext', 'preserve'])('takes a good driver and a new one, as module %s', async (module) => {
    const kinds = ['none', 'page', 'digest'] as const;
    const news = kinds.map((login) => driverText({ ...draftOf('my-miner', undefined), login }, 'folder'));
    for (const text of news) expect(text).toContain(`'./${TYPES_FILE}'`);
    const files = ['toy.mjs', ...kinds.map((kind) => `${kind}.mjs`), 'toy/index.mjs'];
    const texts = [TOY, ...news, TOY.replaceAll(`./${TYPES_FILE}`, `../${TYPES_FILE}`)];
    expect(await compile(Object.fromEntries(files.map((file, at) => [file, texts[at] ?? ''])), { module })).toBe('');
  });

  test('takes what the strictest compiler takes', async () => {
    const strictest = { exactOptionalPropertyTypes: true, noUncheckedIndexedAccess: true };
    // A text that may be missing is no model then.
    const plain = toyWith('kit.versionTexts(version).Type', "kit.versionTexts(version).Type ?? 'T1'");
    expect(await compile({ 'toy.mjs': plain }, strictest)).toBe('');
  });

  test('refuses what the kit does not have', async () => {
    const files = WRONG.map(([right, wrong], at): [string, string] => [`wrong${at}.mjs`, toyWith(right, wrong)]);
    const said = await compile(Object.fromEntries(files));
    const errors = said.split(/^(?=wrong)/m);
    for (const [at, [, wrong, why]] of WRONG.entries())
      expect(errors.filter((error) => error.startsWith(`wrong${at}.mjs`)).join(''), wrong).toContain(why);
  });
});

/** Type-checks only where both are the same to the compiler. */
const SAME = `type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
type Plain<T> = T extends RegExp | Blob | ((...given: never[]) => unknown) ? T : { [K in keyof T]: Plain<T[K]> };
`;
const REAL = { allowImportingTsExtensions: true, skipLibCheck: true, types: ['node'] };
const withNode = { ...REAL, typeRoots: [join(ROOT, 'node_modules', '@types')], exactOptionalPropertyTypes: true };

describe('agrees with the real one', () => {
  test('in what drivers are called with and give', async () => {
    const names = ['Reading', 'BoardReading', 'Expectation', 'Draft', 'Identity', 'Evidence', 'Known', 'MinerRequest'];
    const lines = names.map(
      (name) => `export const same${name}: Same<Plain<Real.${name}>, Plain<Written.${name}>> = true;`,
    );
    const text = `import type * as Real from '${join(ROOT, 'src/driver/kit/index.ts')}';
import type * as Written from './pithead-kit.d.ts';
${SAME}${lines.join('\n')}
export const wrong: Same<Plain<Real.Known>, Plain<Written.Identity>> = true;
`;
    expect(await compile({ 'agrees.mts': text }, withNode)).toMatch(
      /^agrees\.mts\(\d+,14\): error TS2322: Type 'true' is not assignable to type 'false'\.\n$/,
    );
  });

  test('in the part of zod that it knows', async () => {
    const declared = /^export declare namespace z \{\n[\s\S]*?^\}/m.exec(kitTypesText())?.[0] ?? '';
    const functions = [...declared.matchAll(/^ {2}function (\w+)/gm)].map(([, name = '']) => name);
    expect(functions.length).toBeGreaterThan(10);
    expect(functions.filter((name) => typeof Object.getOwnPropertyDescriptor(z, name)?.value !== 'function')).toEqual(
      [],
    );
    const shapeOf = (zod: string) => `${zod}.object({
  text: ${zod}.string().min(1).max(9).regex(/a/).optional(), count: ${zod}.int().min(0).nullable(),
  word: ${zod}.literal(['a', 'b']), list: ${zod}.array(${zod}.url()), either: ${zod}.union([${zod}.number(), ${zod}.boolean()]),
  loose: ${zod}.looseObject({ a: ${zod}.unknown() }), pair: ${zod}.tuple([${zod}.string(), ${zod}.number()]),
  table: ${zod}.record(${zod}.string(), ${zod}.strictObject({ b: ${zod}.int().optional() })), usual: ${zod}.string().optional().default('x'),
  size: ${zod}.string().transform((text) => text.length),
})`;
    const text = `import { z as Real } from '${join(ROOT, 'node_modules/zod/index.js')}';
import type { z as Z } from './pithead-kit.d.ts';
declare const Stub: typeof Z;
${SAME}const real = ${shapeOf('Real')};
const stub = ${shapeOf('Stub')};
export const same: Same<Plain<Real.output<typeof real>>, Plain<Z.output<typeof stub>>> = true;
export const taken: Z.ZodType<{ word: 'a' | 'b' }> = stub;
`;
    expect(await compile({ 'agrees.mts': text }, withNode)).toBe('');
  });
});

describe('writeKitTypes', () => {
  test('writes what is missing or different, and leaves what is right', () => {
    const folder = folderWith({});
    const path = join(folder, TYPES_FILE);
    writeKitTypes(folder);
    expect(readFileSync(path, 'utf8')).toBe(kitTypesText());
    expect(readdirSync(folder)).toEqual([TYPES_FILE]);
    utimesSync(path, 1, 1);
    writeKitTypes(folder);
    expect(statSync(path).mtimeMs).toBe(1_000);
    writeFileSync(path, kitTypesText().replace('Kit', 'Kid'));
    writeKitTypes(folder);
    expect(readFileSync(path, 'utf8')).toBe(kitTypesText());
  });

  test('touches nothing else, and fails nowhere', () => {
    const folder = folderWith({ 'other.txt': 'other' });
    symlinkSync('other.txt', join(folder, TYPES_FILE));
    writeKitTypes(folder);
    expect(lstatSync(join(folder, TYPES_FILE)).isSymbolicLink()).toBe(true);
    expect(readFileSync(join(folder, 'other.txt'), 'utf8')).toBe('other');
    writeKitTypes(join(folder, 'other.txt'));
    writeKitTypes(join(folder, 'not', 'there'));
    writeKitTypes(join(ROOT, 'drivers'));
    expect(readdirSync(folder).toSorted()).toEqual(['other.txt', TYPES_FILE].toSorted());
    expect(readdirSync(join(ROOT, 'drivers'))).not.toContain(TYPES_FILE);
  });

  test('is no driver, and an agent that loads the folder writes it', async () => {
    const path = folderWith({});
    put(path, 'sub/index.mjs', '');
    writeKitTypes(join(path, 'sub'));
    await open(path);
    expect(readdirSync(path)).toEqual(['sub']);
    const { folder } = await open(path, { writesTypes: true });
    expect(readFileSync(join(path, TYPES_FILE), 'utf8')).toBe(kitTypesText());
    expect(folder.refused().map(({ id }) => id)).toEqual(['sub']);
    expect((await findCandidates(path)).candidates.map(({ id }) => id)).toEqual(['sub']);
  });
});

// From the words of a command to the params of a task: what is written wrong is refused with the option that it is
// about, and what is taken is what the task takes.
import { expect, test } from 'vitest';
import { ConfigError } from '../../../../src/base/errors.ts';
import { firmwareParams, poolParams, powerParams, type VerbFlags } from '../../../../src/cli/acts/verbs/params.ts';
import { sentencesOf } from '../../../../src/cli/acts/verbs/verbs.ts';

const URL = 'stratum+tcp://pool.example:3333';

/** The option that is refused, and why. */
function refusalOf(make: () => unknown): string {
  try {
    make();
  } catch (error) {
    if (error instanceof ConfigError) return error.problems.map(({ path, message }) => `${path} ${message}`).join('; ');
    throw error;
  }
  throw new Error('it was taken');
}

test.each([
  ['low', { mode: 'low' }],
  ['Sleep', { mode: 'sleep' }],
  ['3200W', { preset: '3200 W' }],
  ['3200 w', { preset: '3200 W' }],
  ['290MHz', { preset: '290MHz' }],
  ['140 TH/s', { preset: '140 TH/s' }],
])('power %s is %o', (word, params) => {
  expect(powerParams({ word, flags: {} })).toEqual(params);
});

test('a power that cannot be seen is refused', () => {
  expect(refusalOf(() => powerParams({ word: '\u0007', flags: {} }))).toMatch(/^mode .*3200W/);
});

test('pools are the whole list, best first; the worker of the first serves the others, and parts can be kept', () => {
  const flags = { url: URL, worker: 'farm.{rack}-{position}', url2: 'keep', password2: 'keep' };
  expect(poolParams({ word: '', flags })).toEqual({
    pools: [
      { url: URL, user: 'farm.{rack}-{position}' },
      { url: { keep: true }, user: 'farm.{rack}-{position}', password: { keep: true } },
    ],
  });
  expect(poolParams({ word: '', flags: { set: 'summer' } })).toEqual({ pool_set: 'summer' });
});

test.each<[VerbFlags, RegExp]>([
  [{}, /^--url is missing/],
  [{ worker: 'a' }, /^--url is missing/],
  [{ url: URL }, /^--worker is missing/],
  [{ url: 'pool.example', worker: 'a' }, /^--url .*stratum/],
  [{ url: URL, worker: 'a.{rak}' }, /^--worker .*\{rack\}/],
  [{ url: URL, worker: 'a', url2: 'nonsense' }, /^--url2 /],
  [{ url: URL, worker: 'a', url3: URL }, /^--url .*order/],
  [{ url2: URL, worker: 'a' }, /^--url .*order/],
  [{ set: 'summer', url: URL, worker: 'a' }, /^--set /],
])('pools of %o are refused', (flags, refusal) => {
  expect(refusalOf(() => poolParams({ word: '', flags }))).toMatch(refusal);
});

test('an image is one of the folder of the agent, or one of an address with its hash', () => {
  const sha256 = 'a'.repeat(64);
  expect(firmwareParams({ word: 's19.tar.gz', flags: { toVersion: '2026.08', family: 'vnish' } })).toEqual({
    ...{ file: 's19.tar.gz', version: '2026.08', family: 'vnish' },
  });
  const url = 'https://files.example/s19.tar.gz';
  expect(firmwareParams({ word: '', flags: { url, sha256 } })).toEqual({ url, sha256 });
  expect(refusalOf(() => firmwareParams({ word: '', flags: { url } }))).toMatch(/^--sha256 is missing/);
  expect(refusalOf(() => firmwareParams({ word: '', flags: { url, sha256: 'abc' } }))).toMatch(/^--sha256 /);
  expect(refusalOf(() => firmwareParams({ word: '../etc/passwd', flags: {} }))).toMatch(/^file /);
});

test.each([
  ['miner.light.update', { on: false }, 'switch the light of 2 miners off'],
  ['miner.light.update', { on: true }, 'switch the light of 2 miners on'],
  ['miner.power_mode.update', { mode: 'sleep' }, 'put 2 miners to sleep'],
  ['miner.power_mode.update', { mode: 'normal' }, 'wake 2 miners'],
  ['miner.power_mode.update', { preset: '3200 W' }, 'set the power mode of 2 miners'],
  ['miner.pool.lock', { locked: false }, 'unlock the pools of 2 miners'],
])('a batch of %s with %o is called what its verb is called', (task, params, text) => {
  expect(sentencesOf(task, params).act('2 miners')).toBe(text);
});

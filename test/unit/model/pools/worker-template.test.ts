// Workers with braces: what is taken for one, what each brace becomes, and what a miner lacks for it.
import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  factsOf,
  fillTemplate,
  literally,
  parseTemplate,
  TEMPLATE_FACTS,
  TEMPLATE_PATTERN,
  type WorkerFacts,
} from '../../../../src/model/pools/worker-template.ts';

const ALL: WorkerFacts = {
  ip: '10.0.3.17',
  worker: 'old.r1-4',
  mac: 'AA:BB:CC:00:00:15',
  serial: 'JYZZ 0001/a',
  model: 'Antminer S19j Pro+',
  rack: 'C.03',
  position: 7,
};

function fill(template: string, facts: WorkerFacts = ALL) {
  const parts = parseTemplate(template);
  if ('wrong' in parts) return parts.wrong;
  const filled = fillTemplate(parts, facts);
  return 'user' in filled ? filled.user : filled.missing;
}

test.each([
  ['farm.1', 'farm.1'],
  ['account.{ip}', 'account.10x0x3x17'],
  ['account.{ip3}x{ip4}', 'account.3x17'],
  ['account.{mac}', 'account.AABBCC000015'],
  ['account.{serial}', 'account.JYZZ-0001-a'],
  ['account.{rack}-{position}', 'account.C-03-7'],
  ['account.{model}_{ip4}', 'account.Antminer-S19j-Pro_17'],
  ['{{account}}.{ip4}', '{account}.17'],
])('%s becomes %s', (template, worker) => {
  expect(fill(template)).toBe(worker);
});

describe('{worker}', () => {
  test.each([
    ['{worker}', 'old.r1-4', 'old.r1-4'],
    ['{worker}_b', 'old.r1-4', 'old.r1-4_b'],
    ['account.{worker}', 'old.r1-4', 'account.r1-4'],
    ['account.{worker}', 'old.r1.4', 'account.r1.4'],
    ['hall{ip3}.{worker}', 'old.r1-4', 'hall3.r1-4'],
  ])('%s of a miner that mines for %s is %s', (template, worker, becomes) => {
    expect(fill(template, { ...ALL, worker })).toBe(becomes);
  });

  test.each(['old', 'old.', '', undefined])(
    'after an account nothing is taken for it where the miner has %s',
    (worker) => {
      expect(fill('account.{worker}', { ...ALL, worker })).toEqual(['worker']);
    },
  );
});

test.each([
  ['a.{}', 'empty braces'],
  ['a.{name}', 'unknown braces {name}'],
  ['a.{IP}', 'unknown braces {IP}'],
  ['a.{ ip}', 'unknown braces { ip}'],
  ['a.{ip', 'a single {'],
  ['a.ip}', 'a single }'],
  ['a.{{ip}', 'a single }'],
  ['a.{toString}', 'unknown braces {toString}'],
])('%s is wrong: %s', (template, wrong) => {
  expect(fill(template)).toBe(wrong);
  expect(factsOf(template)).toEqual(new Set());
});

test('each fact that a miner lacks is named once; a fact of which nothing can be written is lacking', () => {
  const bare = { ip: '10.0.0.1', serial: ' -/ ', rack: '機' };
  expect(fill('{rack}{rack}-{position}.{mac}{serial}{model}', bare)).toEqual([
    'rack',
    'position',
    'mac',
    'serial',
    'model',
  ]);
});

const templates = fc
  .array(fc.oneof(fc.constantFrom('{', '}', '{}', '{x}', ...TEMPLATE_FACTS.map((fact) => `{${fact}}`)), fc.string()), {
    maxLength: 8,
  })
  .map((parts) => parts.join(''));

test('the pattern that clients know takes what is taken here, and nothing else', () => {
  fc.assert(fc.property(templates, (text) => TEMPLATE_PATTERN.test(text) === !('wrong' in parseTemplate(text))));
});

test('any text can be written as itself', () => {
  fc.assert(
    fc.property(templates, (text) => {
      expect(fill(literally(text))).toBe(text);
    }),
  );
});

test('the handbook has all of them', () => {
  const text = readFileSync('packaging/handbook/miners.md', 'utf8');
  for (const fact of TEMPLATE_FACTS) expect(text).toContain(`\`{${fact}}\``);
});

test('what is filled in adds no dot, no colon and no blank to a worker', () => {
  const texts = fc.string({ unit: 'grapheme' });
  fc.assert(
    fc.property(texts, texts, texts, (serial, rack, model) => {
      const worker = fill('a.{serial}{rack}{model}{mac}{ip}', { ...ALL, serial, rack, model });
      expect(Array.isArray(worker) || /^a\.[A-Za-z0-9_-]+$/.test(String(worker))).toBe(true);
    }),
  );
});

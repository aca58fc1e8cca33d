// One cause, one finding: which flags belong together, and when they are many enough.
import { expect, test } from 'vitest';
import {
  contactKeyOf,
  findingsOf,
  networkOf,
  poolFinding,
  poolKeyOf,
  poolOfKey,
  poolTroubleKey,
} from '../../../src/model/findings/findings.ts';

const T0 = Date.parse('2026-01-02T07:58:00Z');
const members = (count: number, key: string) =>
  Array.from({ length: count }, (_, i) => ({
    ...{ key, ip: `10.0.3.${i + 1}`, sinceMs: T0 + i * 1_000 },
  }));

test('a dead pool of 35 miners is one finding that names them', () => {
  const key = 'pool:stratum.example:3333';
  const [finding, ...others] = findingsOf(members(35, key), () => 35);
  expect(others).toEqual([]);
  expect(finding).toMatchObject({ key, kind: 'pool', title: 'pool stratum.example:3333 dead: 35 miners', of: 35 });
  expect(finding?.minerCount).toBe(35);
  expect(finding?.sample.slice(0, 3)).toEqual(['10.0.3.1', '10.0.3.2', '10.0.3.3']);
  expect(finding?.sample[34]).toBe('10.0.3.35');
});

test('a network whose miners stopped answering says how many of how many', () => {
  const key = contactKeyOf('10.0.3.0/24', T0);
  expect(key).toBe(`contact:10.0.3.0/24@${(T0 / 1_000).toString(36)}`);
  const [finding] = findingsOf(members(40, key), () => 62);
  expect(finding?.title).toBe('10.0.3.0/24: 40 of 62 miners do not answer');
});

test('two miners, or a few of many, have troubles of their own; what was a finding stays one with three', () => {
  expect(findingsOf(members(2, 'pool:p:1'), () => 2)).toEqual([]);
  expect(findingsOf(members(3, 'pool:p:1'), () => 100)).toEqual([]);
  expect(
    findingsOf(
      members(3, 'pool:p:1'),
      () => 100,
      () => true,
    ),
  ).toHaveLength(1);
  expect(
    findingsOf(
      members(2, 'pool:p:1'),
      () => 100,
      () => true,
    ),
  ).toEqual([]);
});

test('a miner that had the same trouble days before does not date the finding', () => {
  const early = { key: 'pool:p:1', ip: '10.0.9.9', sinceMs: T0 - 9 * 86_400_000 };
  const [finding] = findingsOf([early, ...members(10, 'pool:p:1')], () => 11);
  expect(finding?.sinceMs).toBe(T0 + 1_000);
});

test('so many as one switch has fall silent together for one reason, however large their network is; a pool is another matter', () => {
  const silent = contactKeyOf('10.0.3.0/24', T0);
  expect(findingsOf(members(24, silent), () => 240)).toMatchObject([
    { title: '10.0.3.0/24: 24 of 240 miners do not answer' },
  ]);
  expect(findingsOf(members(5, silent), () => 240)).toEqual([]);
  expect(findingsOf(members(24, 'pool:p:1'), () => 240)).toEqual([]);
});

test.each([
  ['elsewhere', 'minor', 'pool p.example:1 dead: 35 of 40 miners use another'],
  ['no-share', 'critical', 'pool p.example:1 accepts no share: 35 of 40 miners'],
  ['rejects', 'major', 'pool p.example:1 rejects shares: 35 of 40 miners'],
] as const)('miners of a pool with the trouble %s are a finding of their own', (trouble, severity, title) => {
  const key = poolTroubleKey('pool:p.example:1', trouble);
  expect(poolOfKey(key)).toBe('pool:p.example:1');
  expect(poolOfKey('pool:p.example:1')).toBe('pool:p.example:1');
  expect(findingsOf(members(35, key), () => 40)).toMatchObject([{ kind: 'pool', severity, title }]);
});

test('a key of a kind that is not known here makes no finding', () => {
  expect(findingsOf(members(9, 'rack:7'), () => 9)).toEqual([]);
});

test.each([
  ['stratum+tcp://Stratum.Example:3333', 'pool:stratum.example:3333'],
  ['stratum.example:3333', 'pool:stratum.example:3333'],
  ['stratum+ssl://user:secret@pool.example:443/path?x=1', 'pool:pool.example:443'],
  ['pool.example', 'pool:pool.example'],
  ['stratum+tcp://Pool.Example.:3333/', 'pool:pool.example:3333'],
  ['pool.example.', 'pool:pool.example'],
  ['stratum+tcp://[2001:DB8::1]:3333#xnsub', 'pool:[2001:db8::1]:3333'],
  ['  ', undefined],
])('%s is the pool %s', (url, key) => {
  expect(poolKeyOf(url)).toBe(key);
});

test('the first pool is the one of the lowest index that has an address', () => {
  const pools = [
    { index: 2, url: 'stratum+tcp://c:3' },
    { index: 1, url: 'stratum+tcp://b:2' },
    { index: 0, url: '' },
  ];
  expect(poolFinding(pools)).toBe('pool:b:2');
  expect(poolFinding([])).toBeUndefined();
  expect(networkOf('10.0.3.17')).toBe('10.0.3.0/24');
});

// The pools of one miner out of those that people ask for: kept parts, what a miner lacks, and what is shown before.
import { expect, test } from 'vitest';
import { needsLocation, needsPools, requestedPoolsSchema } from '../../../../src/model/pools/requested-pools.ts';
import {
  lackingText,
  type PoolFacts,
  previewWorkers,
  resolvePools,
} from '../../../../src/model/pools/resolve-pools.ts';

const KEEP = { keep: true } as const;
const NEW = 'stratum+tcp://new.example:3333';
const SHOWN = [
  { url: 'stratum+tcp://Old.example:3333', user: 'old.r1' },
  { url: 'stratum+tcp://spare.example:3333', user: 'old.spare', isActive: true },
];
const facts: PoolFacts = { ip: '10.0.3.17', rack: 'C03', shown: SHOWN, set: undefined };
const SET = [{ url: 'stratum+tcp://old.example:3333', user: 'old.r1', password: 'secret' }];

test('parts that are given are taken, parts that are kept are those of the pool at the same place', () => {
  const pools = [
    { url: NEW, user: KEEP, password: 'p' },
    { url: KEEP, user: 'account.{rack}' },
  ];
  expect(resolvePools(pools, facts)).toEqual({
    pools: [
      { url: NEW, user: 'old.r1', password: 'p' },
      { url: SHOWN[1]?.url, user: 'account.C03', password: undefined },
    ],
  });
});

test('{worker} is that of the pool in use', () => {
  expect(resolvePools([{ url: NEW, user: 'account.{worker}' }], facts)).toMatchObject({
    pools: [{ user: 'account.spare' }],
  });
});

test('a password is kept where the same pool was set from here', () => {
  const pools = [{ url: KEEP, user: KEEP, password: KEEP }];
  expect(resolvePools(pools, { ...facts, set: SET })).toMatchObject({ pools: [{ password: 'secret' }] });
  expect(resolvePools(pools, { ...facts, set: 'elsewhere' })).toMatchObject({ pools: [{ password: undefined }] });
  const unknown = { lacks: ['no known password of pool 1'] };
  expect(resolvePools(pools, facts)).toEqual(unknown);
  expect(resolvePools(pools, { ...facts, set: [{ ...SET[0], url: NEW, user: 'old.r1' }] })).toEqual(unknown);
  expect(resolvePools(pools, { ...facts, set: [{ url: SET[0]?.url ?? '', user: 'old.r2' }] })).toEqual(unknown);
});

test('what a miner lacks is named, each once', () => {
  const pools = [
    { url: KEEP, user: 'a.{serial}{position}' },
    { url: NEW, user: '{serial}' },
    { url: KEEP, user: KEEP },
  ];
  expect(resolvePools(pools, facts)).toEqual({ lacks: ['no serial number', 'no position', 'no pool 3'] });
  const odd = { ...facts, shown: [{ url: 'old.example', user: '' }] };
  expect(resolvePools([{ url: KEEP, user: KEEP }], odd)).toEqual({
    lacks: ['an address of pool 1 that cannot be sent back', 'no pool 1'],
  });
  expect(resolvePools([{ url: NEW, user: 'a.{no}' }], facts)).toEqual({ lacks: ['unknown braces {no} in the worker'] });
  const long = [{ url: NEW, user: `${'x'.repeat(250)}{ip}` }];
  expect(resolvePools(long, facts)).toEqual({ lacks: ['a worker that is longer than 255'] });
});

test('the miners that lack something are named by address, the others counted', () => {
  const pools = [{ url: NEW, user: 'a.{rack}' }];
  expect(lackingText(pools, [facts])).toBeUndefined();
  const bare = Array.from({ length: 22 }, (_, n) => ({ ...facts, ip: `10.0.0.${n}`, rack: undefined }));
  const text = lackingText(pools, [facts, ...bare]) ?? '';
  expect(text).toMatch(/^22 of 23 miners lack what the pools need: 10\.0\.0\.0 \(no rack\), 10\.0\.0\.1 \(no rack\), /);
  expect(text).toMatch(/10\.0\.0\.19 \(no rack\) and 2 more$/);
});

test('three workers are shown: of the first, of one in the middle, of the last', () => {
  const miners = Array.from({ length: 50 }, (_, n) => ({ ...facts, ip: `10.0.0.${n + 1}` }));
  const pools = [{ url: NEW, user: 'a.{ip4}', password: KEEP }];
  expect(previewWorkers(pools, miners)).toEqual([
    { ip: '10.0.0.1', user: 'a.1' },
    { ip: '10.0.0.25', user: 'a.25' },
    { ip: '10.0.0.50', user: 'a.50' },
  ]);
  expect(previewWorkers(pools, miners.slice(0, 2)).map(({ ip }) => ip)).toEqual(['10.0.0.1', '10.0.0.2']);
  expect(previewWorkers(pools, [])).toEqual([]);
  expect(previewWorkers([{ url: NEW, user: 'a.{mac}' }], miners)).toEqual([]);
});

test.each([
  [{ user: 'a.{rack}' }, true, false],
  [{ user: 'a.{position}' }, true, false],
  [{ user: 'a.{ip}{mac}{{rack}}' }, false, false],
  [{ user: 'a.{worker}' }, false, true],
  [{ user: KEEP }, false, true],
  [{ user: 'a', url: KEEP }, false, true],
  [{ user: 'a', password: KEEP }, false, true],
])('%j needs the location: %s, the pools of the miner: %s', (pool, location, pools) => {
  const requested = requestedPoolsSchema.parse([{ url: NEW, ...pool }]);
  expect([needsLocation(requested), needsPools(requested)]).toEqual([location, pools]);
});

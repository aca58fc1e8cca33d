// Pools that a person writes become what the service is asked for; a saved set comes back without what is hidden.
import { expect, test } from 'vitest';
import { poolsOf, rowsOf } from '../../../src/page/screens/pools/pool-rows.ts';

const URL = 'stratum+tcp://pool.example:3333';

test('the word keep stands for what the miner has; blanks around a part do not count', () => {
  expect(poolsOf([{ url: ' keep ', user: ' farm.{ip4}', passwordKind: 'kept', password: '' }])).toEqual([
    { url: { keep: true }, user: 'farm.{ip4}', password: { keep: true } },
  ]);
});

test('a password is sent as it is written, and none where the usual one is meant', () => {
  const row = { url: URL, user: 'farm' };
  expect(poolsOf([{ ...row, passwordKind: 'given', password: ' keep ' }])).toEqual([{ ...row, password: ' keep ' }]);
  expect(poolsOf([{ ...row, passwordKind: 'usual', password: 'left over' }])).toEqual([row]);
});

test('a saved set is changed from what is shown of it: what is hidden has to be written again', () => {
  const rows = rowsOf([
    { url: URL, user: { keep: true }, password: 'usual' },
    { url: 'stratum+tcp://***@pool.example:3333', user: '{worker}', password: 'given' },
  ]);
  expect(rows).toEqual([
    { url: URL, user: 'keep', passwordKind: 'usual', password: '' },
    { url: '', user: '{worker}', passwordKind: 'given', password: '' },
  ]);
  expect(rowsOf(null)).toHaveLength(1);
});

// Answers of Hiveon firmware that a simulated device does not give: chains of a T9 that are only counted and rated, and
// power beside boards that tell theirs.
import { expect, test } from 'vitest';
import { hiveon } from './index.ts';

type Fields = Readonly<Record<string, unknown>>;
const read = (head: Fields, data: Fields) =>
  hiveon.read({ stats: { STATS: [head, { STATS: 0, ...data }] } }, {}).reading;

test('the chains of a T9 are boards', () => {
  const chains = [2, 9, 10, 4, 13, 14].map((chain) => ({
    [`chain_acn${chain}`]: 18,
    [`chain_rate${chain}`]: '1200',
  }));
  const { boards } = read(
    { Type: 'Antminer T9 HIVEON', Miner: '1.0.0.9' },
    { 'GHS 5s': '7200', ...Object.assign({}, ...chains) },
  );
  expect(boards?.map(({ slot, chips }) => [slot, chips])).toEqual([
    [0, 54],
    [2, 54],
  ]);
});

test('the power of the whole is the one that it names', () => {
  const board = { chain_acn6: 63, chain_rate6: '9000', chain_power6: 640.5 };
  const data = { 'GHS 5s': '9000', ...board, total_power: 1_290 };
  expect(read({ Type: 'Antminer S19 Hiveon' }, data).powerW).toBe(1_290);
});

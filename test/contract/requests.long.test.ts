// What an hour of polling costs each family, counted at its simulated device: no more than its ceiling, and an ordinary
// poll no more than its target.
import { expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { REQUEST_CEILINGS } from './requests.data.ts';
import { countRequests } from './requests.ts';

test('no family is asked more often than its ceiling allows', async () => {
  const rows = await countRequests(loopback().network);
  expect(rows.map(({ family }) => family).toSorted()).toEqual(Object.keys(REQUEST_CEILINGS).toSorted());
  const tooMany = rows.flatMap(({ family, mean, least }) => {
    const { mean: ceiling = 0, target = Number.POSITIVE_INFINITY } = REQUEST_CEILINGS[family] ?? {};
    return [
      ...(mean > ceiling ? [`${family}: ${mean.toFixed(2)} per poll, at most ${ceiling}`] : []),
      ...(least > target ? [`${family}: ${least} in an ordinary poll, at most ${target}`] : []),
    ];
  });
  expect(tooMany).toEqual([]);
});

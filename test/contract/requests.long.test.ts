// What an hour of polling costs each family, counted at its simulated device: no more than its ceiling, and an ordinary
// poll no more than its target.
import { expect, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { familyData } from './contract-files.ts';
import { countRequests } from './requests.ts';

test('no family is asked more often than its ceiling allows', async () => {
  const rows = await countRequests(loopback().network);
  const unbounded = rows.filter(({ family }) => familyData(family).requests === undefined);
  expect(unbounded, 'give each a row `requests` in contract.data.ts of its driver').toEqual([]);
  const tooMany = rows.flatMap(({ family, mean, least }) => {
    const { mean: ceiling = 0, target = Number.POSITIVE_INFINITY } = familyData(family).requests ?? {};
    return [
      ...(mean > ceiling ? [`${family}: ${mean.toFixed(2)} per poll, at most ${ceiling}`] : []),
      ...(least > target ? [`${family}: ${least} in an ordinary poll, at most ${target}`] : []),
    ];
  });
  expect(tooMany).toEqual([]);
});

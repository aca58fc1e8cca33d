// What a machine mines by, from the make and model that lists show.
import { expect, it } from 'vitest';
import { algorithmOf } from '../../../../src/driver/kit/models/algorithms.ts';
import { MODELS } from '../../../../src/driver/kit/models/models.data.ts';

it.each([
  ['Antminer', 'S19 Pro', 'sha256'],
  ['Bitmain', 'Antminer S19 Pro', 'sha256'],
  ['Antminer', 'L7', 'scrypt'],
  ['MicroBT', 'M50S VH50', 'sha256'],
  // A variant that the table does not have.
  ['Antminer', 'S19 Pro of some kind', 'sha256'],
  ['Antminer', 'Z99', null],
  [null, 'no such machine', null],
  [null, null, null],
])('%s %s: %s', (make, model, algorithm) => {
  expect(algorithmOf(make, model)).toBe(algorithm);
});

it('knows it of each model of the table under the name that the table gives', () => {
  const wrong = MODELS.filter(([make, model, algorithm]) => algorithmOf(make, model) !== algorithm);
  expect(wrong.map(([make, model]) => `${make} ${model}`)).toEqual([]);
});

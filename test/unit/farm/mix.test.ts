import { expect, test } from 'vitest';
import { chooseVariants, FAMILY_NAMES, parseMix } from '../../../fixtures/farm/mix.ts';

const all = parseMix('all');
/** What `npm run farm` starts when nobody says how many. */
const DEFAULT_MINERS = 80;

test('the mix of everything has every family in a farm of the usual size', () => {
  const chosen = new Set(chooseVariants(all, DEFAULT_MINERS).map(({ family }) => family));
  expect(FAMILY_NAMES.filter((family) => !chosen.has(family))).toEqual([]);
});

test('and every model of every family in a large one', () => {
  const alone = FAMILY_NAMES.map((family) => new Set(chooseVariants({ [family]: 1 }, 40)).size);
  expect(new Set(chooseVariants(all, 300)).size).toBe(alone.reduce((sum, size) => sum + size, 0));
});

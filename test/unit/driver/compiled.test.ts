// A check that is compiled once it has been used often: it says the same before and after.
import { expect, test } from 'vitest';
import { z } from 'zod';
import { compiledWhenUsed } from '../../../src/driver/compiled.ts';

const replies = z.object({
  summary: z
    .looseObject({ rate: z.number().min(0), boards: z.array(z.object({ tempC: z.number().max(200) })).optional() })
    .optional()
    .catch(undefined),
  state: z.enum(['on', 'off']),
});

test.each([
  { summary: { rate: 1_500.5, boards: [{ tempC: 71 }, { tempC: 900 }, 'none'], more: 1 }, state: 'on' },
  { summary: { rate: -1, boards: [] }, state: 'off' },
  { summary: 'nothing', state: 'on' },
  { summary: { rate: 1 }, state: 'asleep' },
  { state: 'off' },
  undefined,
])('%j', (answer) => {
  const check = compiledWhenUsed(replies);
  const said = Array.from({ length: 100 }, () => check(structuredClone(answer)));
  expect(new Set(said.map((each) => JSON.stringify(each)))).toHaveLength(1);
  expect(said[0]?.data).toEqual(replies.safeParse(answer).data);
  expect(said[0]?.error?.issues).toEqual(replies.safeParse(answer).error?.issues);
});

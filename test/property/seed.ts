// How many cases, and from which seed: PITHEAD_SEED repeats a run, PITHEAD_CASES makes it longer. What fails prints the
// seed and the path of its case.
import { randomInt } from 'node:crypto';
import { inject } from 'vitest';
import { isWhole } from '../fault/table.ts';

const given = Number(process.env.PITHEAD_SEED ?? Number.NaN);
/** In each change there is time for 30 of 160. */
const factor = Number(process.env.PITHEAD_CASES ?? (isWhole ? 1 : 30 / 160));

const seed = Number.isInteger(given) ? given : randomInt(2 ** 31);

/**
 * Parameters of `fc.assert` for this many cases; half as many where it is about what another database does differently.
 */
export const replay = (cases: number) => ({
  seed,
  numRuns: Math.ceil(cases * factor * (inject('postgres') === undefined ? 1 : 0.5)),
  endOnFailure: false,
  verbose: 0,
});

export const seedLine = `PITHEAD_SEED=${seed}`;

// What is expected of every simulated family in every state: which flag, by which evidence, at which place. The exceptions that
// there are, by their reason: `illness` of a family in `contract.data.ts` of its driver names the one that holds.
import type { AnomalyType } from '../../src/model/flags/anomaly-types.ts';

export const STATES = [
  'healthy',
  'dead board',
  'still fan',
  'dead pool',
  'asleep',
  'just booted',
  'stopped by heat',
] as const;
export type State = (typeof STATES)[number];

/** One flag: `source` is how its evidence begins, `message` what must stand in it. */
export type Wanted = { readonly type: AnomalyType; readonly source?: string; readonly message?: RegExp };

export type Expected = {
  /** Each of these is raised. */
  readonly flags: readonly Wanted[];
  /** May be raised too, as it follows from the illness: nothing else may. */
  readonly also?: readonly AnomalyType[];
};

const NOT_HASHING: Wanted = { type: 'low_hashrate', message: /at 0 %|does not hash/ };

/** What holds for a machine with several boards and fans that tells their speeds. */
export const USUAL: Readonly<Record<State, Expected>> = {
  healthy: { flags: [] },
  'dead board': { flags: [{ type: 'hashboard', message: /\bhashboard 1\b/ }], also: ['low_hashrate'] },
  'still fan': { flags: [{ type: 'fan', source: 'fans[1].rpm' }] },
  'dead pool': { flags: [{ type: 'pool' }] },
  asleep: { flags: [] },
  'just booted': { flags: [] },
  'stopped by heat': { flags: [NOT_HASHING] },
};

const LITTLE: Expected = { flags: [], also: ['low_hashrate'] };

export const EXCEPTIONS: Readonly<Record<string, Expected>> = {
  'it has one board: without it nothing hashes': { flags: [NOT_HASHING], also: ['hashboard'] },
  'it has one board, and says what is wrong with it': {
    flags: [{ type: 'hashboard', message: /\bhashboard 0\b/ }],
    also: ['low_hashrate'],
  },
  'it has one fan': { flags: [{ type: 'fan', source: 'fans[0].rpm' }] },
  'it reports no speeds of fans': { flags: [] },
  'it has no fans': { flags: [] },
  'it is cooled by water': { flags: [] },
  'it writes 0 for a fan that stands still and for one that is not there': { flags: [{ type: 'fan', source: 'fans' }] },
  'how many such a machine has is in no table, and it tells those that it has now': LITTLE,
  'several machines tell nothing of single boards, and one of eight or more is within what a rate may miss': LITTLE,
  'it tells nothing of single boards: the rate of the whole is all that shows it': {
    flags: [{ type: 'low_hashrate' }],
  },
  'its pools are behind a login that is never sent': { flags: [] },
  'it tells no state of its pool': { flags: [] },
  'nothing that it reports tells a pause from a stop': { flags: [NOT_HASHING] },
  'none of its pages tells a sleep from a stop': { flags: [NOT_HASHING] },
  'its firmware reports why it stopped': { flags: [{ type: 'temperature', source: 'errors[' }, NOT_HASHING] },
};

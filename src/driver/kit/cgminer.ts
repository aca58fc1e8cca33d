// Answers of the CGMiner kind (atlas 1.1, 1.4), which most families speak on TCP 4028: rates under keys that name their
// window and unit, the device's clock, its pools. It sends nothing.
import type { Reading } from '../../model/reading.ts';
import { first, toKnownText, toNumber } from '../fields.ts';
import type { Answer } from './answer.ts';
import type { PoolDraft } from './draft.ts';
import { poolIsAlive, positive } from './figures.ts';
import { setPools } from './pool-rows.ts';
import { factsOf, type Names } from './words/facts.ts';

/** A question on TCP 4028. */
export const tcp = (command: string, parameter?: string) =>
  ({ via: 'cgminer', command, ...(parameter !== undefined && { parameter }) }) as const;

/** Texts of a raw `version` answer, also when the answer is broken JSON; empty when it has none. Never throws. */
export function versionTexts(raw: string | undefined): Readonly<Record<string, string>> {
  const pairs = raw?.slice(0, 64 * 1024).matchAll(/"([^"\\]{1,64})"\s*:\s*"([^"\\]{0,256})"/g) ?? [];
  return Object.fromEntries(
    [...pairs].flatMap(([, key, value]) => {
      const written = toKnownText(value);
      return key === undefined || written === undefined ? [] : [[key, written]];
    }),
  );
}

/** Device clock of an answer, seconds since the epoch: `When` of `STATUS` (a list or an object), or beside it. */
export function whenS(answer: Answer): number | undefined {
  const list = answer.list('STATUS', 1);
  const status = list === undefined ? answer.at('STATUS') : answer.row('STATUS');
  const seconds = (of: Answer, key: string) => positive(of.seconds(key));
  return first(seconds(status, 'When'), seconds(status, 'when'), seconds(answer, 'When'));
}

type Window = '5s' | '1m' | '5m' | '15m' | '30m' | '24h' | 'av';

/** One window of a row with keys such as `MHS 5s` or `GHS av`, as H/s. */
export function windowHs(row: Answer, window: Window): number | undefined {
  return first(
    row.rateHs(`MHS ${window}`, 'M'),
    row.rateHs(`GHS ${window}`, 'G'),
    row.rateHs(`THS ${window}`, 'T'),
    row.rateHs(`KHS ${window}`, 'K'),
  );
}

const NOW = [
  ['5s', '5s'],
  ['1m', '1m'],
  ['5m', '5m'],
  ['av', 'average'],
] as const;

const SETTLED = [
  ['15m', 900],
  ['5m', 300],
  ['30m', 1_800],
] as const;

type Hashrates = {
  readonly [K in 'hashrateHs' | 'hashrateWindow' | 'hashrateSettledHs' | 'hashrateAverageHs' | 'hashrate24hHs']:
    | Reading[K]
    | undefined;
};

/**
 * The rates of a row of `summary` or `devs`: now = shortest window, settled = 15, 5 or 30 min. A window longer than the
 * program has run counts the time before as 0, so it is not settled.
 */
export function hashrates(row: Answer): Hashrates {
  const now = NOW.find(([window]) => windowHs(row, window) !== undefined);
  const runsS = toNumber(row.value('Elapsed'), { min: 0 }) ?? Infinity;
  const settled = SETTLED.find(([window, lastsS]) => lastsS <= runsS && windowHs(row, window) !== undefined);
  return {
    hashrateHs: now && windowHs(row, now[0]),
    hashrateWindow: now?.[1],
    hashrateSettledHs: settled && windowHs(row, settled[0]),
    hashrateAverageHs: windowHs(row, 'av'),
    hashrate24hHs: windowHs(row, '24h'),
  };
}

/** The pools that are set in an answer to `pools`, see `setPools`. */
export const cgminerPools = (answer: Answer): PoolDraft[] | undefined =>
  setPools(answer.rows('POOLS'), (row) => row.poolAddress('URL'), toPool);

/** The same of rows under names of their own; `names` are those of each field of CGMiner. */
export const poolsNamed = (names: Names, rows: readonly Answer[] | undefined): PoolDraft[] | undefined =>
  setPools(
    rows?.map((row) => factsOf(names, row)),
    (row) => row.poolAddress('URL'),
    toPool,
  );

const toPool = (row: Answer, url: string, place: number): PoolDraft => ({
  index: row.int('POOL', { min: 0, max: 63 }) ?? place,
  url,
  user: row.text('User', 512) ?? '',
  isAlive: poolIsAlive(row.text('Status')),
  isActive: row.bool('Stratum Active'),
  accepted: row.count('Accepted'),
  rejected: row.count('Rejected'),
  stale: row.count('Stale'),
  difficultyAccepted: row.number('Difficulty Accepted', SHARES),
  difficultyRejected: row.number('Difficulty Rejected', SHARES),
  difficultyStale: row.number('Difficulty Stale', SHARES),
  difficulty: first(
    row.positive('Stratum Difficulty', SHARES.max),
    row.positive('Last Share Difficulty', SHARES.max),
    row.positive('Work Difficulty', SHARES.max),
    positive(row.difficulty('Diff')),
  ),
});

/** Difficulty of shares, as a sum. */
const SHARES = { min: 0, max: 1e30 } as const;

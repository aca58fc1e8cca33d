// Pools: none alive, the first one dead while another works, shares rejected, no share accepted although it hashes, a
// pool that the site does not use, or locked pools that are not kept.
import { authorityOf, poolAddressOf, poolFinding, poolTroubleKey } from '../../../../model/findings/findings.ts';
import { plainText } from '../../../../model/plain-text.ts';
import type { PoolReading, Reading } from '../../../../model/reading.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';
import type { Violation } from '../state.ts';

/** `source` of the flag of a miner with no live pool. */
export const ALL_DEAD_SOURCE = 'pools.isAlive';

function allDead({ reading }: Facts): Verdict {
  const pools = poolsOf(reading);
  // A pool without a reported state may be alive.
  if (pools.some((pool) => pool.isAlive === true)) return 'clear';
  if (pools.length === 0 || pools.some((pool) => pool.isAlive === undefined)) return 'no-data';
  const finding = poolFinding(pools);
  return {
    value: 0,
    limit: 1,
    source: ALL_DEAD_SOURCE,
    severity: 'critical',
    message: `none of ${pools.length} pools is alive`,
    ...(finding !== undefined && { finding }),
  };
}

/** In order. Entries without an address are no pools; `noneSet` judges them. */
const poolsOf = (reading: Reading | undefined): PoolReading[] =>
  (reading?.pools ?? []).filter(({ url }) => url.trim() !== '').sort((a, b) => a.index - b.index);

const poolInUse = (pools: readonly PoolReading[]): PoolReading | undefined =>
  pools.length === 1 ? pools[0] : pools.find(({ isActive }) => isActive === true);

/** The key of the finding at the pool in use; nothing where that pool is not reported. */
function sharedTrouble(reading: Reading, trouble: 'no-share' | 'rejects'): Pick<Violation, 'finding'> {
  const pool = poolInUse(poolsOf(reading));
  const key = pool && poolFinding([pool]);
  return key === undefined ? {} : { finding: poolTroubleKey(key, trouble) };
}

/** It reports that none of its pools is alive, or that it has none. */
export const lacksPool = (reading: Reading | undefined): boolean =>
  reading?.pools !== undefined && poolsOf(reading).every(({ isAlive }) => isAlive === false);

/** It mines at another pool than its first one, because the first is dead for this miner or for all. */
function firstDead({ reading }: Facts): Verdict {
  const [first, ...others] = poolsOf(reading);
  if (first?.isAlive === true) return 'clear';
  const other = others.find(({ isActive }) => isActive === true) ?? others.find(({ isAlive }) => isAlive === true);
  if (first?.isAlive === undefined || first.isActive === true || other?.isAlive !== true) return 'no-data';
  const address = poolAddressOf(first.url);
  const finding = poolFinding([first]);
  return {
    value: address ?? null,
    limit: null,
    source: `pools[${first.index}].isAlive`,
    severity: 'minor',
    message: `its first pool ${address} is dead; ${poolAddressOf(other.url)} is alive`,
    ...(finding !== undefined && { finding: poolTroubleKey(finding, 'elsewhere') }),
  };
}

/** No entry of its pool list has an address. A miner that hashes nevertheless contradicts its list. */
function noneSet({ reading, isHashing }: Facts): Verdict {
  const pools = reading?.pools;
  if (pools === undefined) return 'no-data';
  if (pools.some(({ url }) => url.trim() !== '')) return 'clear';
  if (isHashing) return 'no-data';
  return {
    value: 0,
    limit: 1,
    source: 'pools',
    severity: reading?.hashrateHs === 0 || reading?.isMining === false ? 'critical' : 'major',
    message: 'has no pool set',
  };
}

function rejects({ reading, history, settings }: Facts, isRaised: boolean): Verdict {
  const percent = history.rejects?.percent;
  if (reading === undefined || percent === undefined) return 'no-data';
  const { rejectPercent, rejectMajorPercent, rejectClearPercent } = settings.pool;
  if (percent <= (isRaised ? rejectClearPercent : rejectPercent)) return 'clear';
  const value = Math.round(percent * 100) / 100;
  return {
    value,
    limit: rejectPercent,
    source: 'pools.rejected',
    severity: percent > rejectMajorPercent ? 'major' : 'minor',
    message: `${value} % of the shares were rejected in the last window`,
    ...sharedTrouble(reading, 'rejects'),
  };
}

/** Shares come at random: ten mean intervals without one happen once in about 20,000 times. */
const INTERVALS_OF_PATIENCE = 10;

/** Longer than this without a share is not by chance. */
export function shareLimitMs({ reading, history: { shares }, settings: { pool } }: Facts): number {
  const ageS = reading?.uptimeS ?? reading?.systemUptimeS;
  const accepted = shares?.accepted ?? 0;
  const pools = poolsOf(reading);
  const difficulty = poolInUse(pools)?.difficulty ?? 0;
  const byDifficultyMs = meanIntervalMs(difficulty, reading?.hashrateHs) * INTERVALS_OF_PATIENCE;
  if (accepted === 0 || ageS === undefined) return Math.max(pool.noShare, pool.noFirstShare, byDifficultyMs);
  const intervalMs = (ageS * 1_000) / accepted;
  const usual = pools.reduce((sum, pool) => sum + (pool.difficultyAccepted ?? 0), 0) / accepted;
  // The present pool may give harder work than earlier ones.
  const nowMs = usual > 0 ? intervalMs * Math.max(1, difficulty / usual) * INTERVALS_OF_PATIENCE : byDifficultyMs;
  return Math.max(pool.noShare, intervalMs * INTERVALS_OF_PATIENCE, nowMs);
}

/** For SHA-256 and algorithms that count alike. Machines for others hash far less: their intervals are not known. */
const HASHES_PER_DIFFICULTY = 2 ** 32;
const LEAST_HS = 1e11;

const meanIntervalMs = (difficulty: number, hashrateHs = 0): number =>
  hashrateHs < LEAST_HS ? 0 : (1_000 * difficulty * HASHES_PER_DIFFICULTY) / hashrateHs;

function noShare(facts: Facts): Verdict {
  const { reading, history, isHashing } = facts;
  const { shares, t } = history;
  if (reading === undefined || shares === undefined || !isHashing) return 'no-data';
  const quietMs = t - shares.changedT;
  const limitMs = shareLimitMs(facts);
  if (quietMs < limitMs) return 'clear';
  return {
    value: Math.round(quietMs / 1_000),
    limit: Math.round(limitMs / 1_000),
    source: 'pools.accepted',
    severity: 'critical',
    message: `hashes, but no share was accepted for ${Math.round(quietMs / 60_000)} min`,
    ...sharedTrouble(reading, 'no-share'),
  };
}

function foreign({ reading, settings }: Facts): Verdict {
  const { allowedHosts } = settings.pool;
  if (allowedHosts.length === 0) return 'clear';
  const pools = poolsOf(reading);
  if (pools.length === 0) return 'no-data';
  const index = pools.findIndex((pool) => !isAllowed(hostOf(pool.url), allowedHosts));
  const pool = pools[index];
  if (pool === undefined) return 'clear';
  const host = plainText(hostOf(pool.url), 253) ?? 'an address without a host';
  return {
    value: host,
    limit: allowedHosts.slice(0, 4).join(', '),
    source: `pools[${pool.index}].url`,
    severity: 'critical',
    message: `is set to mine at ${host}, which this site does not use`,
  };
}

function notKept({ sample, reading }: Facts): Verdict {
  const { poolTrouble } = sample.context;
  if (reading === undefined) return 'no-data';
  if (poolTrouble === undefined) return 'clear';
  return { value: null, limit: null, source: 'pools.lock', severity: 'critical', message: poolTrouble };
}

const hostOf = (url: string): string => authorityOf(url).replace(/:\d*$/, '');

const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.some((name) => host === name.toLowerCase() || host.endsWith(`.${name.toLowerCase()}`));

export const POOL_RULES: readonly Rule[] = [
  { id: 'pool.all-dead', type: 'pool', evaluate: allDead },
  {
    id: 'pool.first-dead',
    type: 'pool',
    raise: ({ pool }) => ({ polls: pool.raise.polls, time: Math.max(pool.raise.time, pool.elsewhere) }),
    evaluate: firstDead,
  },
  { id: 'pool.none-set', type: 'pool', evaluate: noneSet },
  { id: 'pool.rejects', type: 'pool', evaluate: rejects },
  { id: 'pool.no-share', type: 'pool', evaluate: noShare },
  { id: 'pool.foreign', type: 'pool', evaluate: foreign },
  { id: 'pool.lock', type: 'pool', evaluate: notKept },
];

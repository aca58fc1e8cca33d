// Pools: none alive, work rejected, no share accepted although it hashes, a pool that the site does not mine at, or
// locked pools that do not hold.
import { poolFinding } from '../../../../model/findings/findings.ts';
import { plainText, withoutLogin } from '../../../../model/plain-text.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';

function allDead({ reading }: Facts): Verdict {
  const pools = reading?.pools ?? [];
  // A pool that does not say whether it is alive may be alive.
  if (pools.some((pool) => pool.isAlive === true)) return 'clear';
  // Entries without an address are no pools: a rule of their own.
  if (pools.every(({ url }) => url.trim() === '') || pools.some((pool) => pool.isAlive === undefined)) return 'no-data';
  const finding = poolFinding(pools);
  return {
    value: 0,
    limit: 1,
    source: 'pools.isAlive',
    severity: 'critical',
    message: `none of ${pools.length} pools is alive`,
    ...(finding !== undefined && { finding }),
  };
}

/** The device was asked, and no entry of its list has an address. A list that hashes nevertheless contradicts itself and proves nothing. */
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
  };
}

/** Shares come at random: ten mean intervals without one happen once in 20,000 times. */
const INTERVALS_OF_PATIENCE = 10;

/** So long without a share is no chance. */
export function shareLimitMs({ reading, history: { shares }, settings: { pool } }: Facts): number {
  const { uptimeS } = reading ?? {};
  if (shares === undefined || shares.accepted === 0 || uptimeS === undefined)
    return Math.max(pool.noShare, pool.noFirstShare);
  return Math.max(pool.noShare, ((uptimeS * 1_000) / shares.accepted) * INTERVALS_OF_PATIENCE);
}

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
  };
}

function foreign({ reading, settings }: Facts): Verdict {
  const { allowedHosts } = settings.pool;
  if (allowedHosts.length === 0) return 'clear';
  const pools = (reading?.pools ?? []).filter((pool) => pool.url.trim() !== '');
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

function hostOf(url: string): string {
  return withoutLogin(url)
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[:/?#].*$/, '')
    .toLowerCase();
}

const isAllowed = (host: string, allowed: readonly string[]): boolean =>
  allowed.some((name) => host === name.toLowerCase() || host.endsWith(`.${name.toLowerCase()}`));

export const POOL_RULES: readonly Rule[] = [
  { id: 'pool.all-dead', type: 'pool', evaluate: allDead },
  { id: 'pool.none-set', type: 'pool', evaluate: noneSet },
  { id: 'pool.rejects', type: 'pool', evaluate: rejects },
  { id: 'pool.no-share', type: 'pool', evaluate: noShare },
  { id: 'pool.foreign', type: 'pool', evaluate: foreign },
  { id: 'pool.lock', type: 'pool', evaluate: notKept },
];

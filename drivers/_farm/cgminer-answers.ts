// `summary` and `pools` as CGMiner 4.11 words them, for every family that keeps to it.
import type { PoolSetting, SimDevice } from './device.ts';

export function standardSummary(
  device: SimDevice,
  rates: { readonly nowMhs: number; readonly averageMhs: number },
): object {
  const { accepted, rejected, stale, difficulty } = device.shares();
  return {
    Elapsed: device.uptimeS(),
    'MHS av': rates.averageMhs,
    'MHS 5s': rates.nowMhs,
    'MHS 1m': rates.averageMhs,
    'MHS 5m': rates.averageMhs,
    'MHS 15m': rates.averageMhs,
    'Found Blocks': 0,
    Getworks: accepted,
    Accepted: accepted,
    Rejected: rejected,
    'Hardware Errors': 0,
    Utility: 1.42,
    Discarded: 0,
    Stale: stale,
    'Get Failures': 0,
    'Local Work': accepted * 20,
    'Remote Failures': 0,
    'Network Blocks': 68,
    'Total MH': rates.averageMhs * device.uptimeS(),
    'Work Utility': 0,
    'Difficulty Accepted': accepted * difficulty,
    'Difficulty Rejected': rejected * difficulty,
    'Difficulty Stale': stale * difficulty,
    'Best Share': 354_914_572,
    'Device Hardware%': 0,
    'Device Rejected%': 0.2,
    'Pool Rejected%': 0.2,
    'Pool Stale%': 0,
    'Last getwork': 0,
  };
}

/** What works earns everything. */
export function standardPool(device: SimDevice, pool: PoolSetting, index: number): object {
  const { isAlive, isActive, hasShares } = device.poolState(index);
  const { accepted, rejected, stale, difficulty } = hasShares
    ? device.shares()
    : { accepted: 0, rejected: 0, stale: 0, difficulty: 0 };
  return {
    POOL: index,
    URL: pool.url,
    Status: isAlive ? 'Alive' : 'Dead',
    Priority: index,
    Quota: 1,
    'Long Poll': 'N',
    Getworks: accepted,
    Accepted: accepted,
    Rejected: rejected,
    Works: accepted * 20,
    Discarded: 0,
    Stale: stale,
    'Get Failures': 0,
    'Remote Failures': 0,
    User: pool.user,
    'Last Share Time': Math.floor(device.nowS()) - 3,
    'Diff1 Shares': accepted * difficulty,
    'Proxy Type': '',
    Proxy: '',
    'Difficulty Accepted': accepted * difficulty,
    'Difficulty Rejected': rejected * difficulty,
    'Difficulty Stale': stale * difficulty,
    'Last Share Difficulty': difficulty,
    'Work Difficulty': difficulty,
    'Has Stratum': true,
    'Stratum Active': isActive,
    'Stratum URL': isActive ? pool.url : '',
    'Stratum Difficulty': difficulty,
    'Has GBT': false,
    'Best Share': 354_914_572,
    'Pool Rejected%': 0.2,
    'Pool Stale%': 0,
    'Bad Work': 0,
    'Current Block Height': 907_089,
    'Current Block Version': 536_870_912,
  };
}

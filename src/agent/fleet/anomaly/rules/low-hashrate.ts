// Low hashrate for model and mode, judged by a settled average of a miner that has run for long enough.
import type { Facts, Rule, Verdict } from '../rule.ts';

function low(facts: Facts, isRaised: boolean): Verdict {
  const { reading, history, expected, settings } = facts;
  if (reading === undefined) return 'no-data';
  const { raiseRatio, clearRatio, average } = settings.lowHashrate;
  const own = history.average;
  const isOwnSettled = own !== undefined && own.atT === history.t && own.atT - own.fromT >= average;
  const value = reading.hashrateSettledHs ?? (isOwnSettled ? own.hashrateHs : undefined);
  if (value === undefined) return 'no-data';
  if (!hasRunLongEnough(facts)) return 'not-yet';
  const source = reading.hashrateSettledHs === undefined ? 'hashrateHs' : 'hashrateSettledHs';
  const wanted = expected.hashrateHs;
  if (wanted === undefined) {
    if (value > 0) return 'clear';
    return { value, limit: 1, source, severity: 'critical', message: 'does not hash' };
  }
  const limit = wanted.value * (isRaised ? clearRatio : raiseRatio);
  if (value > limit || (!isRaised && value === limit)) return 'clear';
  const percent = Math.round((100 * value) / wanted.value);
  return {
    value,
    limit,
    source,
    // One table alone makes nothing critical; a hashrate of 0 needs no table.
    severity: value === 0 || (percent < 1 && reading.expected?.unproven !== true) ? 'critical' : 'major',
    message: `hashes at ${percent} % of ${wanted.from === 'learned' ? 'what it reached before' : 'what is expected'} in this mode`,
  };
}

/** At 0 for a while after its warm-up: that needs no average, no expectation and no minimum uptime. */
function none({ reading, history, settings, idle }: Facts): Verdict {
  if (reading?.hashrateHs === undefined || history.average === undefined) return 'no-data';
  if (reading.hashrateHs > 0) return 'clear';
  const { zeroT } = history.average;
  const { t, anewT = 0, onlineT = t } = history;
  const since = Math.max(zeroT ?? t, anewT, onlineT);
  if (idle === 'warm-up' || t - since < settings.lowHashrate.average) return 'no-data';
  const isBare = reading.boards?.length === 0;
  return {
    value: 0,
    limit: 1,
    source: isBare ? 'boards' : 'hashrateHs',
    severity: 'critical',
    message: isBare ? 'does not hash: it lists no hashboards' : 'does not hash',
  };
}

/** Averages reach back: the last start, wake-up, change of mode or time without a pool must be older than they are. */
function hasRunLongEnough({ reading, history, settings }: Facts): boolean {
  const { minUptime } = settings.lowHashrate;
  const { t, activeT, onlineT, startedT } = history;
  if (activeT !== undefined && t - activeT < minUptime) return false;
  // Some uptimes stand still: it has run for at least as long as it has been watched.
  if (reading?.uptimeS !== undefined) return Math.max(reading.uptimeS * 1_000, t - (startedT ?? t)) >= minUptime;
  return onlineT !== undefined && t - onlineT >= minUptime;
}

export const LOW_HASHRATE_RULES: readonly Rule[] = [
  { id: 'low-hashrate.low', type: 'low_hashrate', evaluate: low },
  { id: 'low-hashrate.none', type: 'low_hashrate', evaluate: none },
];

// Faults that the device itself reports, by category; unknown codes become `unknown` with the raw code.
import { ANOMALY_TYPES, type AnomalyType } from '../../../../model/flags/anomaly-types.ts';
import { ERROR_CATEGORY_FLAG } from '../../../../model/flags/flags.ts';
import { plainText } from '../../../../model/plain-text.ts';
import type { ErrorReading } from '../../../../model/reading.ts';
import { presentHashrateHs } from '../facts.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';
import { type Idle, SEVERITIES } from '../state.ts';

/** A low hashrate of one board is also a fault of that board. */
function concerns(error: ErrorReading, type: AnomalyType): boolean {
  const flag = ERROR_CATEGORY_FLAG[error.category];
  return flag === type || (type === 'hashboard' && flag === 'low_hashrate' && error.index !== undefined);
}

const vendor =
  (type: AnomalyType) =>
  (facts: Facts): Verdict => {
    if (facts.reading?.errors === undefined) return 'no-data';
    const errors = facts.reading.errors.filter((error) => concerns(error, type));
    if (errors.length === 0) return 'clear';
    const worst = errors.reduce((a, b) => (rank(b) > rank(a) ? b : a));
    const code = plainText(worst.code, 64) ?? 'unknown';
    const text = plainText(worst.message, 160);
    const severity = worst.severity ?? 'major';
    return {
      value: code,
      limit: null,
      source: `errors[${code}]${worst.index === undefined ? '' : `[${worst.index}]`}`,
      // A miner that reaches its hashrate in spite of a code is degraded, not failed.
      severity: rank({ ...worst, severity }) > 1 && meetsTarget(facts) ? 'minor' : severity,
      message: `reports ${code}${text === undefined ? '' : `: ${text}`}${errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''}`,
    };
  };

const rank = (error: ErrorReading): number => SEVERITIES.indexOf(error.severity ?? 'major');

/** Requires hashing now: an average stays up for a while after a stop. */
function meetsTarget({ reading, history, expected, isHashing }: Facts): boolean {
  if (!isHashing) return false;
  const present = presentHashrateHs(reading, history);
  return present !== undefined && expected.hashrateHs !== undefined && present >= 0.9 * expected.hashrateHs.value;
}

/** A fault that prevents the start, or caused the stop, is reported only in these states. */
const WHILE_IDLE: Readonly<Partial<Record<AnomalyType, readonly Idle[]>>> = {
  fan: ['warm-up', 'heat'],
  power: ['warm-up'],
  hashboard: ['warm-up'],
};

export const VENDOR_RULES: readonly Rule[] = ANOMALY_TYPES.map((type) => ({
  whileIdle: WHILE_IDLE[type],
  id: `${type.replaceAll('_', '-')}.vendor`,
  type,
  evaluate: vendor(type),
}));

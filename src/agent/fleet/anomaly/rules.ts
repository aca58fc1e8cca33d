// All rules as one table, and the effect of each idle state on each flag. A new condition is a new row.
import type { AnomalyType } from '../../../model/flags/anomaly-types.ts';
import type { Rule } from './rule.ts';
import { FAN_RULES } from './rules/fan.ts';
import { HASHBOARD_RULES } from './rules/hashboard.ts';
import { LOW_HASHRATE_RULES } from './rules/low-hashrate.ts';
import { NETWORK_RULES } from './rules/network.ts';
import { POOL_RULES } from './rules/pool.ts';
import { POWER_RULES } from './rules/power.ts';
import { SYSTEM_RULES } from './rules/system.ts';
import { TEMPERATURE_RULES } from './rules/temperature.ts';
import { UNKNOWN_RULES } from './rules/unknown.ts';
import { VENDOR_RULES } from './rules/vendor.ts';
import type { Idle } from './state.ts';

export const RULES: readonly Rule[] = [
  ...FAN_RULES,
  ...POWER_RULES,
  ...TEMPERATURE_RULES,
  ...HASHBOARD_RULES,
  ...NETWORK_RULES,
  ...SYSTEM_RULES,
  ...UNKNOWN_RULES,
  ...LOW_HASHRATE_RULES,
  ...POOL_RULES,
  ...VENDOR_RULES,
];

/**
 * `drop` = the flag has no meaning in this state and is removed at once (a sleeping miner is not low). `freeze` =
 * nothing new is raised and raised conditions stay: a dead board is still dead while the miner restarts.
 */
type Suppression = Readonly<Partial<Record<AnomalyType, 'drop' | 'freeze'>>>;

const OFF: Suppression = { low_hashrate: 'drop', fan: 'drop', hashboard: 'drop', pool: 'drop' };
const WARM_UP: Suppression = {
  low_hashrate: 'freeze',
  fan: 'freeze',
  hashboard: 'freeze',
  pool: 'freeze',
  power: 'freeze',
};

export const SUPPRESSED: Readonly<Record<Idle, Suppression>> = {
  sleep: OFF,
  maintenance: OFF,
  rebooting: { ...WARM_UP, network: 'freeze', unknown: 'freeze' },
  // What boards, fans and pools of a stopped machine show is a consequence of the stop.
  heat: { fan: 'freeze', hashboard: 'freeze', pool: 'freeze' },
  'warm-up': WARM_UP,
};

// All rules as one table, and what idleness on purpose does to each flag. Adding a condition is adding a row.
import type { AnomalyType } from '../../model/flags.ts';
import type { Rule } from './rule.ts';
import { CONTROL_BOARD_RULES } from './rules/control-board.ts';
import { FAN_RULES } from './rules/fan.ts';
import { FIRMWARE_RULES } from './rules/firmware.ts';
import { HASHBOARD_RULES } from './rules/hashboard.ts';
import { LOW_HASHRATE_RULES } from './rules/low-hashrate.ts';
import { NETWORK_RULES } from './rules/network.ts';
import { POOL_RULES } from './rules/pool.ts';
import { POWER_RULES } from './rules/power.ts';
import { TEMPERATURE_RULES } from './rules/temperature.ts';
import { UNKNOWN_RULES } from './rules/unknown.ts';
import { VENDOR_RULES } from './rules/vendor.ts';
import type { AnomalySettings, Hold } from './settings.ts';
import type { Idle } from './state.ts';

export const RULES: readonly Rule[] = [
  ...FAN_RULES,
  ...POWER_RULES,
  ...TEMPERATURE_RULES,
  ...HASHBOARD_RULES,
  ...NETWORK_RULES,
  ...FIRMWARE_RULES,
  ...UNKNOWN_RULES,
  ...LOW_HASHRATE_RULES,
  ...CONTROL_BOARD_RULES,
  ...POOL_RULES,
  ...VENDOR_RULES,
];

const idsOf = (type: AnomalyType): string[] => RULES.filter((rule) => rule.type === type).map((rule) => rule.id);

export const RULE_IDS: Readonly<Record<AnomalyType, readonly string[]>> = {
  fan: idsOf('fan'),
  power: idsOf('power'),
  temperature: idsOf('temperature'),
  hashboard: idsOf('hashboard'),
  network: idsOf('network'),
  firmware: idsOf('firmware'),
  unknown: idsOf('unknown'),
  low_hashrate: idsOf('low_hashrate'),
  control_board: idsOf('control_board'),
  pool: idsOf('pool'),
};

/**
 * `drop` = the flag has no meaning in this state and goes at once (a sleeping miner is not low). `freeze` = nothing new is raised, but what was
 * raised stays: a dead board is still dead while the miner restarts.
 */
export const SUPPRESSED: Readonly<Record<Idle, Readonly<Partial<Record<AnomalyType, 'drop' | 'freeze'>>>>> = {
  sleep: { low_hashrate: 'drop', fan: 'drop', hashboard: 'drop', pool: 'drop' },
  maintenance: { low_hashrate: 'drop', fan: 'drop', hashboard: 'drop', pool: 'drop' },
  rebooting: {
    low_hashrate: 'freeze',
    fan: 'freeze',
    hashboard: 'freeze',
    pool: 'freeze',
    power: 'freeze',
    network: 'freeze',
    unknown: 'freeze',
  },
  'warm-up': { low_hashrate: 'freeze', fan: 'freeze', hashboard: 'freeze', pool: 'freeze', power: 'freeze' },
};

const SECTION = {
  fan: 'fan',
  power: 'power',
  temperature: 'temperature',
  hashboard: 'hashboard',
  network: 'network',
  firmware: 'firmware',
  unknown: 'unknown',
  low_hashrate: 'lowHashrate',
  control_board: 'controlBoard',
  pool: 'pool',
} as const satisfies Record<AnomalyType, keyof AnomalySettings>;

export function holdsOf(type: AnomalyType, settings: AnomalySettings): { raise: Hold; clear: Hold } {
  const { raise, clear } = settings[SECTION[type]];
  return { raise, clear };
}

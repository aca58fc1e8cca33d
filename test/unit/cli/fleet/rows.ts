// Made-up rows of miners for tests of lists.

import type { BoardMiner } from '../../../../src/model/board/board-miner.ts';
import { type AnomalyType, toBitmask } from '../../../../src/model/flags/anomaly-types.ts';

export const NOW_MS = new Date(2026, 10, 23, 8, 12).getTime();
export const MINUTE_MS = 60_000;
export const HOUR_MS = 3_600_000;

export function row(last: number, known: Partial<BoardMiner> = {}): BoardMiner {
  return {
    ...{ id: `id-${last}`, key: `key-${last}`, agentId: 'agent', ip: `10.31.3.${last}`, mac: null, serial: null },
    ...{ hostname: null, make: 'Antminer', model: 'S19 Pro', algorithm: 'sha256', container: null, rack: null },
    ...{ position: null, driver: 'antminer-stock', firmware: null, abilities: [], opsStatus: null, mode: 'normal' },
    ...{ isMining: true, isOnline: true, isUnknown: false, isHung: false, flags: 0, firstFlag: null },
    ...{ hashrateHs: 104.2e12, expectedHs: 110e12, powerW: 3_250, tempC: 71, fanRpm: 5_880, pool: 'pool.example:3333' },
    ...{
      worker: `farm.rig${last}`,
      uptimeS: 86_400,
      seenAtMs: NOW_MS - 9_000,
      createdAtMs: NOW_MS - 40 * 24 * HOUR_MS,
    },
    ...known,
  };
}

/** Raised 14 minutes ago, each of them; the first is the worst. */
export const ill = (message: string, ...types: readonly [AnomalyType, ...AnomalyType[]]) => ({
  flags: toBitmask(types),
  firstFlag: { type: types[0], severity: 'major' as const, message, sinceMs: NOW_MS - 14 * MINUTE_MS },
});

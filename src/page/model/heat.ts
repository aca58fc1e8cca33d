// How a slot of the map is coloured: one of a few levels, each with a mark beside its colour. Pure.
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { shareOf } from '../../model/board/measured.ts';
import { causeOf } from './causes.ts';

export const HEAT_BYS = ['temperature', 'share', 'flags'] as const;
export type HeatBy = (typeof HEAT_BYS)[number];
export const isHeatBy = (text: string | undefined): text is HeatBy => HEAT_BYS.some((by) => by === text);

export const LEVELS = ['empty', 'unknown', 'silent', 'cold', 'good', 'warm', 'bad'] as const;
export type Level = (typeof LEVELS)[number];

export const LEVEL_MARKS = {
  ...{ empty: '·', unknown: '?', silent: '○', cold: '▽', good: '●', warm: '△', bad: '✖' },
} as const satisfies Readonly<Record<Level, string>>;

/** °C of the hottest sensor. */
const [COLD_C, WARM_C, BAD_C] = [30, 80, 90];
/** Of what it should make. */
const [LOW, VERY_LOW] = [0.95, 0.8];

/** Undefined = no miner stands in the slot. */
export function levelOf(miner: BoardMiner | undefined, by: HeatBy, nowMs: number): Level {
  if (miner === undefined) return 'empty';
  if (miner.isUnknown) return 'unknown';
  if (!miner.isOnline) return 'silent';
  switch (by) {
    case 'temperature':
      return levelOfTemperature(miner.tempC);
    case 'share':
      return levelOfShare(shareOf(miner));
    case 'flags':
      return causeOf(miner, nowMs) === undefined ? 'good' : 'bad';
  }
}

function levelOfTemperature(tempC: number | null): Level {
  if (tempC === null) return 'unknown';
  if (tempC >= BAD_C) return 'bad';
  if (tempC >= WARM_C) return 'warm';
  return tempC < COLD_C ? 'cold' : 'good';
}

function levelOfShare(share: number | null): Level {
  if (share === null) return 'unknown';
  if (share < VERY_LOW) return 'bad';
  return share < LOW ? 'warm' : 'good';
}

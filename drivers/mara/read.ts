// Turns the answers of one miner with MARA firmware into a Reading.
import type { Known } from '../../src/driver/contract.ts';
import { first, isFillerName, isNoFault, largest, mean, sumOfAll } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { toReading } from '../../src/driver/kit/draft.ts';
import { findAntminer, type Model } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import { targetText } from '../../src/driver/kit/words/target-preset.ts';
import { categoryOfWords } from '../../src/driver/kit/words/trouble-words.ts';
import type { BoardReading, ErrorReading, FanReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { sensors } from '../_dialects/bitmain-boards.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { webPools } from '../_dialects/bitmain-web.ts';
import { positive, present, rateHs, rateUnit } from '../_dialects/cgminer.ts';
import type { Replies } from './replies.ts';

type Board = NonNullable<NonNullable<Replies['hashboards']>['hashboards']>[number];
type Brief = NonNullable<Replies['brief']>;
type ToHs = (value: number | undefined) => number | undefined;

const DAY_S = 86_400;

export function read(replies: Replies, known: Known): Reading {
  const { brief, overview } = replies;
  const reported = first(overview?.model, known.model);
  const model = findAntminer(reported);
  const mode = miningMode(replies.config, brief);
  const rows = replies.hashboards?.hashboards;
  const toHs = unitOf(brief, rows ?? []);
  // An empty list does not say that there are none.
  const mining = mode === 'sleep' ? false : isMining(brief);
  const boards = rows?.length ? boardsOf(rows, toHs, mining) : undefined;
  const nowHs = toHs(brief?.hashrate_realtime);
  const { cooling, fans: fanCount = 0 } = model?.expected ?? {};
  // Headers without a fan are listed as 0 rpm: of those only as many are fans as the model has.
  const headers = replies.fans?.fans?.map(({ current_speed: rpm }) => rpm);
  const dutyPercent = replies.fans?.percent;
  const fans = headers?.length
    ? toFans(headers, fanCount).map((fan): FanReading => present({ ...fan, dutyPercent }))
    : undefined;
  return toReading({
    mac: overview?.mac,
    hostname: first(replies.network?.hostname, overview?.hostname),
    make: 'Antminer',
    model: model?.model ?? reported,
    firmwareVersion: overview?.version_firmware,
    controlBoard: overview?.control_board,

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: toHs(brief?.hashrate_average),
    // Before a day is over it is of less than a day.
    hashrate24hHs: (brief?.elapsed ?? 0) >= DAY_S ? toHs(brief?.hashrate_realtime_1d) : undefined,
    powerW: brief?.power_consumption_estimated,
    powerLimitW: mode === 'power_tuning' ? replies.config?.mode?.concorde?.['power-target'] : undefined,
    uptimeS: brief?.elapsed,

    isMining: mining,
    miningMode: mode,
    miningModePreset: preset(replies.config, mode),
    isLightOn: replies.light?.blinking,

    boards,
    fans: cooling === 'liquid' ? undefined : fans,
    pools: webPools(replies.pools?.map((row) => new Answer(row))),
    errors: errorsOf(brief),
    expected: expectation(model, replies, mode),
  });
}

/** Faster than that no miner runs beside its own ideal. */
const MOST = 1.5;

/**
 * Newer builds name the unit of all rates. Of others the ideal rate is in GH/s; the rest are in TH/s or GH/s, as builds
 * differ. Any of them can dip to a thousandth of it, none exceeds it by much: one that would be too fast in TH/s is in
 * GH/s, and where none would, they are in TH/s. One that is too fast in either says nothing. Beside a rate that is
 * surely in GH/s, one that could be in TH/s as well has dipped or is in another unit: it is not told. Without an ideal
 * rate, or while nothing is hashed, there is no telling, and only 0 is told.
 */
function unitOf(brief: Brief = {}, boards: readonly Board[]): ToHs {
  const named = rateUnit(brief.hashrate_unit);
  if (named !== undefined) return (rate) => rateHs(rate, named);
  const { hashrate_ideal, hashrate_realtime, hashrate_average } = brief;
  const mostGhs = (hashrate_ideal ?? 0) * MOST;
  const ofBoards = sumOfAll(boards.map((board) => board.hashrate_average));
  const shown = [hashrate_realtime, hashrate_average, ofBoards].filter((rate = 0) => rate > 0 && rate <= mostGhs);
  const isTera = (rate: number) => rate * 1_000 <= mostGhs;
  const unit = shown.every((rate = 0) => isTera(rate)) ? 'T' : 'G';
  return (rate) => {
    if (rate === 0 || rate === undefined) return rate;
    return shown.length > 0 && rate <= mostGhs && isTera(rate) === (unit === 'T') ? rateHs(rate, unit) : undefined;
  };
}

/** A slot without chips, serial number and rate is empty. */
function boardsOf(rows: readonly Board[], toHs: ToHs, mining: boolean | undefined): BoardReading[] {
  const taken = new Set<number>();
  return rows.flatMap((row, place) => {
    const slot = row.index ?? place;
    const exists = (row.asic_num ?? 0) > 0 || (row.hashrate_average ?? 0) > 0 || row.serial_number !== undefined;
    if (!exists || taken.has(slot)) return [];
    taken.add(slot);
    const chipC = sensors(row.temperature_chip);
    const boardTempsC = sensors(row.temperature_pcb).filter((tempC) => tempC !== undefined);
    return [
      present({
        slot,
        serialNumber: row.serial_number,
        hashrateHs: toHs(row.hashrate_average),
        // At rest it is that of the clock at rest.
        expectedHashrateHs: mining === true ? positive(toHs(row.hashrate_ideal)) : undefined,
        chips: row.asic_num,
        frequencyMhz: positive(row.frequency_average),
        powerW: row.power_consumption_estimated,
        boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
        chipTempMaxC: largest(chipC),
        chipTempAvgC: mean(chipC),
      }),
    ];
  });
}

/** Newer builds say beside their rates how they work. */
function miningMode(config: Replies['config'], brief: Replies['brief']): MiningMode | undefined {
  const mode = config?.mode;
  switch (first(mode?.['work-mode-selector'], brief?.work_mode)?.toLowerCase()) {
    case 'sleep':
      return 'sleep';
    case 'stock':
    case 'fixed':
      return 'normal';
    case 'auto':
      switch (mode?.concorde?.['mode-select']?.toLowerCase()) {
        case 'powertarget':
          return 'power_tuning';
        case 'hashrate':
          return 'hashrate_tuning';
        default:
          return undefined;
      }
    default:
      return undefined;
  }
}

/** What it is tuned to; a selector that tunes to nothing is its own preset. */
function preset(config: Replies['config'], mode: MiningMode | undefined): string | undefined {
  const concorde = config?.mode?.concorde;
  switch (mode) {
    case 'power_tuning':
      return target(concorde?.['power-target'], 'W');
    case 'hashrate_tuning':
      return target(concorde?.['hash-target'], 'TH/s');
    case 'normal':
      return /^fixed$/i.test(config?.mode?.['work-mode-selector'] ?? '') ? 'Fixed' : 'Stock';
    default:
      return undefined;
  }
}

const target = (value: number | undefined, unit: 'W' | 'TH/s') =>
  value === undefined ? undefined : targetText({ value, unit });

/** The device's own word; where it has none, whether it hashes. */
function isMining(brief: Replies['brief']): boolean | undefined {
  if (brief?.status !== undefined && !isFillerName(brief.status))
    return /^mining$/i.test(brief.status) && brief.hashrate_realtime !== 0;
  return brief?.hashrate_realtime === undefined ? undefined : brief.hashrate_realtime > 0;
}

/** Undefined where it has no word for it. */
function errorsOf(brief: Replies['brief']): ErrorReading[] | undefined {
  const { indicator, indicator_long: message } = brief ?? {};
  if (indicator === undefined) return undefined;
  if (message === undefined || /functional|healthy/i.test(indicator) || isNoFault(message)) return [];
  return [{ code: `indicator:${indicator}`, message, category: categoryOfWords(message), severity: 'minor' }];
}

function expectation(model: Model | undefined, { brief, hashboards }: Replies, mode: MiningMode | undefined) {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const [chipsPerBoard, ...others] = new Set(hashboards?.hashboards?.map(({ asic_num_ideal }) => asic_num_ideal));
  const own = {
    boards: hashboards?.hashboard_num_ideal,
    chipsPerBoard: others.length === 0 ? chipsPerBoard : undefined,
  };
  const idealHs = positive(rateHs(brief?.hashrate_ideal, rateUnit(brief?.hashrate_unit) ?? 'G'));
  return present({
    ...withOwnBuild(parts, own),
    hashrateHs: first(idealHs, mode === 'normal' ? nameplateHs : undefined),
  });
}

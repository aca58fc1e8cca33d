// Turns the answers of one miner with MARA firmware into a Reading.
import * as kit from '../../src/driver/kit/index.ts';
import { toWatts } from '../_dialects/bitmain.ts';
import { sensors } from '../_dialects/bitmain-boards.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { webPools } from '../_dialects/bitmain-web.ts';
import { selectorIn } from './requests.ts';
import { SELECTORS, TUNERS } from './words.data.ts';

type Asked = 'brief' | 'hashboards' | 'fans' | 'pools' | 'config' | 'light' | 'overview' | 'network';
type Answers = Readonly<Record<Asked, kit.Answer>>;
type Mode = kit.Reading['miningMode'];
/** Of a row under a key. */
type RateOf = (row: kit.Answer, key: string) => number | undefined;

const DAY_S = 86_400;

export function read(answers: Answers, known: kit.Known): kit.Draft {
  const { brief, overview, config, fans } = answers;
  const reported = overview.text('model') ?? known.model;
  const row = kit.findAntminer(reported);
  const { cooling, fans: usualFans = 0 } = row?.expected ?? {};
  const mode = miningMode(config, brief);
  const isMining = mode === 'sleep' ? false : hashes(brief);
  const rows = answers.hashboards.rows('hashboards', 16) ?? [];
  const rate = rateReader(brief, rows);
  // Headers without a fan are listed as 0 rpm: of those only as many are fans as the model has.
  const headers = fans.rows('fans', 16)?.map((header) => header.rpm('current_speed')) ?? [];
  const isAir = cooling !== 'liquid' && headers.length > 0;
  return {
    mac: overview.asWritten('mac'),
    hostname: answers.network.name('hostname') ?? overview.name('hostname'),
    model: row?.model ?? reported,
    firmwareVersion: overview.text('version_firmware'),
    controlBoard: overview.text('control_board'),

    hashrateHs: rate(brief, 'hashrate_realtime'),
    hashrateWindow: 'realtime',
    hashrateAverageHs: rate(brief, 'hashrate_average'),
    // Before a day is over it is of less than a day.
    hashrate24hHs: (brief.seconds('elapsed') ?? 0) >= DAY_S ? rate(brief, 'hashrate_realtime_1d') : undefined,
    powerW: toWatts(brief.value('power_consumption_estimated')),
    powerLimitW: mode === 'power_tuning' ? tuning(config).watts('power-target') : undefined,
    uptimeS: brief.seconds('elapsed'),

    isMining,
    miningMode: mode,
    miningModePreset: preset(config, mode),
    isLightOn: answers.light.bool('blinking'),

    // An empty list does not say that there are none.
    boards: rows.length === 0 ? undefined : rows.map((board, place) => toBoard(board, place, rate, isMining)),
    fans: isAir
      ? toFans(headers, usualFans).map((fan) => ({ ...fan, dutyPercent: fans.percent('percent') }))
      : undefined,
    pools: webPools(answers.pools.rows()),
    errors: errorsOf(brief),
    expected: expectation(row?.expected, answers, mode),
  };
}

/** Faster than that no miner runs beside its own ideal. */
const MOST = 1.5;
const bareRate: RateOf = (row, key) => row.number(key, { min: 0, max: 1e9 });

/**
 * Newer builds name the unit of all rates. Of others the ideal rate is in GH/s; the rest are in TH/s or GH/s, as builds
 * differ. Any of them can dip to a thousandth of it, none exceeds it by much: one that would be too fast in TH/s is in
 * GH/s, and where none would, they are in TH/s. One that is too fast in either says nothing. Beside a rate that is
 * surely in GH/s, one that could be in TH/s as well has dipped or is in another unit: it is not told. Without an ideal
 * rate, or while nothing is hashed, there is no telling, and only 0 is told.
 */
function rateReader(brief: kit.Answer, boards: readonly kit.Answer[]): RateOf {
  const named = namedUnit(brief);
  if (named !== undefined) return (row, key) => kit.rateHs(bareRate(row, key), named);
  const mostGhs = (bareRate(brief, 'hashrate_ideal') ?? 0) * MOST;
  const ofBoards = kit.sumOfAll(boards.map((board) => bareRate(board, 'hashrate_average')));
  const all = [bareRate(brief, 'hashrate_realtime'), bareRate(brief, 'hashrate_average'), ofBoards];
  const shown = all.filter((rate = 0) => rate > 0 && rate <= mostGhs);
  const isTera = (rate = 0) => rate * 1_000 <= mostGhs;
  const unit = shown.every(isTera) ? 'T' : 'G';
  return (row, key) => {
    const rate = bareRate(row, key);
    if (rate === 0 || rate === undefined) return rate;
    return shown.length > 0 && rate <= mostGhs && isTera(rate) === (unit === 'T') ? kit.rateHs(rate, unit) : undefined;
  };
}

const namedUnit = (brief: kit.Answer) => kit.rateUnit(brief.text('hashrate_unit', 16));

/** A slot without chips, serial number and rate is empty. */
function toBoard(
  row: kit.Answer,
  place: number,
  rate: RateOf,
  isMining: boolean | undefined,
): kit.BoardDraft | undefined {
  const serialNumber = row.text('serial_number');
  const exists = [row.positive('asic_num', 100_000), kit.positive(bareRate(row, 'hashrate_average')), serialNumber];
  if (exists.every((fact) => fact === undefined)) return undefined;
  return {
    slot: row.int('index', { min: 0, max: 63 }) ?? place,
    serialNumber,
    hashrateHs: rate(row, 'hashrate_average'),
    // At rest it is that of the clock at rest.
    expectedHashrateHs: isMining === true ? kit.positive(rate(row, 'hashrate_ideal')) : undefined,
    chips: row.count('asic_num', 100_000),
    frequencyMhz: row.mhz('frequency_average'),
    powerW: toWatts(row.value('power_consumption_estimated')),
    boardTempsC: sensors(row.value('temperature_pcb')),
    chipTempsC: sensors(row.value('temperature_chip')),
  };
}

const tuning = (config: kit.Answer) => config.at('mode', 'concorde');

/** Newer builds say beside their rates how they work. */
function miningMode(config: kit.Answer, brief: kit.Answer): Mode {
  const selector = (selectorIn(config) ?? brief.text('work_mode', 32))?.toLowerCase() ?? '';
  const tuner = tuning(config).text('mode-select', 32)?.toLowerCase() ?? '';
  return selector === 'auto' ? TUNERS.get(tuner) : SELECTORS.get(selector);
}

/** What it is tuned to; a selector that tunes to nothing is its own preset. */
function preset(config: kit.Answer, mode: Mode): string | undefined {
  switch (mode) {
    case 'power_tuning':
      return target(config, 'power-target', 'W');
    case 'hashrate_tuning':
      return target(config, 'hash-target', 'TH/s');
    case 'normal':
      return /^fixed$/i.test(selectorIn(config) ?? '') ? 'Fixed' : 'Stock';
    default:
      return undefined;
  }
}

function target(config: kit.Answer, key: string, unit: kit.Target['unit']): string | undefined {
  const value = tuning(config).positive(key, 100_000);
  return value === undefined ? undefined : kit.targetText({ value, unit });
}

/** The device's own word; where it has none, whether it hashes. */
function hashes(brief: kit.Answer): boolean | undefined {
  const rate = bareRate(brief, 'hashrate_realtime');
  const status = brief.name('status', 64);
  if (status !== undefined) return /^mining$/i.test(status) && rate !== 0;
  return rate === undefined ? undefined : rate > 0;
}

/** How well it is, in a word and in a sentence. Undefined where it has no word for it. */
function errorsOf(brief: kit.Answer): kit.Draft['errors'] {
  const [indicator, message] = [brief.text('indicator', 64), brief.text('indicator_long')];
  if (indicator === undefined) return undefined;
  if (message === undefined || /functional|healthy/i.test(indicator) || kit.isNoFault(message)) return [];
  return [{ code: `indicator:${indicator}`, message, category: kit.categoryOfWords(message), severity: 'minor' }];
}

function expectation(
  { hashrateHs: nameplateHs, ...parts }: kit.Expectation = {},
  { brief, hashboards }: Answers,
  mode: Mode,
): kit.Draft['expected'] {
  const [chipsPerBoard, ...others] = new Set(
    hashboards.rows('hashboards', 16)?.map((board) => board.count('asic_num_ideal', 100_000)),
  );
  const own = {
    boards: hashboards.int('hashboard_num_ideal', { min: 0, max: 63 }),
    chipsPerBoard: others.length === 0 ? chipsPerBoard : undefined,
  };
  // Builds that name no unit write the ideal one in GH/s.
  const idealHs = kit.positive(kit.rateHs(bareRate(brief, 'hashrate_ideal'), namedUnit(brief) ?? 'G'));
  return { ...kit.withOwnBuild(parts, own), hashrateHs: idealHs ?? (mode === 'normal' ? nameplateHs : undefined) };
}

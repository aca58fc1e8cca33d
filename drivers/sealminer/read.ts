// Turns the answers of one Sealminer into a Reading. The statistics name everything; the web adds mode and light.
import * as kit from '../../src/driver/kit/index.ts';
import { MODE_KEYS, NUMBERED_MODES } from './modes.data.ts';

type Answers = Readonly<Record<'stats' | 'status' | 'pools' | 'system' | 'version', kit.Answer>>;
type Mode = kit.Draft['miningMode'];

/** `SEALMINER A2`, `A2`: the make is not part of the name. */
export const modelOf = (reported: string | undefined) => {
  const bare = reported?.replace(/^(bitdeer\s+)?seal\s*miner[\s_-]*/i, '').trim();
  return kit.knownModel('sealminer-stock', bare === '' ? undefined : bare);
};

export function read({ system, version, status, ...answers }: Answers, known: kit.Known): kit.Draft {
  const stats = answers.stats.row('STATS');
  const page = status.at('summary');
  const { model, expected } = modelOf(kit.first(system.text('miner_type'), stats.text('Model'), known.model));
  const controller = kit.firstSerial(stats.asWritten('Ctrl Board SN'), system.asWritten('crtl_sn'));
  const minuteHs = stats.rateHs('MHS(1m)', 'M');
  const sampleHs = stats.rateHs('MHS(Sample)', 'M');
  const averageHs = stats.rateHs('MHS(Avg)', 'M') ?? page.rateHs('mhsav', 'M');
  const hashrateHs = kit.first(minuteHs, sampleHs, averageHs);
  const isAsleep = sleeps(stats);
  // What it is set to holds for one that is awake.
  const isAwake = isAsleep === false || kit.positive(hashrateHs) !== undefined;
  const mode = isAsleep ? 'sleep' : isAwake ? (wordOf(stats) ?? modeOf(system)) : undefined;
  return {
    mac: kit.firstMac(stats.asWritten('MAC'), system.asWritten('macaddr')),
    serialNumber: controller,
    controllerSerialNumber: controller,
    model,
    firmwareVersion: stats.text('Firmware') ?? system.text('firmware_version'),
    apiVersion: version.row('VERSION').text('API'),
    controlBoard: stats.text('Ctrl Board') ?? system.text('ctrl_version'),

    hashrateHs,
    hashrateWindow: minuteHs !== undefined ? '1m' : sampleHs !== undefined ? 'realtime' : 'average',
    hashrateSettledHs: stats.rateHs('MHS(15m)', 'M'),
    hashrateAverageHs: averageHs,
    powerW: stats.watts('PSU Input Power'),
    powerLimitW: stats.watts('Power Limit'),
    psuOutputPowerW: stats.watts('PSU Output Power'),
    uptimeS: stats.seconds('Elapsed') ?? page.seconds('elapsed'),
    systemUptimeS: stats.seconds('System Uptime'),
    deviceTimeS: kit.whenS(answers.stats),

    ...(isAsleep && { isMining: false }),
    miningMode: mode,
    isLightOn: system.bool('led'),

    boards: boards(stats),
    fans: fans(stats),
    psus: [psu(stats)],
    pools: kit.cgminerPools(answers.pools) ?? pagePools(status),
    errors: errors(stats),
    expected: expectation(stats, mode, expected),
  };
}

/** Undefined when the device does not say. Any other word than these may be a start or a fault: then it is awake. */
export function sleeps(stats: kit.Answer): boolean | undefined {
  const state = stats.text('PM State');
  return state === undefined ? undefined : /suspend|sleep/i.test(state);
}

/** The statistics name the mode in a word of their own. */
function wordOf(stats: kit.Answer): Mode {
  const words = stats.text('Mining Mode', 64)?.match(/^(low|normal|high)(?:[\s_-]?(?:power|performance|mode))?$/i);
  return (['low', 'normal', 'high'] as const).find((mode) => mode === words?.[1]?.toLowerCase());
}

/** Undefined when two modes share the number that is set. */
export function modeOf(system: kit.Answer): Mode {
  const set = system.count('miningMode');
  const named = NUMBERED_MODES.filter((mode) => set !== undefined && system.count(MODE_KEYS[mode]) === set);
  return named.length === 1 ? named[0] : undefined;
}

const PARTS = { min: 0, max: 32 } as const;
/** Boards and fans are told by keys with their number in front. */
const upTo = (count: number | undefined) => Array.from({ length: count ?? 0 }, (_, index) => index);

/** Without a count and without a board nothing is said of boards. */
function boards(stats: kit.Answer): kit.BoardDraft[] | undefined {
  const count = kit.positive(stats.int('Board Count', PARTS));
  const found = upTo(count ?? 4).flatMap((slot) => board(stats, slot) ?? []);
  return count === undefined && found.length === 0 ? undefined : found;
}

/** A slot is a board if it has chips, a serial number or a rate. */
function board(stats: kit.Answer, slot: number): kit.BoardDraft | undefined {
  const serialNumber = stats.asWritten(`${slot} SN`);
  const found = stats.count(`${slot} Chip Count`, 100_000);
  const hashrateHs = stats.rateHs(`${slot} MHS(Sample)`, 'M');
  if (serialNumber === undefined && !found && !hashrateHs) return undefined;
  const badChips = stats.count(`${slot} Bad Chip Count`, 100_000);
  return {
    slot,
    serialNumber,
    hashrateHs,
    expectedHashrateHs: kit.positive(stats.rateHs(`${slot} MHS(Ideal)`, 'M')),
    // The count is of the chips that were found, good or bad.
    chips: found === undefined || badChips === undefined || badChips > found ? undefined : found - badChips,
    badChips,
    frequencyMhz: stats.mhz(`${slot} Freq`),
    boardTempsC: [0, 1, 2, 3].map((sensor) => stats.tempC(`${slot} Temp ${sensor}`)),
    isAlive: stats.bool(`${slot} Online`),
  };
}

const isLiquid = (stats: kit.Answer) => stats.bool('Liquid Cooling') === true;

/** No fans is an answer of what is cooled by a liquid; elsewhere a count of 0 is none. */
const fans = (stats: kit.Answer): kit.FanDraft[] =>
  upTo(isLiquid(stats) ? 0 : stats.int('Fan Count', PARTS)).map((index) => ({
    index,
    rpm: stats.rpm(`${index} Speed`),
    dutyPercent: stats.percent(`${index} PWM`),
  }));

function psu(stats: kit.Answer) {
  if (!['PSU SN', 'PSU Model', 'PSU Input Power'].some((key) => stats.has(key))) return undefined;
  const fault = faultWord(stats, 'PSU Error');
  return {
    serialNumber: stats.text('PSU SN'),
    model: stats.text('PSU Model'),
    tempC: stats.tempC('PSU Temp AMB'),
    fanRpm: stats.rpm('PSU Fan Speed'),
    inputPowerW: stats.watts('PSU Input Power'),
    outputPowerW: stats.watts('PSU Output Power'),
    inputVoltageV: stats.positive('PSU Input Voltage', 1_000),
    outputVoltageV: stats.positive('PSU Output Voltage', 1_000),
    isOk: fault === undefined ? undefined : !kit.isFault(fault),
  };
}

/** Counts only: what the page means by `diffA` and `diffR` is not known. */
const pagePools = (status: kit.Answer) =>
  kit.setPools(
    status.rows('pools'),
    (row) => row.poolAddress('url'),
    (row, url, place): kit.PoolDraft => ({
      index: row.int('id', { min: 0, max: 63 }) ?? place,
      url,
      user: row.text('user', 512) ?? '',
      isAlive: kit.poolIsAlive(row.text('status')),
      isActive: row.bool('isActive'),
      accepted: row.count('accept'),
      rejected: row.count('rejected'),
      stale: row.count('stale'),
      difficulty: kit.positive(row.difficulty('diff')) ?? kit.positive(row.difficulty('lsdiff')),
    }),
  );

/** Blank is an answer: there is none. */
const faultWord = (stats: kit.Answer, key: string) => (stats.value(key) === '' ? '' : stats.asWritten(key));

/** The codes have no public table: they are passed on as they are. */
function errors(stats: kit.Answer): kit.Draft['errors'] {
  const [code, chip, ofPsu] = ['Error Code', 'Error Chip', 'PSU Error'].map((key) => faultWord(stats, key));
  if (kit.first(code, chip, ofPsu) === undefined) return undefined;
  return [
    kit.isFault(code) ? { code, category: 'unknown' } : undefined,
    kit.isFault(chip) ? { code: 'chip', message: `chips with errors: ${chip}`, category: 'chip' } : undefined,
    kit.isFault(ofPsu) ? { code: `psu:${ofPsu}`.slice(0, 128), category: 'psu' } : undefined,
  ];
}

function expectation(stats: kit.Answer, mode: Mode, table: kit.Expectation) {
  const fanCount = isLiquid(stats) ? 0 : kit.positive(stats.int('Fan Count', PARTS));
  // Rated is what the machine was sold for in normal mode; ideal follows what it does now, and so would hide a board
  // that is gone. Of a mode that is not known less may have been asked than it was sold for.
  const isRated = mode === 'normal' || mode === 'sleep';
  const [ratedHs, idealHs] = ['MHS(Rated)', 'MHS(Ideal)'].map((key) => kit.positive(stats.rateHs(key, 'M')));
  return {
    ...kit.withOwnBuild(table, { boards: stats.int('Board Count', PARTS), fans: fanCount }),
    ...(isLiquid(stats) && { cooling: 'liquid' as const }),
    hashrateHs: isRated ? (ratedHs ?? table.hashrateHs) : idealHs,
  };
}

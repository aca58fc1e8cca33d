// Turns `/api/system/info` into a Reading (atlas 11). One board, rates in GH/s, shares counted for the machine and not
// for a pool.
import * as kit from '../../src/driver/kit/index.ts';
import { HARDWARE_FAULT, OVERHEATED, POWER_FAULT } from './errors.data.ts';
import { chipsOf, machineOf } from './models.ts';

export function read({ info }: { readonly info: kit.Answer }, known: kit.Known): kit.Draft {
  const { make, model, expected } = machineOf(info, known);
  const toldHs = info.rateHs('hashRate', 'G');
  const isPaused = info.bool('miningPaused');
  const isOverheated = info.bool('overheat_mode') === true;
  const isOff = isOverheated || info.bool('shutdown') === true || isCold(info, toldHs);
  // A machine that stopped by heat may go on telling its last rate.
  const hashrateHs = isOff && toldHs !== 0 ? undefined : toldHs;
  const expectedHashrateHs = kit.first(
    kit.positive(info.rateHs('expectedHashrate', 'G')),
    fromCores(info, expected.chipsPerBoard),
    expected.hashrateHs,
  );
  return {
    make,
    model,
    mac: info.asWritten('macAddr'),
    hostname: info.text('hostname'),
    firmwareVersion: info.text('version'),
    apiVersion: info.text('version'),
    controlBoard: info.text('boardVersion', 32),

    hashrateHs,
    hashrateWindow: 'realtime',
    hashrateSettledHs: isOff ? undefined : info.rateHs('hashRate_10m', 'G'),
    // NerdAxe family only: what was hashed in a day, also of a machine that runs for less.
    hashrate24hHs: (info.seconds('uptimeSeconds') ?? 0) < DAY_S ? undefined : info.rateHs('hashRate_1d', 'G'),
    powerW: info.watts('power'),
    uptimeS: info.seconds('uptimeSeconds'),

    ...((isOff || isPaused) && { isMining: false }),
    // Builds that cannot pause report no mode.
    miningMode: isPaused === undefined ? undefined : isPaused ? 'sleep' : 'normal',
    boards: board(info, hashrateHs, expectedHashrateHs),
    fans: fans(info),
    pools: pools(info),
    errors: errors(info, isOverheated),
    expected: { ...expected, hashrateHs: expectedHashrateHs },
  };
}

const DAY_S = 86_400;

/** -1 is a sensor that is not there. */
function sensorC(info: kit.Answer, key: string): number | undefined {
  const tempC = info.tempC(key);
  return tempC === -1 ? undefined : tempC;
}

/** NerdAxe family only: of each chip, 0 without a sensor. */
const chipsC = (info: kit.Answer) => info.list('asicTemps', 1_000)?.map((tempC) => kit.toTempC(tempC));
const hottestC = (info: kit.Answer) =>
  kit.largest([sensorC(info, 'temp'), sensorC(info, 'temp2'), ...(chipsC(info) ?? [])]);

const setMhz = (info: kit.Answer) => info.number('frequency', { min: 1, max: 10_000 });

/** Cores times MHz are MH/s; 0 cores means that the firmware does not know. */
function fromCores(info: kit.Answer, usualChips: number | undefined): number | undefined {
  const chips = chipsOf(info) ?? usualChips ?? 0;
  const cores = info.positive('smallCoreCount', 1e6) ?? 0;
  return kit.positive(cores * chips * (setMhz(info) ?? 0) * 1e6);
}

/** About half of what the best chips take: whatever hashes takes more. */
const LEAST_J_PER_TH = 8;
/** No chip at work is as cool as that beside a power that low. */
const WORKING_C = 45;

/**
 * Takes too little for the rate that it tells, and is cool: it has stopped, whatever its flags say. Neither alone is
 * enough, because a power sensor may be wrong and a good cooler cools well; 0 W is a sensor that is not there.
 */
function isCold(info: kit.Answer, hashrateHs = 0): boolean {
  const tempC = hottestC(info) ?? sensorC(info, 'vrTemp') ?? WORKING_C;
  return (info.watts('power') ?? Infinity) < (hashrateHs / 1e12) * LEAST_J_PER_TH && tempC < WORKING_C;
}

function board(
  info: kit.Answer,
  hashrateHs: number | undefined,
  expectedHashrateHs: number | undefined,
): kit.BoardDraft[] | undefined {
  // What the chips run at in newer builds, 0 while they rest; else what is set.
  const actualMhz = info.number('actualFrequency', { min: 0, max: 10_000 });
  // Of the regulator, which is made for far more heat than a board.
  const regulatorC = sensorC(info, 'vrTemp');
  const parts = kit.present({
    hashrateHs,
    // What it has found; LuckyMiner only.
    chips: info.int('asicDetected', { min: 0, max: 1_000 }) ?? chipsOf(info),
    frequencyMhz: actualMhz === undefined ? setMhz(info) : kit.positive(actualMhz),
    // Of what feeds it; under another name in old LuckyMiners.
    voltageV: info.milli('voltage', FED_MV) ?? info.milli('voltagei', FED_MV),
    boardTempsC: regulatorC === undefined ? undefined : [regulatorC],
    chipTempMaxC: hottestC(info),
    chipTempAvgC: chipMean(info),
  });
  return Object.keys(parts).length === 0 ? undefined : [{ slot: 0, ...parts, expectedHashrateHs }];
}

const FED_MV = { min: 1_000, max: 100_000 } as const;

/**
 * `temp` is the mean of a Bitaxe, but the hottest chip of the NerdAxe family, which tells each chip beside it where it
 * has sensors.
 */
function chipMean(info: kit.Answer): number | undefined {
  const isMean = info.text('deviceModel', 64) === undefined || info.int('asicCount') === 1;
  if (isMean) return kit.mean([sensorC(info, 'temp'), sensorC(info, 'temp2')]);
  const temps = chipsC(info) ?? [];
  return temps.includes(undefined) ? undefined : kit.mean(temps);
}

/** Without a list all have one fan; the key of a second one reads 0 where there is none. */
function fans(info: kit.Answer): (kit.FanDraft | undefined)[] {
  const dutyPercent = info.percent('fanspeed');
  // In old LuckyMiners the speed has the same name as the percent in lower case.
  const mainRpm = info.rpm('fanrpm') ?? (dutyPercent === undefined ? undefined : info.rpm('fanSpeed'));
  const listed = info.rows('fans', 32)?.map((row) => ({ rpm: row.rpm('rpm'), dutyPercent: row.percent('speedPerc') }));
  const single = [mainRpm, kit.positive(info.rpm('fan2rpm'))].map((rpm) => ({ rpm, dutyPercent }));
  return (listed ?? single).map((fan, index) => (fan.rpm === undefined ? undefined : { index, ...fan }));
}

function pools(info: kit.Answer): kit.PoolDraft[] | undefined {
  const stratum = info.at('stratum');
  const rows = stratum.rows('pools', 2);
  const places = placesOf(info);
  const isSecond = info.bool('isUsingFallbackStratum') ?? stratum.bool('usingFallback');
  const isAlone = places[0] !== undefined && places[1] === undefined;
  const active = isSecond === undefined ? (isAlone ? 0 : undefined) : Number(isSecond);
  // NerdAxe family only, newer builds: both at once, each with a row; else one row, of the pool in use.
  const areBoth = stratum.int('activePoolMode') === 1;
  return kit.setPools(
    places,
    (place) => place?.url,
    (place, url, index) => ({
      index,
      url,
      user: place?.user ?? '',
      isActive: areBoth || (active === undefined ? undefined : active === index),
      ...(areBoth ? countsOf(rows?.[index]) : active === index && totals(info, rows?.[0])),
    }),
  );
}

/** Address and user of the two pools; undefined where none is set. */
export const placesOf = (info: kit.Answer) =>
  (['stratum', 'fallbackStratum'] as const).map((prefix) => {
    const host = info.text(`${prefix}URL`, 400);
    if (host === undefined) return undefined;
    // `SV1` or `SV2`; 0 or 1 in the NerdAxe family.
    const isSecond = /^(sv2|1)$/i.test(info.text(`${prefix}Protocol`, 16) ?? '');
    const scheme = isSecond ? 'stratum2+tcp' : isTls(info, prefix) ? 'stratum+ssl' : 'stratum+tcp';
    const url = kit.poolUrl(host, info.int(`${prefix}Port`, { min: 1, max: 65_535 }), scheme);
    return { url, user: info.text(`${prefix}User`, 512) ?? '' };
  });

/** `true`, or the number of a kind of certificate; 0 is none. */
export const isTls = (info: kit.Answer, prefix: 'stratum' | 'fallbackStratum'): boolean =>
  (info.number(`${prefix}TLS`) ?? 0) > 0 || info.bool(`${prefix}TLS`) === true;

const countsOf = (row: kit.Answer | undefined) => ({
  isAlive: row?.bool('connected'),
  accepted: row?.count('accepted'),
  rejected: row?.count('rejected'),
  difficulty: kit.positive(row?.difficulty('poolDifficulty')),
});

/** What is counted for the machine belongs to the one pool in use. */
const totals = (info: kit.Answer, row: kit.Answer | undefined) => ({
  isAlive: row?.bool('connected') ?? info.bool('isStratumConnected'),
  accepted: info.count('sharesAccepted'),
  rejected: info.count('sharesRejected'),
  difficulty: kit.positive(info.difficulty('stratumDiff')) ?? kit.positive(info.difficulty('poolDifficulty')),
});

function errors(info: kit.Answer, isOverheated: boolean): kit.Draft['errors'] {
  const [power, hardware] = [info.text('power_fault'), info.text('hardware_fault')];
  if (kit.first<unknown>(info.bool('overheat_mode'), power, hardware) === undefined) return undefined;
  return [
    isOverheated ? OVERHEATED : undefined,
    kit.isFault(power) ? { ...POWER_FAULT, message: power } : undefined,
    kit.isFault(hardware)
      ? { ...HARDWARE_FAULT, message: hardware, category: kit.categoryOfWords(hardware) }
      : undefined,
  ];
}

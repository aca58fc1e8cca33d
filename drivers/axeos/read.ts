// Turns `/api/system/info` into a Reading (atlas 11). One board, rates in GH/s, shares counted for the machine and not
// for a pool.
import type { Known } from '../../src/driver/contract.ts';
import { first, isNoFault, largest, mean, scale } from '../../src/driver/fields.ts';
import { categoryOfWords } from '../../src/driver/kit/words/trouble-words.ts';
import type { BoardReading, ErrorReading, FanReading, PoolReading, Reading } from '../../src/model/reading.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import { HARDWARE_FAULT, OVERHEATED, POWER_FAULT } from './errors.data.ts';
import { chipsOf, machineOf } from './models.ts';
import type { Info, Replies } from './replies.ts';

export function read({ info }: Replies, known: Known): Reading {
  const { make, model, expected } = machineOf(info, known);
  const names: Reading = present({ make, model });
  if (info === undefined) return names;
  const isOverheated = info.overheat_mode === true;
  const chipC = largest([info.temp, info.temp2, ...(info.asicTemps ?? []).filter((tempC) => tempC > 0)]);
  const isOff = isOverheated || info.shutdown === true || isCold(info, first(chipC, info.vrTemp));
  // A machine that stopped by heat may go on telling its last rate.
  const hashrateHs = isOff ? (info.hashRate === 0 ? 0 : undefined) : info.hashRate;
  const wanted = present({
    ...expected,
    hashrateHs: first(positive(info.expectedHashrate), fromCores(info, expected?.chipsPerBoard), expected?.hashrateHs),
  });
  return present({
    ...names,
    mac: info.macAddr,
    hostname: info.hostname,
    firmwareVersion: info.version,
    apiVersion: info.version,
    controlBoard: info.boardVersion,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateSettledHs: isOff ? undefined : info.hashRate_10m,
    hashrate24hHs: (info.uptimeSeconds ?? 0) < DAY_S ? undefined : info.hashRate_1d,
    powerW: positive(info.power),
    uptimeS: info.uptimeSeconds,

    isMining: mining(info, isOff),
    // Builds that cannot pause report no mode.
    miningMode:
      info.miningPaused === undefined ? undefined : info.miningPaused ? ('sleep' as const) : ('normal' as const),
    tempC: first(chipC, info.vrTemp),
    boards: board(info, hashrateHs, chipC, wanted.hashrateHs),
    fans: fans(info),
    pools: pools(info),
    errors: errors(info, isOverheated),
    expected: Object.keys(wanted).length === 0 ? undefined : wanted,
  });
}

const DAY_S = 86_400;

/** Cores times MHz are MH/s; 0 cores means that the firmware does not know. */
function fromCores(info: Info, usualChips: number | undefined): number | undefined {
  const { smallCoreCount, frequency } = info;
  const chips = chipsOf(info) ?? usualChips;
  if (chips === undefined || frequency === undefined) return undefined;
  return positive((smallCoreCount ?? 0) * chips * frequency * 1e6);
}

/** About half of what the best chips take: whatever hashes takes more. */
const LEAST_J_PER_TH = 8;
/** No chip at work is as cool as that beside a power that low. */
const WORKING_C = 45;

/**
 * Takes too little for the rate that it tells, and is cool: it has stopped, whatever its flags say. Neither alone is
 * enough, because a power sensor may be wrong and a good cooler cools well; 0 W is a sensor that is not there.
 */
function isCold({ hashRate, power }: Info, tempC: number | undefined): boolean {
  if (hashRate === undefined || positive(power) === undefined || tempC === undefined) return false;
  return (power ?? 0) < (hashRate / 1e12) * LEAST_J_PER_TH && tempC < WORKING_C;
}

function mining({ hashRate, miningPaused }: Info, isOff: boolean): boolean | undefined {
  if (isOff || miningPaused === true) return false;
  return hashRate === undefined ? undefined : hashRate > 0;
}

function board(
  info: Info,
  hashrateHs: number | undefined,
  chipC: number | undefined,
  expectedHashrateHs: number | undefined,
): BoardReading[] | undefined {
  const parts = present({
    hashrateHs,
    chips: first(info.asicDetected, chipsOf(info)),
    frequencyMhz: info.actualFrequency === undefined ? info.frequency : positive(info.actualFrequency),
    voltageV: scale(first(info.voltage, info.voltagei), 1e-3),
    boardTempsC: info.vrTemp === undefined ? undefined : [info.vrTemp],
    chipTempMaxC: chipC,
    chipTempAvgC: chipMean(info),
  });
  if (Object.keys(parts).length === 0) return undefined;
  return [{ slot: 0, ...parts, ...present({ expectedHashrateHs }) }];
}

/**
 * `temp` is the mean of a Bitaxe, but the hottest chip of the NerdAxe family, which tells each chip beside it where it
 * has sensors.
 */
function chipMean({ temp, temp2, asicTemps, deviceModel, asicCount }: Info): number | undefined {
  if (deviceModel === undefined || asicCount === 1) return mean([temp, temp2]);
  return asicTemps?.every((tempC) => tempC > 0) ? mean(asicTemps) : undefined;
}

/** Without a list all have one fan; the key of a second one reads 0 where there is none. */
function fans(info: Info): FanReading[] | undefined {
  // Percent has the same name in lower case.
  const mainRpm = first(info.fanrpm, info.fanspeed === undefined ? undefined : info.fanSpeed);
  const rows = info.fans?.map(({ rpm, speedPerc }) => ({ rpm, dutyPercent: speedPerc }));
  const found = (
    rows ?? [
      { rpm: mainRpm, dutyPercent: info.fanspeed },
      { rpm: positive(info.fan2rpm), dutyPercent: info.fanspeed },
    ]
  ).flatMap(({ rpm, dutyPercent }, index) => (rpm === undefined ? [] : [present({ index, rpm, dutyPercent })]));
  return found.length === 0 ? undefined : found;
}

function pools(info: Info): PoolReading[] | undefined {
  const both = addressesOf(info);
  const isAlone = both[1][0] === undefined && both[0][0] !== undefined;
  const isSecond = first(info.isUsingFallbackStratum, info.stratum?.usingFallback);
  const active = isSecond === undefined ? (isAlone ? 0 : undefined) : +isSecond;
  const areBoth = info.stratum?.activePoolMode === 1;
  const found = both.flatMap(([url, user], index) =>
    url === undefined
      ? []
      : [
          present({
            index,
            url,
            user: user ?? '',
            isActive: areBoth || (active === undefined ? undefined : active === index),
            ...(areBoth ? countsOf(info.stratum?.pools?.[index]) : active === index && totals(info)),
          }),
        ],
  );
  return found.length === 0 ? undefined : found;
}

/** Address and user of the two pools; without an address where none is set. */
export const addressesOf = (info: Info) =>
  [
    [poolUrl(info.stratumURL, info.stratumPort, schemeOf(info.stratumTLS, info.stratumProtocol)), info.stratumUser],
    [
      poolUrl(
        info.fallbackStratumURL,
        info.fallbackStratumPort,
        schemeOf(info.fallbackStratumTLS, info.fallbackStratumProtocol),
      ),
      info.fallbackStratumUser,
    ],
  ] as const;

type StratumRow = NonNullable<NonNullable<Info['stratum']>['pools']>[number];

const countsOf = (row: StratumRow | undefined) => ({
  isAlive: row?.connected,
  accepted: row?.accepted,
  rejected: row?.rejected,
  difficulty: positive(row?.poolDifficulty),
});

/** What is counted for the machine belongs to the one pool in use. */
const totals = (info: Info) => ({
  isAlive: first(info.stratum?.pools?.[0]?.connected, info.isStratumConnected),
  accepted: info.sharesAccepted,
  rejected: info.sharesRejected,
  difficulty: first(positive(info.stratumDiff), positive(info.poolDifficulty)),
});

const schemeOf = (isTls = false, protocol = ''): string =>
  /^(sv2|1)$/i.test(protocol) ? 'stratum2+tcp' : isTls ? 'stratum+ssl' : 'stratum+tcp';

/** The host may be written with or without scheme and port; what protocol it is, other keys tell. */
function poolUrl(host: string | undefined, port: number | undefined, scheme: string): string | undefined {
  if (host === undefined) return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? host : `${scheme}://${host}`;
  return port === undefined || /:\d+$/.test(url) ? url : `${url}:${port}`;
}

function errors(info: Info, isOverheated: boolean): ErrorReading[] | undefined {
  const { overheat_mode, power_fault, hardware_fault } = info;
  if (first<unknown>(overheat_mode, power_fault, hardware_fault) === undefined) return undefined;
  return [
    ...(isOverheated ? [OVERHEATED] : []),
    ...(power_fault === undefined || isNoFault(power_fault) ? [] : [{ ...POWER_FAULT, message: power_fault }]),
    ...(hardware_fault === undefined || isNoFault(hardware_fault)
      ? []
      : [{ ...HARDWARE_FAULT, message: hardware_fault, category: categoryOfWords(hardware_fault) }]),
  ];
}

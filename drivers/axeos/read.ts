// Turns `/api/system/info` into a Reading (atlas 11). One board, rates in GH/s, shares counted for the machine and not for a pool.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, mean } from '../../src/driver/fields.ts';
import { isFine } from '../../src/driver/unsaid.ts';
import type { BoardReading, ErrorReading, FanReading, PoolReading, Reading } from '../../src/model/reading.ts';
import { positive, present } from '../_families/cgminer.ts';
import { OVERHEATED, POWER_FAULT } from './errors.data.ts';
import { machineOf } from './models.ts';
import type { Info, Replies } from './replies.ts';

export function read({ info }: Replies, known: Known): Reading {
  const { make, model, expected } = machineOf(info, known);
  const names: Reading = present({ make, model });
  if (info === undefined) return names;
  const isOverheated = info.overheat_mode === true;
  const chipC = largest([info.temp, info.temp2]);
  const isOff = isOverheated || isCold(info, first(chipC, info.vrTemp));
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

/** Cores times MHz are MH/s; 0 cores means that the firmware does not know. */
function fromCores({ smallCoreCount, asicCount, frequency }: Info, usualChips: number | undefined): number | undefined {
  const chips = asicCount ?? usualChips;
  if (chips === undefined || frequency === undefined) return undefined;
  return positive((smallCoreCount ?? 0) * chips * frequency * 1e6);
}

/** About half of what the best chips take: whatever hashes takes more. */
const LEAST_J_PER_TH = 8;
/** No chip at work is as cool as that beside a power that low. */
const WORKING_C = 45;

/**
 * Takes too little for the rate that it tells, and is cool: it has stopped, whatever its flags say. Neither alone is enough, because a power sensor may be wrong
 * and a good cooler cools well; 0 W is a sensor that is not there.
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
    chips: info.asicCount,
    frequencyMhz: info.frequency,
    voltageV: info.voltage === undefined ? undefined : info.voltage / 1_000,
    boardTempsC: info.vrTemp === undefined ? undefined : [info.vrTemp],
    chipTempMaxC: chipC,
    chipTempAvgC: mean([info.temp, info.temp2]),
  });
  if (Object.keys(parts).length === 0) return undefined;
  return [{ slot: 0, ...parts, ...present({ expectedHashrateHs }) }];
}

/** All have one fan; the key of a second one reads 0 where there is none. */
function fans({ fanrpm, fan2rpm, fanspeed }: Info): FanReading[] | undefined {
  const found = [fanrpm, positive(fan2rpm)].flatMap((rpm, index) =>
    rpm === undefined ? [] : [present({ index, rpm, dutyPercent: fanspeed })],
  );
  return found.length === 0 ? undefined : found;
}

function pools(info: Info): PoolReading[] | undefined {
  const both = [
    [poolUrl(info.stratumURL, info.stratumPort), info.stratumUser],
    [poolUrl(info.fallbackStratumURL, info.fallbackStratumPort), info.fallbackStratumUser],
  ] as const;
  const isAlone = both[1][0] === undefined && both[0][0] !== undefined;
  const active = info.isUsingFallbackStratum === undefined ? (isAlone ? 0 : undefined) : +info.isUsingFallbackStratum;
  const found = both.flatMap(([url, user], index) =>
    url === undefined
      ? []
      : [
          present({
            index,
            url,
            user: user ?? '',
            isActive: active === undefined ? undefined : active === index,
            ...(active === index && {
              accepted: info.sharesAccepted,
              rejected: info.sharesRejected,
              difficulty: first(positive(info.stratumDiff), positive(info.poolDifficulty)),
            }),
          }),
        ],
  );
  return found.length === 0 ? undefined : found;
}

/** The host may be written with or without scheme and port; the protocol is always Stratum over TCP. */
export function poolUrl(host: string | undefined, port: number | undefined): string | undefined {
  if (host === undefined) return undefined;
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(host) ? host : `stratum+tcp://${host}`;
  return port === undefined || /:\d+$/.test(url) ? url : `${url}:${port}`;
}

function errors({ overheat_mode, power_fault }: Info, isOverheated: boolean): ErrorReading[] | undefined {
  if (overheat_mode === undefined && power_fault === undefined) return undefined;
  return [
    ...(isOverheated ? [OVERHEATED] : []),
    ...(power_fault === undefined || isFine(power_fault) ? [] : [{ ...POWER_FAULT, message: power_fault }]),
  ];
}

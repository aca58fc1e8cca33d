// Turns the answers of one Avalon into a Reading (atlas 5.2). GH/s rates; powers from the PS list; boards from lists
// with one value per board.
import type { Known } from '../../src/driver/contract.ts';
import { first, firstSerial, largest, mean, toTempC } from '../../src/driver/fields.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type { Expectation, FanReading, MiningMode, PsuReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, present, rateHs } from '../_dialects/cgminer.ts';
import { hashrates } from '../_dialects/windows.ts';
import { boards, ownBuild } from './boards.ts';
import { faults, isPsuSilent } from './faults.ts';
import { isHomeModel, modelOf, type Names, splitVer } from './identify.ts';
import type { Replies } from './replies.ts';
import { number, numbers, type Tokens, whole } from './tokens.ts';

/** A device clock before 2001 was never set. */
const SET_CLOCK_S = 1e9;
const MAX_FANS = 8;

export function read(replies: Replies, known: Known): Reading {
  const { estats, stats, litestats, homeStats, version, pools } = replies;
  const answer = first(estats, litestats, stats, homeStats);
  const row = version?.VERSION?.[0];
  const module = answer?.modules[0];
  const tokens = module?.tokens ?? new Map<string, string>();
  const names: Names = { PROD: row?.PROD, MODEL: row?.MODEL, Ver: commonVer(answer?.modules) };
  const { model, name } = modelOf(names);
  const isAlone = answer?.modules.length === 1;
  const common: Reading = present({
    mac: row?.MAC,
    serialNumber: firstSerial(row?.DNA, ...(isAlone ? ['DNA', 'HDNA'].map((key) => shortText(tokens, key)) : [])),
    make: 'Avalon',
    model: name?.slice(0, 256) ?? known.model,
    firmwareVersion: first(row?.LVERSION, row?.CGVERSION, row?.VERSION, splitVer(names.Ver).firmware)?.slice(0, 256),
    apiVersion: row?.API,
    controlBoard: row?.HWTYPE,
    uptimeS: first(
      ...[estats, stats, homeStats, litestats].map((given) => given?.elapsedS),
      number(tokens, 'Elapsed', { min: 0, max: 4e9 }),
    ),
    deviceTimeS: answer?.whenS !== undefined && answer.whenS >= SET_CLOCK_S ? answer.whenS : undefined,
    pools: poolReadings(pools?.POOLS),
  });
  if (answer === undefined || module === undefined) return common;
  const rates = ratesOf(answer.modules, replies.summary);
  const expectedHs = total(answer.modules, 'GHSmm') || undefined;
  if (!isAlone) return { ...common, ...rates, ...ofSeveral(answer.modules, rates.hashrateHs, expectedHs) };

  const isHome = isHomeModel(names) ?? known.generation === 'home';
  return present({
    ...common,
    ...rates,
    ...ofOne(module, rates.hashrateHs, isHome, model?.expected.fans),
    expected: expectation(module, model?.expected, expectedHs),
  });
}

const shortText = (tokens: Tokens, key: string) => tokens.get(key)?.slice(0, 128) || undefined;

type Module = NonNullable<Replies['stats']>['modules'][number];

/** What all controllers say that they are; undefined where they differ. */
function commonVer(modules: readonly Module[] | undefined): string | undefined {
  const [ver, ...others] = new Set(modules?.map(({ tokens }) => tokens.get('Ver')));
  return others.length === 0 ? ver : undefined;
}

/** From the stats; where they leave the present rate out, from `summary`. */
function ratesOf(
  modules: readonly Module[],
  summary: Replies['summary'],
): Partial<Reading> & Pick<Reading, 'hashrateHs'> {
  const averageHs = total(modules, 'GHSavg');
  const hashrateHs = total(modules, 'GHSspd');
  if (hashrateHs !== undefined) {
    return present({ hashrateHs, hashrateWindow: 'realtime' as const, hashrateAverageHs: averageHs });
  }
  const told = hashrates(summary?.SUMMARY?.[0] ?? {});
  return present({ ...told, hashrateAverageHs: averageHs ?? told.hashrateAverageHs });
}

/** Several machines behind one controller: what adds up, the hottest chip of all, and what they breathe. */
function ofSeveral(
  modules: readonly Module[],
  hashrateHs: number | undefined,
  expectedHs: number | undefined,
): Partial<Reading> {
  const temps = (key: string) => modules.map(({ tokens }) => toTempC(number(tokens, key)));
  return present({
    isMining: hashrateHs === undefined ? undefined : hashrateHs > 0,
    tempC: largest(temps('TMax')),
    inletTempC: mean(temps('Temp')),
    expected: expectedHs === undefined ? undefined : { hashrateHs: expectedHs },
  });
}

function ofOne(
  module: Module,
  hashrateHs: number | undefined,
  isHome: boolean,
  expectedFans: number | undefined,
): Partial<Reading> {
  const { tokens } = module;
  const boardList = boards(module, hashrateHs);
  return present({
    ...powers(tokens, hashrateHs),
    isMining: mining(tokens, hashrateHs),
    miningMode: mode(tokens, isHome),
    miningModePreset: isHome ? tokens.get('WORKLEVEL')?.slice(0, 32) || undefined : undefined,
    isLightOn: flag(number(tokens, 'Led')),
    tempC: first(toTempC(number(tokens, 'TMax')), largest((boardList ?? []).map(({ chipTempMaxC }) => chipTempMaxC))),
    inletTempC: first(toTempC(number(tokens, 'Temp')), toTempC(number(tokens, 'ITemp'))),
    outletTempC: mean((boardList ?? []).map(({ outletTempC }) => outletTempC)),
    boards: boardList,
    totalChips: whole(tokens, 'TA', { min: 1, max: 100_000 }),
    fans: fans(tokens, expectedFans),
    errors: faults(tokens),
  });
}

function expectation(
  module: Module,
  ofModel: Expectation | undefined,
  expectedHs: number | undefined,
): Expectation | undefined {
  const own = ownBuild(module, ofModel);
  // Other boards than the table's have other chips, too, and how many is not told.
  const isOther = own.boards !== undefined && own.chipsPerBoard === undefined && own.boards !== ofModel?.boards;
  const expected = present({
    ...withOwnBuild(isOther && ofModel ? { ...ofModel, chipsPerBoard: undefined } : ofModel, own),
    hashrateHs: expectedHs ?? ofModel?.hashrateHs,
  });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

const MAX_HASHRATE_HS = 1e18;

/** Of all controllers, in GH/s. Undefined unless all tell it: a part of a sum is not the sum. */
function total(modules: readonly Module[], key: string): number | undefined {
  const sum = modules.reduce((sofar, { tokens }) => sofar + (rateHs(tokens.get(key), 'G') ?? Number.NaN), 0);
  return sum <= MAX_HASHRATE_HS ? sum : undefined;
}

const flag = (value: number | undefined) => (value === undefined ? undefined : value !== 0);

function mining(tokens: Tokens, hashrateHs: number | undefined): boolean | undefined {
  if (flag(number(tokens, 'SoftOFF')) === true) return false;
  const isAtWork = workState(tokens.get('SYSTEMSTATU'));
  if (isAtWork === false) return false;
  // It is "in work" as well while it is stopped by heat.
  return hashrateHs === undefined ? isAtWork : hashrateHs > 0;
}

/** `Work: In Work`, `In Idle`, `In Init`, `In Fault`; undefined where no such word stands. */
const workState = (state: string | undefined) => {
  const word = state?.match(/\bIn ([A-Z]\w+)/i)?.[1];
  return word === undefined ? undefined : word.toLowerCase() === 'work';
};

const HOME_MODES = ['low', 'normal', 'high'] as const;
const A_MODES = ['normal', 'high'] as const;

function mode(tokens: Tokens, isHome: boolean): MiningMode | undefined {
  if (flag(number(tokens, 'SoftOFF')) === true) return 'sleep';
  const written = number(tokens, 'WORKMODE');
  return written === undefined ? undefined : (isHome ? HOME_MODES : A_MODES)[written];
}

/**
 * `PS[error control-V board-V A out-W set-V wall-W]`. The fifth is DC, the sixth a voltage; only the seventh, or
 * WALLPOWER, is what the wall gives. A board rail outside of 1 to 60 V is in another unit (millivolts on Nano) and left
 * out.
 */
function powers(tokens: Tokens, hashrateHs: number | undefined): Partial<Reading> {
  const watts = { min: 0, max: 100_000 };
  const ps = numbers(tokens, 'PS', watts);
  const brick = ofBrick(ps);
  if (brick !== undefined) return { ...brick, ...present({ powerLimitW: limitW(tokens) }) };
  const isHashing = (hashrateHs ?? 0) > 0;
  const wallW = number(tokens, 'WALLPOWER', watts) || ps[6] || undefined;
  const outW = isPsuSilent(tokens) || (ps[4] === 0 && isHashing) ? undefined : ps[4];
  const rail = ps[2];
  const psu: PsuReading = present({
    inputPowerW: wallW,
    outputPowerW: outW,
    outputVoltageV: rail !== undefined && rail >= 100 && rail <= 6_000 ? rail / 100 : undefined,
    isOk: ps[0] === undefined ? undefined : ps[0] === 0 && !isPsuSilent(tokens) && !flag(number(tokens, 'POWS')),
  });
  return present({
    powerW: wallW,
    powerLimitW: limitW(tokens),
    psuOutputPowerW: outW,
    psus: ps.length === 0 ? undefined : [psu],
  });
}

const limitW = (tokens: Tokens) => number(tokens, 'MPO', { min: 1, max: 100_000 });

/**
 * The first Nano 3 has a power brick and another order: `PS[error 0 0 A in-V in-W set-V]`, volts in hundredths, amperes
 * cut to whole ones. The watts are told where the three agree.
 */
function ofBrick([error, control, board, amps = 0, hundredthsV = 0, told]: readonly (number | undefined)[]) {
  const volts = hundredthsV / 100;
  if (control !== 0 || board !== 0 || volts < 5 || volts > 60) return undefined;
  const isProven = told !== undefined && told >= amps * volts && told < (amps + 1) * volts;
  const watts = isProven ? told : undefined;
  const isOk = error === undefined ? undefined : error === 0;
  return present({
    powerW: watts || undefined,
    psuOutputPowerW: watts,
    psus: [present({ outputPowerW: watts, outputVoltageV: volts, isOk })],
  });
}

/** Slots beyond the model's fans read 0 and are none. */
function fans(tokens: Tokens, expectedFans: number | undefined): FanReading[] | undefined {
  const dutyPercent = number(tokens, 'FanR', { min: 0, max: 100 });
  const rpm = { min: 0, max: 30_000 };
  const slots = Array.from({ length: MAX_FANS }, (_, index) => number(tokens, `Fan${index + 1}`, rpm));
  // The 7, 8 and 9 series have one.
  slots[0] ??= number(tokens, 'Fan', rpm);
  if (slots.every((rpm) => rpm === undefined)) return expectedFans === 0 ? [] : undefined;
  const found = slots.flatMap((rpm, index) =>
    rpm !== undefined && (rpm > 0 || (expectedFans !== undefined && index < expectedFans))
      ? [present({ index, rpm, dutyPercent })]
      : [],
  );
  return found.length === 0 && expectedFans === undefined ? undefined : found;
}

// Turns the answers of one Avalon into a Reading (atlas 5.2). GH/s rates; powers from the PS list; boards from lists with one value per board.
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, mean, toTempC } from '../../src/driver/fields.ts';
import type { FanReading, MiningMode, PsuReading, Reading } from '../../src/model/reading.ts';
import { poolReadings, present, rateHs } from '../_families/cgminer.ts';
import { boards } from './boards.ts';
import { faults, isPsuSilent } from './faults.ts';
import { isHomeModel, modelOf, type Names, splitVer } from './identify.ts';
import type { Replies } from './replies.ts';
import { number, numbers, type Tokens, whole } from './tokens.ts';

/** A device clock before 2001 was never set. */
const SET_CLOCK_S = 1e9;
const MAX_FANS = 8;

export function read({ estats, stats, litestats, homeStats, version, pools }: Replies, known: Known): Reading {
  const answer = first(estats, litestats, stats, homeStats);
  const row = version?.VERSION?.[0];
  const module = answer?.modules[0];
  const tokens = module?.tokens ?? new Map<string, string>();
  const names: Names = { PROD: row?.PROD, MODEL: row?.MODEL, Ver: tokens.get('Ver') };
  const { model, name } = modelOf(names);
  const common: Reading = present({
    mac: row?.MAC,
    serialNumber: row?.DNA ?? (tokens.get('DNA')?.slice(0, 128) || undefined),
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
  const rates = (key: string) => sum(answer.modules.map((each) => rateHs(each.tokens.get(key), 'G')));
  const hashrateHs = rates('GHSspd');
  const hashes = present({
    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: rates('GHSavg'),
  });
  const expectedHs = rates('GHSmm') || undefined;
  // Several controllers behind one address: only what adds up is told.
  if (answer.modules.length > 1)
    return { ...common, ...hashes, ...(expectedHs && { expected: { hashrateHs: expectedHs } }) };

  const isHome = isHomeModel(names) ?? known.generation === 'home';
  const boardList = boards(module, hashrateHs);
  const isMining = mining(tokens, hashrateHs);
  const expected = present({ ...model?.expected, hashrateHs: expectedHs ?? model?.expected.hashrateHs });
  return present({
    ...common,
    ...hashes,
    ...powers(tokens, hashrateHs),
    isMining,
    miningMode: mode(tokens, isHome),
    miningModePreset: isHome ? tokens.get('WORKLEVEL')?.slice(0, 32) || undefined : undefined,
    isLightOn: flag(number(tokens, 'Led')),
    tempC: first(
      toTempC(number(tokens, 'TMax')),
      largest(boardList.map(({ chipTempMaxC }) => chipTempMaxC)),
      largest(boardList.map(({ outletTempC }) => outletTempC)),
    ),
    inletTempC: first(toTempC(number(tokens, 'Temp')), toTempC(number(tokens, 'ITemp'))),
    outletTempC: mean(boardList.map(({ outletTempC }) => outletTempC)),
    boards: boardList,
    totalChips: whole(tokens, 'TA', { min: 1, max: 100_000 }),
    fans: fans(tokens, model?.expected.fans),
    errors: faults(tokens),
    expected: Object.keys(expected).length === 0 ? undefined : expected,
  });
}

const MAX_HASHRATE_HS = 1e18;

/** Undefined unless all are known: a part of a sum is not the sum. */
function sum(values: readonly (number | undefined)[]): number | undefined {
  const total = values.reduce<number>((sofar, value) => sofar + (value ?? Number.NaN), 0);
  return total <= MAX_HASHRATE_HS ? total : undefined;
}

const flag = (value: number | undefined) => (value === undefined ? undefined : value !== 0);

function mining(tokens: Tokens, hashrateHs: number | undefined): boolean | undefined {
  if (flag(number(tokens, 'SoftOFF')) === true) return false;
  const state = tokens.get('SYSTEMSTATU');
  // It is "in work" as well while it is stopped by heat.
  if (state !== undefined) return /\bIn Work\b/i.test(state) && hashrateHs !== 0;
  return hashrateHs === undefined ? undefined : hashrateHs > 0;
}

const HOME_MODES = ['low', 'normal', 'high'] as const;
const A_MODES = ['normal', 'high'] as const;

function mode(tokens: Tokens, isHome: boolean): MiningMode | undefined {
  if (flag(number(tokens, 'SoftOFF')) === true) return 'sleep';
  const written = number(tokens, 'WORKMODE');
  return written === undefined ? undefined : (isHome ? HOME_MODES : A_MODES)[written];
}

/**
 * `PS[error control-V board-V A out-W set-V wall-W]`. The fifth is DC, the sixth a voltage; only the seventh, or WALLPOWER, is what the wall gives.
 * A board rail outside of 1 to 60 V is in another unit (millivolts on Nano) and left out.
 */
function powers(tokens: Tokens, hashrateHs: number | undefined): Partial<Reading> {
  const watts = { min: 0, max: 100_000 };
  const ps = numbers(tokens, 'PS', watts);
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
    powerLimitW: number(tokens, 'MPO', { min: 1, max: 100_000 }),
    psuOutputPowerW: outW,
    psus: ps.length === 0 ? undefined : [psu],
  });
}

/** Slots beyond the model's fans read 0 and are none. */
function fans(tokens: Tokens, expectedFans: number | undefined): FanReading[] | undefined {
  const dutyPercent = number(tokens, 'FanR', { min: 0, max: 100 });
  const slots = Array.from({ length: MAX_FANS }, (_, index) =>
    number(tokens, `Fan${index + 1}`, { min: 0, max: 30_000 }),
  );
  if (slots.every((rpm) => rpm === undefined)) return expectedFans === 0 ? [] : undefined;
  const found = slots.flatMap((rpm, index) =>
    rpm !== undefined && (rpm > 0 || (expectedFans !== undefined && index < expectedFans))
      ? [present({ index, rpm, dutyPercent })]
      : [],
  );
  return found.length === 0 && expectedFans === undefined ? undefined : found;
}

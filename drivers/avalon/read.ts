// Turns the answers of one Avalon into a Reading (atlas 5.2). GH/s rates; powers from the PS list; boards from lists
// with one value per board.
import * as kit from '../../src/driver/kit/index.ts';
import { boards, chipsIn, ownBuild } from './boards.ts';
import { faults, isPsuSilent } from './faults.ts';
import { isHomeModel, modelOf, splitVer } from './identify.ts';
import { type Module, modulesOf, numbers } from './tokens.ts';

type Ask = 'estats' | 'stats' | 'litestats' | 'homeStats' | 'summary' | 'version' | 'pools';

export function read(answers: Readonly<Record<Ask, kit.Answer>>, known: kit.Known): kit.Draft {
  const { estats, litestats, stats, homeStats, summary } = answers;
  const answer = [estats, litestats, stats].find(({ isThere }) => isThere) ?? homeStats;
  const row = answers.version.row('VERSION');
  const modules = modulesOf(answer);
  const [module] = modules;
  const tokens = module?.tokens ?? kit.NOTHING;
  const isAlone = modules.length === 1;
  // What all controllers say that they are.
  const [Ver, ...others] = new Set(modules.map((each) => each.tokens.text('Ver')));
  const names = { PROD: row.text('PROD', 64), MODEL: row.text('MODEL', 64), Ver: others.length > 0 ? undefined : Ver };
  const { model, name } = modelOf(names);
  const rows = [...[estats, stats, homeStats, litestats].map((each) => each.row('STATS')), tokens];
  const serials = [tokens.text('DNA', 128), tokens.text('HDNA', 128)];
  const clockS = kit.whenS(answer);
  const common: kit.Draft = {
    mac: row.text('MAC', 128),
    serialNumber: kit.firstSerial(row.text('DNA', 128), ...(isAlone ? serials : [])),
    model: name ?? known.model,
    firmwareVersion:
      row.text('LVERSION') ?? row.text('CGVERSION') ?? row.text('VERSION') ?? splitVer(names.Ver).firmware,
    apiVersion: row.text('API'),
    controlBoard: row.text('HWTYPE'),
    uptimeS: kit.first(...rows.map((each) => each.seconds('Elapsed'))),
    // A device clock before 2001 was never set.
    deviceTimeS: (clockS ?? 0) >= 1e9 ? clockS : undefined,
    pools: kit.cgminerPools(answers.pools),
  };
  if (module === undefined) return common;
  const rates = ratesOf(modules, summary.row('SUMMARY'));
  const hashrateHs = kit.positive(total(modules, 'GHSmm'));
  if (isAlone) {
    const isHome = isHomeModel(names) ?? known.generation === 'home';
    const expected = expectation(tokens, model?.expected ?? {}, hashrateHs);
    return { ...common, ...rates, ...ofOne(module, rates.hashrateHs, isHome, model?.expected.fans), expected };
  }
  const temps = (key: string) => modules.map((each) => each.tokens.tempC(key));
  const [tempC, inletTempC] = [kit.largest(temps('TMax')), kit.mean(temps('Temp'))];
  return { ...common, ...rates, tempC, inletTempC, expected: { hashrateHs } };
}

/** From the stats; where they leave the present rate out, from `summary`. */
function ratesOf(modules: readonly Module[], summary: kit.Answer) {
  const [hashrateHs, hashrateAverageHs] = [total(modules, 'GHSspd'), total(modules, 'GHSavg')];
  if (hashrateHs !== undefined) return { hashrateHs, hashrateWindow: 'realtime', hashrateAverageHs } as const;
  const told = kit.hashrates(summary);
  return { ...told, hashrateAverageHs: hashrateAverageHs ?? told.hashrateAverageHs };
}

/** Of all controllers, in GH/s. Undefined unless all tell it: a part of a sum is not the sum. */
const total = (modules: readonly Module[], key: string): number | undefined =>
  kit.rateHs(kit.sumOfAll(modules.map(({ tokens }) => tokens.number(key, { min: 0 }))), 'G');

function ofOne(module: Module, hashrateHs: number | undefined, isHome: boolean, usualFans: number | undefined) {
  const { tokens } = module;
  const isOff = flag(tokens, 'SoftOFF');
  const boardList = boards(module, hashrateHs === 0);
  return {
    ...powers(tokens, (hashrateHs ?? 0) > 0),
    isMining: isOff ? false : isMining(tokens, hashrateHs),
    miningMode: isOff ? 'sleep' : modesOf(isHome)[tokens.number('WORKMODE') ?? -1],
    miningModePreset: isHome ? tokens.text('WORKLEVEL', 32) : undefined,
    isLightOn: flag(tokens, 'Led'),
    tempC: tokens.tempC('TMax') ?? kit.hottestC(boardList ?? []),
    inletTempC: tokens.tempC('Temp') ?? tokens.tempC('ITemp'),
    boards: boardList,
    totalChips: chipsIn(tokens),
    fans: fans(tokens, usualFans),
    errors: faults(tokens),
  } as const;
}

/** Counted from 0: the A series has no low one. */
export const modesOf = (isHome: boolean): readonly ('low' | 'normal' | 'high')[] =>
  isHome ? ['low', 'normal', 'high'] : ['normal', 'high'];

function flag(tokens: kit.Answer, key: string): boolean | undefined {
  const value = tokens.number(key);
  return value === undefined ? undefined : value !== 0;
}

/** `Work: In Work`, `In Idle`, `In Init`, `In Fault`. It is "in work" as well while it is stopped by heat. */
function isMining(tokens: kit.Answer, hashrateHs: number | undefined): boolean | undefined {
  const word = tokens.text('SYSTEMSTATU')?.match(/\bIn ([A-Z]\w+)/i)?.[1];
  const isAtWork = word === undefined ? undefined : word.toLowerCase() === 'work';
  return isAtWork === false || hashrateHs === undefined ? isAtWork : hashrateHs > 0;
}

function expectation(tokens: kit.Answer, ofModel: kit.Expectation, hashrateHs: number | undefined) {
  const own = ownBuild(tokens, ofModel);
  // Other boards than the table's have other chips, too, and how many is not told.
  const isOther = own.boards !== undefined && own.chipsPerBoard === undefined && own.boards !== ofModel.boards;
  const { chipsPerBoard, ...rest } = ofModel;
  return { ...kit.withOwnBuild(isOther ? rest : ofModel, own), hashrateHs: hashrateHs ?? ofModel.hashrateHs };
}

/**
 * `PS[error control-V board-V A out-W set-V wall-W]`. The fifth is DC, the sixth a voltage; only the seventh, or
 * WALLPOWER, is what the wall gives. A board rail outside of 1 to 60 V is in another unit (millivolts on Nano) and left
 * out.
 */
function powers(tokens: kit.Answer, isHashing: boolean): kit.Draft {
  const ps = numbers(tokens, 'PS', { min: 0, max: 100_000 });
  const powerLimitW = tokens.watts('MPO');
  const brick = ofBrick(ps);
  if (brick !== undefined) return { ...brick, powerLimitW };
  const [error, , rail, , out, , wall] = ps;
  const isSilent = isPsuSilent(tokens);
  const wallW = tokens.watts('WALLPOWER') ?? kit.positive(wall);
  const outW = isSilent || (out === 0 && isHashing) ? undefined : out;
  const isOk = error === undefined ? undefined : error === 0 && !isSilent && !flag(tokens, 'POWS');
  const outputVoltageV = rail !== undefined && rail >= 100 && rail <= 6_000 ? rail / 100 : undefined;
  const psus = ps.length === 0 ? undefined : [{ inputPowerW: wallW, outputPowerW: outW, outputVoltageV, isOk }];
  return { powerW: wallW, powerLimitW, psuOutputPowerW: outW, psus };
}

/**
 * The first Nano 3 has a power brick and another order: `PS[error 0 0 A in-V in-W set-V]`, volts in hundredths, amperes
 * cut to whole ones. The watts are told where the three agree.
 */
function ofBrick([error, control, board, amps = 0, hundredthsV = 0, told]: readonly (number | undefined)[]) {
  const outputVoltageV = hundredthsV / 100;
  if (control !== 0 || board !== 0 || outputVoltageV < 5 || outputVoltageV > 60) return undefined;
  const isProven = told !== undefined && told >= amps * outputVoltageV && told < (amps + 1) * outputVoltageV;
  const outputPowerW = isProven ? told : undefined;
  const isOk = error === undefined ? undefined : error === 0;
  const psus = [{ outputPowerW, outputVoltageV, isOk }];
  return { powerW: kit.positive(outputPowerW), psuOutputPowerW: outputPowerW, psus };
}

/** The 7, 8 and 9 series have one. */
function fans(tokens: kit.Answer, usual: number | undefined) {
  const speeds = Array.from({ length: 8 }, (_, index) => tokens.rpm(`Fan${index + 1}`));
  speeds[0] ??= tokens.rpm('Fan');
  const [dutyPercent] = numbers(tokens, 'FanR', { min: 0, max: 100 });
  return kit.fansOf(speeds, usual)?.map((fan) => ({ ...fan, dutyPercent })) ?? (usual === 0 ? [] : undefined);
}

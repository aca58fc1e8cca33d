// Turns the answers of one Auradine machine into a Reading (atlas 10).
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, mean, sumOfAll, toText } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { targetText } from '../../src/driver/kit/words/target-preset.ts';
import type { BoardReading, ErrorReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { aliveByWord, poolReadings, positive, present, rateHs, whenS } from '../_dialects/cgminer.ts';
import { hashrates, windowHs } from '../_dialects/windows.ts';
import { LAMP, LOCATE } from './errors.data.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const summary = replies.summary?.SUMMARY?.[0];
  const report = replies.ipreport?.IPReport?.[0];
  const mode = replies.mode?.Mode?.[0];
  const lamp = replies.led?.LED?.[0];
  const reported = first(report?.model, known.model);
  const model = findModel('auradine-fluxos', reported);
  const rates = summary && hashrates(summary);
  const boards = boardsOf(replies, model);
  const tuning = tuningOf(mode);
  const isAsleep = sleeps(mode);
  const powerIn = sumOfAll(replies.psu?.PSU?.map(({ PowerIn }) => PowerIn) ?? []);
  return present({
    mac: report?.mac,
    serialNumber: report?.SerialNo,
    controllerSerialNumber: report?.CBSerialNo,
    hostname: report?.hostname,
    make: 'Auradine',
    model: model?.model ?? reported,
    firmwareVersion: report?.version,
    apiVersion: replies.version?.VERSION?.[0]?.API,
    controlBoard: report?.InternalType,

    ...rates,
    powerW: first(positive(powerIn), positive(summary?.Wattage)),
    powerLimitW: tuning.powerW,
    uptimeS: summary?.Elapsed,
    deviceTimeS: whenS(replies.summary),

    isMining: isMining(isAsleep, rates?.hashrateHs),
    miningMode: tuning.mode,
    miningModePreset: tuning.preset,
    isLightOn: lamp?.Code === undefined ? undefined : lamp.Code === LOCATE,

    tempC: hottestC(replies, boards),
    inletTempC: first(
      replies.temperature?.Temperature?.find(({ InletTemp }) => InletTemp !== undefined)?.InletTemp,
      mean(boards?.map(({ inletTempC }) => inletTempC) ?? []),
    ),
    outletTempC: first(
      replies.temperature?.Temperature?.find(({ OutletTemp }) => OutletTemp !== undefined)?.OutletTemp,
      mean(boards?.map(({ outletTempC }) => outletTempC) ?? []),
    ),

    boards,
    totalChips: positive(replies.asccount?.ASCCount?.[0]?.AsicCount),
    fans: replies.fan?.Fan?.flatMap(({ ID, Speed }) =>
      ID === undefined ? [] : [present({ index: ID - 1, rpm: Speed })],
    ),
    psus: replies.psu?.PSU?.map((psu) =>
      present({
        inputPowerW: positive(psu.PowerIn),
        outputPowerW: psu.PowerOut,
        inputVoltageV: positive(psu.Vin),
        outputVoltageV: psu.Vout,
        fanRpm: psu.FanSpeed1,
      }),
    ),
    pools: poolReadings(replies.pools?.POOLS),
    errors: lamp && faults(lamp),
    expected: expectation(model, tuning),
  });
}

/** Of the chips, if every board that is alive tells of its own; else what `devs` says. */
function hottestC({ devs }: Replies, boards: readonly BoardReading[] | undefined): number | undefined {
  const alive = boards?.filter(({ isAlive }) => isAlive !== false) ?? [];
  if (alive.length > 0 && alive.every(({ chipTempMaxC }) => chipTempMaxC !== undefined))
    return largest(alive.map(({ chipTempMaxC }) => chipTempMaxC));
  return largest(devs?.DEVS?.map(({ Temperature }) => Temperature) ?? []);
}

type Mode = NonNullable<NonNullable<NonNullable<Replies['mode']>['Mode']>[number]>;

export const sleeps = (mode: Mode | undefined) =>
  mode?.Sleep === undefined ? undefined : mode.Sleep.toLowerCase() === 'on';

function isMining(isAsleep: boolean | undefined, hashrateHs: number | undefined): boolean | undefined {
  if (isAsleep === true) return false;
  return hashrateHs === undefined ? undefined : hashrateHs > 0;
}

type Tuning = {
  readonly mode?: MiningMode | undefined;
  readonly preset?: string | undefined;
  readonly powerW?: number | undefined;
  readonly ths?: number | undefined;
};

export const NAMED: Readonly<Record<string, MiningMode>> = { eco: 'low', normal: 'normal', turbo: 'high' };

/** In custom mode both figures may be there: then only the device's own word tells which of them it tunes to. */
export function tuningOf(mode: Mode | undefined): Tuning {
  const name = mode?.Mode?.toLowerCase() ?? '';
  const own = sleeps(mode) === true ? 'sleep' : Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
  if (name !== 'custom') return { mode: own };
  const [powerW, ths] = [positive(mode?.Power), positive(mode?.Ths)];
  const kind = mode?.Tune?.toLowerCase() ?? (ths === undefined ? 'power' : powerW === undefined ? 'ths' : undefined);
  const figures = { powerW, ths };
  if (kind === 'power' && powerW !== undefined)
    return { ...figures, mode: own ?? 'power_tuning', preset: targetText({ value: powerW, unit: 'W' }) };
  if (kind === 'ths' && ths !== undefined)
    return { ...figures, mode: own ?? 'hashrate_tuning', preset: targetText({ value: ths, unit: 'TH/s' }) };
  return { ...figures, mode: own };
}

/** IDs count from 1; what has ID 0 in `temperature` is the control board. */
function boardsOf(replies: Replies, model: Model | undefined): BoardReading[] | undefined {
  const rows = replies.devs?.DEVS?.filter(({ ID }) => ID !== undefined && ID > 0);
  if (rows === undefined) return undefined;
  const count = replies.asccount?.ASCCount?.[0];
  const perBoard = count?.AsicCount && count.BoardCount ? count.AsicCount / count.BoardCount : undefined;
  const serials = replies.ipreport?.IPReport?.[0]?.HBSerialNo ?? [];
  // The list of serials has no numbers: it counts only when it is complete.
  const isComplete = serials.length === (model?.expected.boards ?? rows.length);
  const taken = new Set<number>();
  return rows.flatMap((row) => {
    const slot = (row.ID ?? 0) - 1;
    if (taken.has(slot)) return [];
    taken.add(slot);
    const heat = replies.temperature?.Temperature?.find(({ ID }) => ID === row.ID);
    const boardTempsC = heat?.BoardTemp?.flatMap(({ Temperature }) => Temperature ?? []) ?? [];
    const chipC = heat?.ChipTemp?.map(({ Temperature }) => Temperature) ?? [];
    const clocks = replies.frequency?.Frequency?.find(({ ID }) => ID === row.ID)?.ChipFrequency ?? [];
    const isAlive = aliveByWord(row.Status);
    return [
      present({
        slot,
        serialNumber: isComplete ? toText(serials[slot], 128) : undefined,
        hashrateHs: windowHs(row, '5s'),
        // A sum that does not divide belongs to boards that differ.
        chips: isAlive !== false && perBoard !== undefined && Number.isInteger(perBoard) ? perBoard : undefined,
        frequencyMhz: mean(clocks.map(({ Frequency }) => Frequency)),
        boardTempsC: boardTempsC.length === 0 ? (row.Temperature && [row.Temperature]) || undefined : boardTempsC,
        chipTempMaxC: largest(chipC),
        chipTempAvgC: mean(chipC),
        inletTempC: boardTempsC.length > 1 ? Math.min(...boardTempsC) : undefined,
        outletTempC: boardTempsC.length > 1 ? Math.max(...boardTempsC) : undefined,
        isAlive,
      }),
    ];
  });
}

function faults({
  Code: code,
  Msg: message,
}: {
  readonly Code?: number | undefined;
  readonly Msg?: string | undefined;
}): ErrorReading[] | undefined {
  if (code === undefined) return undefined;
  // 0 is no pattern at all.
  if (code === 0) return [];
  const known = LAMP[code];
  if (known?.category === 'state') return [];
  return [
    {
      code: String(code),
      category: known?.category ?? 'unknown',
      severity: known?.severity ?? 'minor',
      ...present({ message: known?.message ?? message }),
    },
  ];
}

/** The nameplate holds in normal mode, and in sleep for what it wakes to. */
function expectation(model: Model | undefined, tuning: Tuning): Reading['expected'] {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const usual = tuning.mode === 'normal' || tuning.mode === 'sleep' ? nameplateHs : undefined;
  const expected = present({ ...parts, hashrateHs: first(rateHs(tuning.ths, 'T'), usual) });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

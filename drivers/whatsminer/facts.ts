// What both Whatsminer dialects give, before the model table is asked, and how that becomes a Reading.
import { first, largest } from '../../src/driver/fields.ts';
import { findModel } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import type { BoardReading, Cooling, Expectation, FanReading, Reading } from '../../src/model/reading.ts';
import { present } from '../_dialects/cgminer.ts';
import { errorReading, type Fault } from './errors.ts';

export type Facts = {
  /** Fields that need nothing else to be understood. */
  readonly reading: Reading;
  /** Model as the device writes it, e.g. `M30S+_VE40`. */
  readonly reportedModel?: string | undefined;
  readonly factoryHs?: number | undefined;
  /** How many boards it says that it was built with. */
  readonly ownBoards?: number | undefined;
  readonly powerW?: number | undefined;
  readonly fanInRpm?: number | undefined;
  readonly fanOutRpm?: number | undefined;
  readonly isLiquid?: boolean | undefined;
  readonly faults?: readonly Fault[] | undefined;
  /** Suspended on purpose. */
  readonly isOff?: boolean | undefined;
  /** The mining process does not run. */
  readonly isDown?: boolean | undefined;
  readonly mode?: 'low' | 'normal' | 'high' | undefined;
  readonly chipMaxC?: number | undefined;
  readonly boardMaxC?: number | undefined;
};

/** A device clock before 2001 was never set. */
export const SET_CLOCK_S = 1e9;

/**
 * Rows without anything in them, as a stopped machine may print them, say nothing of boards; no rows at all say that
 * there are none.
 */
export function boardsTold<R>(
  rows: readonly R[] | undefined,
  read: (row: R, place: number) => BoardReading[],
): BoardReading[] | undefined {
  const boards = rows?.flatMap(read);
  return boards?.length === 0 && rows?.length !== 0 ? undefined : boards;
}

/** `vin` in 0.01 V or V: only one of the two can be a mains voltage. */
export function mainsV(vin: number | undefined): number | undefined {
  if (vin === undefined) return undefined;
  const volts = vin > 5_000 ? vin / 100 : vin;
  return volts >= 80 && volts <= 600 ? volts : undefined;
}

/** `knownModel` is used when no answer at hand names the model. */
export function toReading(facts: Facts, knownModel: string | undefined): Reading {
  const { reading } = facts;
  const reported = facts.reportedModel ?? knownModel;
  const model = findModel('whatsminer-stock', reported);
  const cooling = coolingOf(facts, model?.expected.cooling);
  const name = model?.model ?? reported;
  const boards = reading.boards ?? [];
  const hottestBoard = facts.boardMaxC ?? largest(boards.flatMap(({ boardTempsC }) => boardTempsC ?? []));
  return present({
    ...reading,
    make: model?.make ?? 'Whatsminer',
    model: name,
    isMining: mining(facts),
    miningMode: modeNow(facts),
    // 0 W beside a hashrate is a PSU that does not say.
    powerW: facts.powerW === 0 && (reading.hashrateHs ?? 0) > 0 ? undefined : facts.powerW,
    tempC: first(facts.chipMaxC, largest(boards.map(({ chipTempMaxC }) => chipTempMaxC)), hottestBoard),
    fans: fansOf(facts, cooling),
    errors: facts.faults?.map((fault) => errorReading(fault, name)),
    expected: expectation(model?.expected, cooling, facts),
  });
}

function mining({ isOff, isDown, reading }: Facts): boolean | undefined {
  if (isOff === true || isDown === true) return false;
  const rateHs = first(reading.hashrateHs, reading.hashrateAverageHs);
  return rateHs === undefined ? undefined : rateHs > 0;
}

/** What it is set to holds for one that is awake: the answer that says so may be missing. */
function modeNow({ isOff, mode, reading }: Facts): Reading['miningMode'] {
  if (isOff !== undefined) return isOff ? 'sleep' : mode;
  return (reading.hashrateHs ?? 0) > 0 ? mode : undefined;
}

/**
 * An air model in a tank says `liquid` itself; hydro models do not always, but the table knows them, or they tell how
 * warm their coolant is.
 */
function coolingOf({ isLiquid }: Facts, ofModel: Cooling | undefined): Cooling | undefined {
  if (isLiquid === true) return 'liquid';
  return ofModel ?? (isLiquid === false ? 'air' : undefined);
}

/**
 * 0 and 0 rpm are two stopped fans on air, no fans in liquid, and not known when we cannot tell the two apart. The
 * model does not tell it alone: any air model may stand in a tank, and not all firmware says so. But on air none hashes
 * without its fans.
 */
function fansOf(facts: Facts, cooling: Cooling | undefined): FanReading[] | undefined {
  const { fanInRpm, fanOutRpm, isLiquid } = facts;
  const rpms = [fanInRpm, fanOutRpm];
  if (rpms.every((rpm) => rpm === undefined)) return undefined;
  const isSpinning = rpms.some((rpm) => rpm !== undefined && rpm > 0);
  if (!isSpinning && cooling === 'liquid') return [];
  const isOnAir = isLiquid === false || (cooling === 'air' && mining(facts) === false);
  if (!isSpinning && !isOnAir) return undefined;
  return rpms.flatMap((rpm, index) => (rpm === undefined ? [] : [{ index, rpm }]));
}

function expectation(
  ofModel: Expectation | undefined,
  cooling: Cooling | undefined,
  { factoryHs, ownBoards, mode }: Facts,
): Expectation | undefined {
  const isConverted = cooling === 'liquid' && ofModel?.cooling === 'air';
  const expected = present({
    ...withOwnBuild(ofModel, { boards: ownBoards }),
    cooling,
    fans: isConverted ? 0 : ofModel?.fans,
    // Both are of the normal mode; how much less the low one does is not told.
    hashrateHs: mode === 'low' ? undefined : (factoryHs ?? ofModel?.hashrateHs),
  });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

/** Power mode as a word, as API 1 and 2 write it. */
export function powerMode(written: string | undefined): Facts['mode'] {
  const word = written?.toLowerCase();
  return word === 'low' || word === 'normal' || word === 'high' ? word : undefined;
}

/** Power mode as a digit, as API 3 writes it; words are understood too. */
export function modeOf(written: string | undefined): Facts['mode'] {
  switch (written) {
    case '0':
      return 'low';
    case '1':
      return 'normal';
    case '2':
      return 'high';
    default:
      return powerMode(written);
  }
}

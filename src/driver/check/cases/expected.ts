// The names of values in `expect` of a case, where each stands in a reading, and whether it is read right.
import { normaliseMac } from '../../../model/identity-facts.ts';
import { type Reading, readingSchema } from '../../../model/reading.ts';
import { shown } from '../finding.ts';

type Place = (reading: Reading) => unknown;

const sum = (values: readonly (number | undefined)[] | undefined) =>
  values?.reduce<number | undefined>((total, value) => (value === undefined ? total : (total ?? 0) + value), undefined);
const mean = (values: readonly (number | undefined)[] | undefined) => {
  const total = sum(values);
  return total === undefined || values === undefined ? undefined : total / values.length;
};

const PLACES: Readonly<Record<string, Place>> = {
  accepted: (r) => r.pools?.[0]?.accepted,
  ambientTempC: (r) => r.inletTempC,
  apiVersion: (r) => r.apiVersion,
  averageHashrateHs: (r) => r.hashrateAverageHs,
  averageTempC: (r) => mean(r.boards?.map((board) => board.chipTempAvgC)),
  boardAvgTempC: (r) => r.boards?.map((board) => board.chipTempAvgC),
  boardCount: (r) => r.boards?.length,
  boardHashrateHs: (r) => r.boards?.map((board) => board.hashrateHs),
  boardInletsTempC: (r) => r.boards?.map((board) => board.inletTempC),
  boardInletTempC: (r) => r.boards?.[0]?.inletTempC,
  boardMaxTempC: (r) => r.boards?.map((board) => board.chipTempMaxC),
  boardOutletTempC: (r) => r.boards?.[0]?.outletTempC,
  chipsTotal: (r) => r.totalChips ?? sum(r.boards?.map((board) => board.chips)),
  controlBoard: (r) => r.controlBoard,
  errorCodesSortedUnique: (r) => r.errors?.map(({ code }) => Number(code)).toSorted((a, b) => a - b),
  exhaustTempC: (r) => r.boards?.map((board) => board.outletTempC),
  expectedHashrateHs: (r) => r.expected?.hashrateHs,
  fanCount: (r) => r.fans?.length,
  fanPct: (r) => r.fans?.[0]?.dutyPercent,
  fansRpm: (r) => r.fans?.map((fan) => fan.rpm),
  firmwareVersion: (r) => r.firmwareVersion,
  frequencyMhz: (r) => r.boards?.[0]?.frequencyMhz,
  hashrate15mHs: (r) => r.hashrateSettledHs,
  hashrate24hHs: (r) => r.hashrate24hHs,
  hashrate30mHs: (r) => r.hashrateSettledHs,
  hashrateAvgHs: (r) => r.hashrateAverageHs,
  hashrateHs: (r) => r.hashrateHs,
  hashrateTargetHs: (r) => r.expected?.hashrateHs,
  hashrateHsRounded: (r) => (r.hashrateHs === undefined ? undefined : Math.round(r.hashrateHs / 1e6) * 1e6),
  hostname: (r) => r.hostname,
  inletTempC: (r) => r.inletTempC,
  isMining: (r) => r.isMining,
  lightOn: (r) => r.isLightOn,
  // As written it goes on to the identity rules, which take only a valid one.
  mac: (r) => (r.mac === undefined ? undefined : normaliseMac(r.mac)),
  make: (r) => r.make,
  miningMode: (r) => r.miningMode,
  minerUptimeS: (r) => r.uptimeS,
  difficulty: (r) => r.pools?.[0]?.difficulty,
  pool: (r) => r.pools?.[0]?.url.replace('stratum+tcp://', ''),
  model: (r) => r.model,
  poolCount: (r) => r.pools?.length,
  powerLimitW: (r) => r.powerLimitW,
  powerMode: (r) => r.miningMode,
  powerTargetW: (r) => r.powerLimitW,
  powerW: (r) => r.powerW,
  profile: (r) => r.miningModePreset,
  psuFanRpm: (r) => r.psus?.[0]?.fanRpm,
  psuOutputPowerW: (r) => r.psuOutputPowerW,
  rejected: (r) => r.pools?.[0]?.rejected,
  scaledPowerTargetW: (r) => r.powerLimitW,
  serialNumber: (r) => r.serialNumber,
  tuningPercent: (r) => (r.miningModePreset === undefined ? undefined : Number(r.miningModePreset)),
  uptimeS: (r) => r.uptimeS ?? r.systemUptimeS,
  wallPowerW: (r) => r.powerW,
  workLevel: (r) => (r.miningModePreset === undefined ? undefined : Number(r.miningModePreset)),
};

type Item<K extends 'boards' | 'pools' | 'psus'> = NonNullable<Reading[K]>[number];

const BOARD_PLACES: Readonly<Record<string, (board: Item<'boards'>) => unknown>> = {
  slot: (b) => b.slot,
  active: (b) => b.isAlive,
  serialNumber: (b) => b.serialNumber,
  chips: (b) => b.chips,
  hashrateHs: (b) => b.hashrateHs,
  expectedHashrateHs: (b) => b.expectedHashrateHs,
  frequencyMhz: (b) => b.frequencyMhz,
  voltageV: (b) => b.voltageV,
  hwErrors: (b) => b.hwErrors,
  tempPcbC: (b) => b.boardTempsC,
  boardTempC: (b) => b.boardTempsC?.[0],
  chipTempC: (b) => b.chipTempAvgC,
  outletTempC: (b) => b.outletTempC,
  inletTempC: (b) => b.inletTempC,
};
const POOL_PLACES: Readonly<Record<string, (pool: Item<'pools'>) => unknown>> = {
  index: (p) => p.index,
  url: (p) => p.url,
  user: (p) => p.user,
  accepted: (p) => p.accepted,
  rejected: (p) => p.rejected,
  stale: (p) => p.stale,
  difficulty: (p) => p.difficulty,
  alive: (p) => p.isAlive,
  active: (p) => p.isActive,
};
const PSU_PLACES: Readonly<Record<string, (psu: Item<'psus'>) => unknown>> = {
  model: (p) => p.model,
  serialNumber: (p) => p.serialNumber,
  fanRpm: (p) => p.fanRpm,
  inputPowerW: (p) => p.inputPowerW,
  inputVoltageV: (p) => p.inputVoltageV,
  outputVoltageV: (p) => p.outputVoltageV,
  outputPowerW: (p) => p.outputPowerW,
  tempC: (p) => p.tempC,
};

/** How the comparison is eased, each by a reason that stands with the case. */
export type Easing = {
  /** Compared elsewhere, or not read at all. */
  isLeftOut?(name: string): boolean;
  /** Relative. */
  tolerance?(name: string): number | undefined;
};

/**
 * A line for each value that is not read as it is wanted. `null` = must not be read. Of lists and objects what is named
 * counts; a number in place of a list is how many entries it has. Numbers may be rounded, to three digits at least.
 */
export function unlike(reading: Reading, wanted: Readonly<Record<string, unknown>>, easing: Easing = {}): string[] {
  return Object.entries(wanted).flatMap(([name, value]) => {
    if (easing.isLeftOut?.(name) === true) return [];
    if (name === 'psu' && isRecord(value)) return itemUnlike(name, value, (field) => psuPlace(field, reading), easing);
    if ((name === 'boards' || name === 'pools') && Array.isArray(value)) {
      const items: readonly unknown[] = value;
      return items.flatMap((item, nth) =>
        name === 'boards' ? boardUnlike(reading, item, nth, easing) : poolUnlike(reading, item, nth, easing),
      );
    }
    return partUnlike(name, place(PLACES, OWN.reading, name, reading), value, easing);
  });
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What is written of it: of an object the fields that are named, of a list its entries, or how many there are. */
function partUnlike(name: string, found: unknown, wanted: unknown, easing: Easing): string[] {
  if (typeof wanted === 'number' && Array.isArray(found)) return valueUnlike(name, found.length, wanted, easing);
  if (isRecord(wanted) && isRecord(found))
    return Object.entries(wanted).flatMap(([key, value]) => partUnlike(`${name}.${key}`, found[key], value, easing));
  if (!Array.isArray(wanted) || !Array.isArray(found) || !wanted.some(isRecord))
    return valueUnlike(name, found, wanted, easing);
  const [items, entries]: readonly (readonly unknown[])[] = [wanted, found];
  if (items?.length !== entries?.length) return [`${name} has ${entries?.length} entries instead of ${items?.length}`];
  return items?.flatMap((item, nth) => partUnlike(`${name}[${nth}]`, entries?.[nth], item, easing)) ?? [];
}

/** The names of a reading itself count, too. */
const { boards: ofBoards, pools: ofPools, psus: ofPsus } = readingSchema.shape;
const OWN = {
  reading: Object.keys(readingSchema.shape),
  boards: Object.keys(ofBoards.unwrap().element.shape),
  pools: Object.keys(ofPools.unwrap().element.shape),
  psus: Object.keys(ofPsus.unwrap().element.shape),
};

const psuPlace = (field: string, { psus }: Reading) => place(PSU_PLACES, OWN.psus, field, psus?.[0]);

function boardUnlike(reading: Reading, item: unknown, nth: number, easing: Easing): string[] {
  const { slot, chips, active } = Object(item);
  const board = slot === undefined ? reading.boards?.[nth] : reading.boards?.find((entry) => entry.slot === slot);
  // An empty slot is no board, and one that is switched off says so.
  if (active === false && chips === 0) return board?.isAlive === true ? [`the board in slot ${slot} is alive`] : [];
  if (board === undefined && saysSomething('boards', item, easing))
    return [`no board is read ${slot === undefined ? `at place ${nth}` : `in slot ${shown(slot)}`}`];
  const at = `[${shown(slot ?? nth)}]`;
  return itemUnlike('boards', item, (field) => place(BOARD_PLACES, OWN.boards, field, board), easing, at);
}

function poolUnlike({ pools }: Reading, item: unknown, nth: number, easing: Easing): string[] {
  const pool = pools?.[nth];
  if (pool === undefined && saysSomething('pools', item, easing)) return [`no pool is read at place ${nth}`];
  return itemUnlike('pools', item, (field) => place(POOL_PLACES, OWN.pools, field, pool), easing, `[${nth}]`);
}

/** It wants a value that must be read. */
const saysSomething = (list: string, item: unknown, easing: Easing): boolean =>
  Object.entries(Object(item)).some(
    ([field, value]) => value !== null && easing.isLeftOut?.(`${list}.${field}`) !== true,
  );

/** `at` = which of the list, for people. */
function itemUnlike(list: string, item: unknown, found: (field: string) => unknown, easing: Easing, at = ''): string[] {
  return Object.entries(Object(item)).flatMap(([field, value]) => {
    const name = `${list}.${field}`;
    if (easing.isLeftOut?.(name) === true) return [];
    return valueUnlike(name, found(field), value, easing, `${list}${at}.${field}`);
  });
}

/** There is no value of this name; `names` are those that there are. */
class NoPlace {
  readonly names: readonly string[];
  constructor(names: readonly string[]) {
    this.names = names;
  }
}

function place<T extends object>(
  places: Readonly<Record<string, (from: T) => unknown>>,
  own: readonly string[],
  field: string,
  from: T | undefined,
): unknown {
  const find = places[field];
  if (find === undefined && !own.includes(field))
    return new NoPlace([...new Set([...Object.keys(places), ...own])].toSorted());
  if (from === undefined) return undefined;
  return find === undefined ? Reflect.get(from, field) : find(from);
}

function valueUnlike(name: string, found: unknown, wanted: unknown, easing: Easing, label = name): string[] {
  if (found instanceof NoPlace) return [`${label} is no name of a value (accepted: ${found.names.join(', ')})`];
  if (wanted === null) return found === undefined ? [] : [`${label} is ${shown(found)}, and must not be read`];
  if (Array.isArray(wanted)) {
    const list: readonly unknown[] = Array.isArray(found) ? found : [];
    if (list.length !== wanted.length) return [`${label} is ${shown(found)} instead of ${shown(wanted)}`];
    return wanted.flatMap((each, nth) => valueUnlike(name, list[nth], each, easing, label));
  }
  const isRight =
    typeof wanted === 'number' && typeof found === 'number'
      ? Math.abs(found - wanted) <= Math.abs(wanted) * (easing.tolerance?.(name) ?? 1e-12) || roundsTo(found, wanted)
      : found === wanted;
  if (isRight) return [];
  return [`${label} is ${found === undefined ? 'not read' : shown(found)} instead of ${shown(wanted)}`];
}

/** With fewer, a rounded number says too little. */
const LEAST_DIGITS = 3;

/** A page shows `231.4 TH/s` of 231,402,120,000,000 H/s: what is written with so many digits is right with these. */
function roundsTo(found: number, wanted: number): boolean {
  const [mantissa = ''] = wanted.toExponential().split('e');
  const digits = mantissa.replaceAll(/[-.]/g, '').length;
  return digits >= LEAST_DIGITS && digits < 16 && Number(found.toPrecision(digits)) === wanted;
}

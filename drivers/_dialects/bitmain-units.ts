// The unit of hashrates in `stats` of Bitmain's dialect (atlas 3.3, 26). Names of keys prove nothing: an L3+ prints
// MH/s under `GHS 5s`, a Z11 Sol/s. The unit is known where an answer names it, or where the algorithm and the
// nameplate of the model leave only one; else no rate is reported.
import * as kit from '../../src/driver/kit/index.ts';

type Unit = NonNullable<ReturnType<typeof kit.rateUnit>>;
/** Reads the rate of a row under a key. */
export type RateOf = (row: kit.Answer, key: string) => number | undefined;

export type UnitEvidence = {
  readonly model?: Pick<kit.Model, 'algorithm' | 'expected'> | undefined;
  /** A row of another answer of the device that has the same rates and may name their unit. */
  readonly elsewhere?: kit.Answer;
  /** The firmware is known to name its keys by the unit: `GHS`, `MHS` and `KHS` mean what they say. */
  readonly isKeyHonest?: boolean;
};

/**
 * Units that machines of an algorithm were seen to write under `GHS`. For other algorithms the unit differs between
 * machines.
 */
const USUAL: Readonly<Partial<Record<string, Unit>>> = { sha256: 'G', scrypt: 'M', x11: 'M' };
const UNITS = ['', 'K', 'M', 'G', 'T'] as const satisfies readonly Unit[];

/** Of the rates that stand under keys without a unit, and of those under `GHS`. Undefined where nothing proves it. */
export function rateUnitOf(
  data: kit.Answer,
  { model, elsewhere, isKeyHonest = false }: UnitEvidence,
): Unit | undefined {
  if (data.has('rate_unit')) return kit.rateUnit(data.text('rate_unit'));
  if (!data.has('GHS 5s')) {
    if (data.has('MHS 5s')) return 'M';
    if (data.has('KHS 5s')) return 'K';
  } else if (isKeyHonest) return 'G';
  return kit.first(unitOfOther(data, elsewhere), unitOfChains(data), model && unitOfModel(data, model));
}

const CHAINS = Array.from({ length: 17 }, (_, chain) => chain);
const isAlike = (one: number, other: number, most = 3) => one < other * most && other < one * most;
/** A thousand lies between two units. */
const APART = 30;

const WITH_UNIT = /^\s*([\d.,]+)\s*((?:[kmgtp]?h|[kmgtp]?sol)s?(?:\/s)?)\s*$/i;

/**
 * Some builds write each chain's average as text with a unit. The whole is in that unit if both figures have one
 * magnitude.
 */
function unitOfChains(data: kit.Answer): Unit | undefined {
  const named = CHAINS.flatMap((chain) => {
    const [, digits, unit] = data.text(`CHAIN AVG HASHRATE${chain}`)?.match(WITH_UNIT) ?? [];
    const rate = kit.positive(kit.toNumber(digits));
    return rate === undefined ? [] : [{ rate, unit: kit.rateUnit(unit) }];
  });
  const average = averageOf(data);
  const sum = named.reduce((total, { rate }) => total + rate, 0);
  return average !== undefined && isAlike(sum, average) ? kit.common(named.map(({ unit }) => unit)) : undefined;
}

/**
 * Unit of `chain_rateN` beside a whole in `unit`: a Z11 writes Sol/s for the whole and kSol/s for its chains. It is the
 * unit in which the chains sum up to one of the figures of the whole; where there is none, no rate of a chain is
 * reported.
 */
export function chainUnitOf(data: kit.Answer, unit: Unit | undefined): Unit | undefined {
  const rates = CHAINS.map((chain) => data.positive(`chain_rate${chain}`)).filter((rate) => rate !== undefined);
  const sum = rates.reduce((total, rate) => total + rate, 0);
  const wholes = WHOLES.map((key) => data.positive(key)).filter((whole) => whole !== undefined);
  if (unit === undefined || sum === 0 || wholes.length === 0) return unit;
  const makesUp = (candidate: Unit, most: number) =>
    wholes.some((whole) => isAlike(kit.rateHs(sum, candidate) ?? 0, kit.rateHs(whole, unit) ?? 0, most));
  return makesUp(unit, APART) ? unit : UNITS.find((other) => makesUp(other, 5));
}

const WHOLES = ['GHS 5s', 'rate_5s', 'MHS 5s', 'KHS 5s', 'GHS av', 'rate_avg', 'MHS av', 'KHS av', 'total_rateideal'];

/** The unit that another answer names counts if both write figures of one size. */
function unitOfOther(data: kit.Answer, elsewhere: kit.Answer | undefined): Unit | undefined {
  const named = kit.rateUnit(elsewhere?.text('rate_unit'));
  const [here, there] = [averageOf(data), elsewhere && averageOf(elsewhere)];
  return named !== undefined && here !== undefined && there !== undefined && isAlike(here, there) ? named : undefined;
}

const averageOf = (row: kit.Answer) => kit.first(row.positive('GHS av'), row.positive('rate_avg'));

function unitOfModel(
  data: kit.Answer,
  { algorithm, expected }: Pick<kit.Model, 'algorithm' | 'expected'>,
): Unit | undefined {
  if (algorithm === null) return undefined;
  const usual = USUAL[algorithm];
  const { hashrateHs: nameplateHs } = expected;
  const most = kit.largest(['GHS av', 'GHS 5s', 'rate_avg', 'rate_5s'].map((key) => data.positive(key)));
  if (nameplateHs === undefined || most === undefined) return usual;
  if (usual !== undefined && isNear(most, usual, nameplateHs, 30)) return usual;
  // A thousand lies between two units, so that at most one of them is near the nameplate.
  const steady = steadyFigure(data);
  const isPossible = (unit: Unit) => (kit.rateHs(most, unit) ?? Number.POSITIVE_INFINITY) <= nameplateHs * MOST;
  const near = steady && UNITS.find((unit) => isNear(steady.rate, unit, nameplateHs, steady.least) && isPossible(unit));
  // It may hash little; more than it can it does not hash.
  return near ?? (usual !== undefined && isPossible(usual) ? usual : undefined);
}

/** Faster than that no machine runs beside its nameplate. */
const MOST = 3;

function isNear(written: number, unit: Unit, nameplateHs: number, least: number): boolean {
  const hs = kit.rateHs(written, unit) ?? 0;
  return hs > nameplateHs / least && hs <= nameplateHs * MOST;
}

/**
 * A figure at full speed, and the least share of the nameplate that it has: the machine's own ideal, or its average
 * after it has settled. A start or a dip would look like another unit.
 */
function steadyFigure(data: kit.Answer): { readonly rate: number; readonly least: number } | undefined {
  const ideal = kit.first(data.positive('total_rateideal'), data.positive('rate_ideal'));
  const average = averageOf(data);
  const now = kit.first(data.positive('GHS 5s'), data.positive('rate_5s'));
  const elapsedS = kit.first(data.number('Elapsed'), data.number('elapsed')) ?? 0;
  const isEven = now === undefined || isAlike(now, average ?? 0, 2);
  if (ideal !== undefined) return { rate: ideal, least: 3 };
  return average !== undefined && (elapsedS >= 600 || (elapsedS >= 100 && isEven))
    ? { rate: average, least: 10 }
    : undefined;
}

/** Reads one rate, which may name its own unit. 0 is 0 in every unit. */
export const rateReader =
  (unit: Unit | undefined): RateOf =>
  (row, key) =>
    unit === undefined && row.number(key) === 0 ? 0 : row.rateText(key, unit);

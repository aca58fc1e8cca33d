// In which unit the `stats` of Bitmain's dialect writes its hashrates (atlas 3.3, 26). The names of its keys prove nothing: an L3+ prints MH/s under
// `GHS 5s`, a Z11 Sol/s. A unit is known where an answer names it, or where what the model mines and its nameplate leave one; else no rate is told.
import { first, largest, toNumber, toText } from '../../src/driver/fields.ts';
import { positive, rateHs, rateUnit } from './cgminer.ts';
import type { Model } from './models.ts';

type Row = Readonly<Record<string, unknown>>;
type Unit = NonNullable<ReturnType<typeof rateUnit>>;

export type UnitEvidence = {
  readonly model?: Pick<Model, 'algorithm' | 'expected'> | undefined;
  /** A row of another answer of the device that has the same rates and may name their unit. */
  readonly elsewhere?: Row | undefined;
  /** The firmware is known to name its keys by the unit: `GHS`, `MHS` and `KHS` mean what they say. */
  readonly isKeyHonest?: boolean;
};

/** What machines of an algorithm were seen to write under `GHS`. Of the others, units differ from machine to machine. */
const USUAL: Readonly<Partial<Record<string, Unit>>> = { sha256: 'G', scrypt: 'M', x11: 'M' };
const UNITS = ['', 'K', 'M', 'G', 'T'] as const satisfies readonly Unit[];

/** Of the rates that stand under keys without a unit, and of those under `GHS`. Undefined where nothing proves it. */
export function rateUnitOf(data: Row, { model, elsewhere, isKeyHonest = false }: UnitEvidence): Unit | undefined {
  if (data.rate_unit !== undefined) return rateUnit(toText(data.rate_unit));
  if (data['GHS 5s'] === undefined) {
    if (data['MHS 5s'] !== undefined) return 'M';
    if (data['KHS 5s'] !== undefined) return 'K';
  } else if (isKeyHonest) return 'G';
  return first(unitOfOther(data, elsewhere), model && unitOfModel(data, model));
}

/** The unit that another answer names counts if both write figures of one size. */
function unitOfOther(data: Row, elsewhere: Row | undefined): Unit | undefined {
  const named = rateUnit(toText(elsewhere?.rate_unit));
  const [here, there] = [averageOf(data), elsewhere && averageOf(elsewhere)];
  return named !== undefined && here !== undefined && there !== undefined && here < there * 3 && there < here * 3
    ? named
    : undefined;
}

const figure = (value: unknown) => positive(toNumber(value, { min: 0 }));
const averageOf = (row: Row) => first(...[row['GHS av'], row.rate_avg].map(figure));

function unitOfModel(data: Row, { algorithm, expected }: Pick<Model, 'algorithm' | 'expected'>): Unit | undefined {
  if (algorithm === null) return undefined;
  const usual = USUAL[algorithm];
  const { hashrateHs: nameplateHs } = expected;
  const most = largest(['GHS av', 'GHS 5s', 'rate_avg', 'rate_5s'].map((key) => figure(data[key])));
  if (nameplateHs === undefined || most === undefined) return usual;
  if (usual !== undefined && isNear(most, usual, nameplateHs, 30)) return usual;
  // A thousand lies between two units, so that at most one of them is near the nameplate.
  const steady = steadyFigure(data);
  const near = steady === undefined ? undefined : UNITS.find((unit) => isNear(steady, unit, nameplateHs, 10));
  // It may hash little; more than it can it does not hash.
  return near ?? (usual !== undefined && (rateHs(most, usual) ?? 0) <= nameplateHs * MOST ? usual : undefined);
}

/** Faster than that no machine runs beside its nameplate. */
const MOST = 3;

function isNear(written: number, unit: Unit, nameplateHs: number, least: number): boolean {
  const hs = rateHs(written, unit) ?? 0;
  return hs > nameplateHs / least && hs <= nameplateHs * MOST;
}

/** A figure that is at its height: the machine's own ideal, or its average once it has settled. A start or a dip would pass for another unit. */
function steadyFigure(data: Row): number | undefined {
  const ideal = figure(first(data.total_rateideal, data.rate_ideal));
  const average = averageOf(data);
  const now = figure(first(data['GHS 5s'], data.rate_5s));
  const elapsedS = toNumber(first(data.Elapsed, data.elapsed)) ?? 0;
  const isSettled =
    average !== undefined && elapsedS >= 100 && (now === undefined || (now < average * 2 && average < now * 2));
  return first(ideal, isSettled ? average : undefined);
}

/** `16.3 GH/s`: a rate that names its own unit. */
const WITH_UNIT = /^\s*([\d.,]+)\s*((?:[kmgtp]?h|[kmgtp]?sol)s?(?:\/s)?)\s*$/i;

/** Reads one rate. 0 is 0 in every unit. */
export function rateReader(unit: Unit | undefined) {
  return (value: unknown): number | undefined => {
    const own = typeof value === 'string' && value.length < 64 ? value.match(WITH_UNIT) : null;
    const named = rateUnit(own?.[2]);
    if (named !== undefined) return rateHs(own?.[1], named);
    if (unit === undefined) return toNumber(value) === 0 ? 0 : undefined;
    return rateHs(value, unit);
  };
}

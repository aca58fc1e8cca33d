// Temperatures against their limits: chips, boards, coolant or air in and out, and cold. The limits of the model go
// before the general ones.
import type { Reading } from '../../../../model/reading.ts';
import type { Facts, Rule } from '../rule.ts';
import type { AnomalySettings, TemperatureLimits } from '../settings.ts';
import type { Violation } from '../state.ts';

type Measured = { readonly value: number; readonly source: string };

function limitsFor(model: string | undefined, settings: AnomalySettings['temperature']): TemperatureLimits {
  const { chipMaxC, boardMaxC, minC, inletMaxC, inletMinC, outletMaxC } = settings;
  const general = { chipMaxC, boardMaxC, minC, inletMaxC, inletMinC, outletMaxC };
  const words = wordsOf(model ?? '');
  return { ...general, ...bestMatch(words, BUILT_IN), ...bestMatch(words, longestFirst(settings.models)) };
}

type ModelLimits = { readonly words: string; readonly limits: TemperatureLimits };

const wordsOf = (name: string) =>
  ` ${name
    .toUpperCase()
    .replaceAll(/[^A-Z0-9]+/g, ' ')
    .trim()} `;

const longestFirst = (table: Readonly<Record<string, TemperatureLimits>>): ModelLimits[] =>
  Object.entries(table)
    .toSorted(([a], [b]) => b.length - a.length)
    .map(([name, limits]) => ({ words: wordsOf(name), limits }));

/**
 * Limits of models that differ from the general ones. Evidence: anomaly catalogue 1.3 (values that farm software ships)
 * and field practice 9 (vendor pages). The configuration may override each.
 */
const BUILT_IN = longestFirst({
  // Chips of the S21 line run at 90 to 97 when healthy and trip soon after 100.
  S21: { chipMaxC: 100 },
  'S19 XP HYDRO': { boardMaxC: 80, inletMaxC: 45, inletMinC: 20 },
  'S19 XP HYD': { boardMaxC: 80, inletMaxC: 45, inletMinC: 20 },
  'S19 XP': { outletMaxC: 75 },
  // The chips of this line report far higher values than others.
  A1346: { chipMaxC: 120 },
  '1346': { chipMaxC: 120 },
  // These report the voltage regulator as the board temperature; their firmware allows it to get that hot.
  GAMMA: { boardMaxC: 105 },
  GAMMADUO: { boardMaxC: 105 },
  GAMMATURBO: { boardMaxC: 105 },
  HEX: { boardMaxC: 105 },
  NERDQAXE: { boardMaxC: 105 },
  SUPRA: { boardMaxC: 105 },
  SUPRAHEX: { boardMaxC: 105 },
});

/** The entry with the longest name that the model contains as whole words. */
const bestMatch = (model: string, table: readonly ModelLimits[]): TemperatureLimits =>
  table.find(({ words }) => model.includes(words))?.limits ?? {};

function chips(reading: Reading): Measured[] {
  return (reading.boards ?? []).flatMap((board, index) => {
    const name = board.chipTempMaxC === undefined ? 'chipTempAvgC' : 'chipTempMaxC';
    return board[name] === undefined ? [] : { value: board[name], source: `boards[${index}].${name}` };
  });
}

function boards(reading: Reading): Measured[] {
  return (reading.boards ?? []).flatMap((board, index) =>
    (board.boardTempsC ?? []).map((value) => ({ value, source: `boards[${index}].boardTempsC` })),
  );
}

/** The whole miner's figure. */
const overall = (reading: Reading): Measured[] =>
  reading.tempC === undefined ? [] : [{ value: reading.tempC, source: 'tempC' }];

const side =
  (name: 'inletTempC' | 'outletTempC') =>
  (reading: Reading): Measured[] => {
    const whole = reading[name] === undefined ? [] : [{ value: reading[name], source: name }];
    const each = (reading.boards ?? []).flatMap((board, index) =>
      board[name] === undefined ? [] : { value: board[name], source: `boards[${index}].${name}` },
    );
    return [...whole, ...each];
  };

const inlet = side('inletTempC');
const outlet = side('outletTempC');

const everywhere = (reading: Reading): Measured[] => [...chips(reading), ...boards(reading), ...overall(reading)];

/** A miner that is off on purpose may be cold. */
const isOff = ({ idle }: Facts): boolean => idle === 'sleep' || idle === 'maintenance';

/** Boards with temperatures of their own are judged by those. */
const hasBoards = ({ reading }: Facts): boolean =>
  reading !== undefined && chips(reading).length + boards(reading).length > 0;

type Row = {
  readonly id: string;
  readonly limit: keyof TemperatureLimits;
  readonly what: string;
  readonly severity: Violation['severity'];
  readonly measured: (reading: Reading) => Measured[];
  /** Where this is true, the rule is clear. */
  readonly unless?: (facts: Facts) => boolean;
};

const ROWS: readonly Row[] = [
  { id: 'chip', limit: 'chipMaxC', what: 'chip', severity: 'critical', measured: chips },
  { id: 'board', limit: 'boardMaxC', what: 'board', severity: 'major', measured: boards },
  // Which sensor it is is not reported, so the higher of the two limits applies.
  { id: 'overall', limit: 'chipMaxC', what: 'miner', severity: 'critical', measured: overall, unless: hasBoards },
  { id: 'cold', limit: 'minC', what: 'sensor', severity: 'minor', measured: everywhere, unless: isOff },
  { id: 'inlet-high', limit: 'inletMaxC', what: 'inlet', severity: 'major', measured: inlet },
  { id: 'inlet-low', limit: 'inletMinC', what: 'inlet', severity: 'minor', measured: inlet, unless: isOff },
  { id: 'outlet-high', limit: 'outletMaxC', what: 'outlet', severity: 'major', measured: outlet },
];

const LOWER_LIMITS: ReadonlySet<Row['limit']> = new Set(['minC', 'inletMinC']);

const judge =
  ({ limit: name, what, severity, measured, unless }: Row): Rule['evaluate'] =>
  (facts, isRaised) => {
    const { reading, settings } = facts;
    if (unless?.(facts)) return 'clear';
    if (reading === undefined) return 'no-data';
    const values = measured(reading);
    const limit = limitsFor(reading.model, settings.temperature)[name];
    if (values.length === 0 || limit === undefined) return 'no-data';
    const isUpper = !LOWER_LIMITS.has(name);
    const worst = values.reduce((a, b) => ((isUpper ? b.value > a.value : b.value < a.value) ? b : a));
    const by = isRaised ? settings.temperature.clearByC : 0;
    // Upper limits are reached, lower ones are passed.
    const isBad = isUpper ? (isRaised ? worst.value > limit - by : worst.value >= limit) : worst.value < limit + by;
    if (!isBad) return 'clear';
    return { ...worst, limit, severity, message: `${what} at ${worst.value} °C, limit ${limit} °C` };
  };

export const TEMPERATURE_RULES: readonly Rule[] = ROWS.map((row) => ({
  id: `temperature.${row.id}`,
  type: 'temperature',
  evaluate: judge(row),
}));

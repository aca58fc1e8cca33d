// Temperatures against their limits: chips, boards, coolant or air in and out, and cold. The limits of the model win over the general ones.
import type { Reading } from '../../../model/reading.ts';
import { MODEL_TEMPERATURE_LIMITS } from '../limits.data.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';
import type { AnomalySettings, TemperatureLimits } from '../settings.ts';
import type { Finding } from '../state.ts';

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

const BUILT_IN = longestFirst(MODEL_TEMPERATURE_LIMITS);

/** The entry with the longest name that stands in the model as whole words. */
const bestMatch = (model: string, table: readonly ModelLimits[]): TemperatureLimits =>
  table.find(({ words }) => model.includes(words))?.limits ?? {};

function chips(reading: Reading): Measured[] {
  return (reading.boards ?? []).flatMap((board, index) => {
    if (board.chipTempMaxC !== undefined) return { value: board.chipTempMaxC, source: `boards[${index}].chipTempMaxC` };
    return board.chipTempAvgC === undefined
      ? []
      : { value: board.chipTempAvgC, source: `boards[${index}].chipTempAvgC` };
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

const inlet = (reading: Reading): Measured[] => side(reading, 'inletTempC');
const outlet = (reading: Reading): Measured[] => side(reading, 'outletTempC');

function side(reading: Reading, name: 'inletTempC' | 'outletTempC'): Measured[] {
  const whole = reading[name] === undefined ? [] : [{ value: reading[name], source: name }];
  const each = (reading.boards ?? []).flatMap((board, index) =>
    board[name] === undefined ? [] : { value: board[name], source: `boards[${index}].${name}` },
  );
  return [...whole, ...each];
}

type Side = {
  readonly limit: keyof TemperatureLimits;
  readonly what: string;
  readonly severity: Finding['severity'];
  readonly isUpper: boolean;
  readonly measured: (reading: Reading) => Measured[];
};

const judge =
  ({ limit: name, what, severity, isUpper, measured }: Side) =>
  ({ reading, settings }: Facts, isRaised: boolean): Verdict => {
    if (reading === undefined) return 'no-data';
    const values = measured(reading);
    if (values.length === 0) return 'no-data';
    const limit = limitsFor(reading.model, settings.temperature)[name];
    if (limit === undefined) return 'no-data';
    const worst = values.reduce((a, b) => ((isUpper ? b.value > a.value : b.value < a.value) ? b : a));
    const by = isRaised ? settings.temperature.clearByC : 0;
    // Upper limits are reached, lower ones are passed.
    const isBad = isUpper ? (isRaised ? worst.value > limit - by : worst.value >= limit) : worst.value < limit + by;
    if (!isBad) return 'clear';
    return { ...worst, limit, severity, message: `${what} at ${worst.value} °C, limit ${limit} °C` };
  };

/** A miner that is off on purpose may be cold. */
const unlessIdle =
  (evaluate: Rule['evaluate']): Rule['evaluate'] =>
  (facts, isRaised) =>
    facts.idle === 'sleep' || facts.idle === 'maintenance' ? 'clear' : evaluate(facts, isRaised);

/** Where boards give their own figures, theirs are judged. */
const unlessCovered =
  (evaluate: Rule['evaluate']): Rule['evaluate'] =>
  (facts, isRaised) =>
    facts.reading !== undefined && chips(facts.reading).length + boards(facts.reading).length > 0
      ? 'clear'
      : evaluate(facts, isRaised);

const everywhere = (reading: Reading): Measured[] => [...chips(reading), ...boards(reading), ...overall(reading)];

export const TEMPERATURE_RULES: readonly Rule[] = [
  {
    id: 'temperature.chip',
    type: 'temperature',
    evaluate: judge({ limit: 'chipMaxC', what: 'chip', severity: 'critical', isUpper: true, measured: chips }),
  },
  {
    id: 'temperature.board',
    type: 'temperature',
    evaluate: judge({ limit: 'boardMaxC', what: 'board', severity: 'major', isUpper: true, measured: boards }),
  },
  {
    // Nobody says which sensor it is, so the higher of the two limits applies.
    id: 'temperature.overall',
    type: 'temperature',
    evaluate: unlessCovered(
      judge({ limit: 'chipMaxC', what: 'miner', severity: 'critical', isUpper: true, measured: overall }),
    ),
  },
  {
    id: 'temperature.cold',
    type: 'temperature',
    evaluate: unlessIdle(
      judge({ limit: 'minC', what: 'sensor', severity: 'minor', isUpper: false, measured: everywhere }),
    ),
  },
  {
    id: 'temperature.inlet-high',
    type: 'temperature',
    evaluate: judge({ limit: 'inletMaxC', what: 'inlet', severity: 'major', isUpper: true, measured: inlet }),
  },
  {
    id: 'temperature.inlet-low',
    type: 'temperature',
    evaluate: unlessIdle(
      judge({ limit: 'inletMinC', what: 'inlet', severity: 'minor', isUpper: false, measured: inlet }),
    ),
  },
  {
    id: 'temperature.outlet-high',
    type: 'temperature',
    evaluate: judge({ limit: 'outletMaxC', what: 'outlet', severity: 'major', isUpper: true, measured: outlet }),
  },
];

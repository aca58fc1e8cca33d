// Power: a supply that reports a fault, and a draw that does not fit the power limit, the learned draw or the hashing.
import { presentHashrateHs } from '../facts.ts';
import type { Facts, Rule, Verdict } from '../rule.ts';
import type { Violation } from '../state.ts';

function supply({ reading }: Facts): Verdict {
  const psus = reading?.psus ?? [];
  if (psus.every((psu) => psu.isOk === undefined)) return 'no-data';
  const index = psus.findIndex((psu) => psu.isOk === false);
  if (index < 0) return 'clear';
  return {
    value: 'not ok',
    limit: 'ok',
    source: `psus[${index}].isOk`,
    severity: 'major',
    message: `power supply ${index} reports a fault`,
  };
}

/** One of several supplies has no input or has failed: the others carry the load. */
function idleSupply({ reading, isHashing }: Facts): Verdict {
  const psus = reading?.psus;
  if (!isHashing || psus === undefined) return 'no-data';
  const index = psus.findIndex((psu) => psu.outputPowerW === 0);
  if (index < 0) return 'clear';
  const others = psus.filter((psu) => (psu.outputPowerW ?? 0) > 0).length;
  // Then none of them reports its power.
  if (others === 0) return 'no-data';
  return {
    value: 0,
    limit: 1,
    source: `psus[${index}].outputPowerW`,
    severity: 'major',
    message: `power supply ${index} gives no power: ${others} of ${psus.length} do`,
  };
}

type Excess = {
  readonly wanted: number | undefined;
  /** Raised above this many times `wanted`, cleared halfway back. */
  readonly ratio: number;
  readonly severity: Violation['severity'];
  readonly words: (drawn: number, wanted: number) => string;
};

const above =
  (read: (facts: Facts) => Excess): Rule['evaluate'] =>
  (facts, isRaised) => {
    const value = facts.reading?.powerW;
    const { wanted, ratio, severity, words } = read(facts);
    if (value === undefined || !wanted) return 'no-data';
    const limit = wanted * (isRaised ? (1 + ratio) / 2 : ratio);
    if (value <= limit) return 'clear';
    const message = words(Math.round(value), Math.round(wanted));
    return { value, limit: Math.round(limit), source: 'powerW', severity, message };
  };

const drawAboveLimit = above(({ reading, settings }) => ({
  wanted: reading?.powerLimitW,
  ratio: settings.power.overLimitRatio,
  severity: 'major',
  words: (drawn, wanted) => `draws ${drawn} W with a limit of ${wanted} W`,
}));

/** How long a miner may take to reach a new power limit. */
const RAMP_MS = 10 * 60_000;

const aboveLimit: Rule['evaluate'] = (facts, isRaised) => {
  const { t, activeT = -Infinity } = facts.history;
  return t - activeT < RAMP_MS ? 'not-yet' : drawAboveLimit(facts, isRaised);
};

const drawAboveHabit = above(({ expected, settings }) => ({
  wanted: expected.powerW?.value,
  ratio: settings.power.overLearnedRatio,
  severity: 'minor',
  words: (drawn, wanted) => `draws ${drawn} W where it usually drew ${wanted} W in this mode`,
}));

/** A miner that also hashes more is in another mode, reported or not. */
const aboveHabit: Rule['evaluate'] = (facts, isRaised) => {
  const { reading, history, expected } = facts;
  const habitHs = history.learned.hashrateHs?.best ?? Infinity;
  const rise = (presentHashrateHs(reading, history) ?? 0) / habitHs - 1;
  const excess = (reading?.powerW ?? 0) / (expected.powerW?.value ?? Infinity) - 1;
  return excess > 0 && rise > excess / 2 ? 'clear' : drawAboveHabit(facts, isRaised);
};

/** By the raw reading: `plausible` removes such a 0. */
function zeroWhileHashing({ sample, isHashing }: Facts): Verdict {
  if (sample.kind === 'failed') return 'no-data';
  const { powerW, hashrateHs } = sample.reading;
  if (powerW === undefined || hashrateHs === undefined) return 'no-data';
  if (powerW > 0 || !isHashing) return 'clear';
  return {
    value: 0,
    limit: 1,
    source: 'powerW',
    severity: 'minor',
    message: 'reports 0 W while it hashes: the power sensor cannot be right',
  };
}

export const POWER_RULES: readonly Rule[] = [
  { id: 'power.supply', type: 'power', evaluate: supply },
  { id: 'power.idle-supply', type: 'power', evaluate: idleSupply },
  { id: 'power.above-limit', type: 'power', evaluate: aboveLimit },
  { id: 'power.above-habit', type: 'power', evaluate: aboveHabit },
  { id: 'power.zero', type: 'power', evaluate: zeroWhileHashing },
];

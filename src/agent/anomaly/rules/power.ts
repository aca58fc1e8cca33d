// Power: a supply that says it is not well, and draw that does not fit the limit, the habit or the hashing.
import type { Facts, Rule, Verdict } from '../rule.ts';

function supply({ reading }: Facts): Verdict {
  const known = (reading?.psus ?? []).filter((psu) => psu.isOk !== undefined);
  if (known.length === 0) return 'no-data';
  const index = (reading?.psus ?? []).findIndex((psu) => psu.isOk === false);
  if (index < 0) return 'clear';
  return {
    value: 'not ok',
    limit: 'ok',
    source: `psus[${index}].isOk`,
    severity: 'major',
    message: `power supply ${index} says that it is not well`,
  };
}

function aboveLimit({ reading, settings }: Facts, isRaised: boolean): Verdict {
  if (reading?.powerW === undefined || !reading.powerLimitW) return 'no-data';
  const ratio = isRaised ? (1 + settings.power.overLimitRatio) / 2 : settings.power.overLimitRatio;
  const limit = reading.powerLimitW * ratio;
  if (reading.powerW <= limit) return 'clear';
  return {
    value: reading.powerW,
    limit: Math.round(limit),
    source: 'powerW',
    severity: 'major',
    message: `draws ${Math.round(reading.powerW)} W with a limit of ${Math.round(reading.powerLimitW)} W`,
  };
}

function aboveHabit({ reading, expected, settings }: Facts, isRaised: boolean): Verdict {
  if (reading?.powerW === undefined || expected.powerW === undefined) return 'no-data';
  const ratio = isRaised ? (1 + settings.power.overLearnedRatio) / 2 : settings.power.overLearnedRatio;
  const limit = expected.powerW.value * ratio;
  if (reading.powerW <= limit) return 'clear';
  return {
    value: reading.powerW,
    limit: Math.round(limit),
    source: 'powerW',
    severity: 'minor',
    message: `draws ${Math.round(reading.powerW)} W where it steadily drew ${Math.round(expected.powerW.value)} W in this mode`,
  };
}

function zeroWhileHashing({ reading, isHashing }: Facts): Verdict {
  if (reading?.powerW === undefined || reading.hashrateHs === undefined) return 'no-data';
  if (reading.powerW > 0 || !isHashing) return 'clear';
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
  { id: 'power.above-limit', type: 'power', evaluate: aboveLimit },
  { id: 'power.above-habit', type: 'power', evaluate: aboveHabit },
  { id: 'power.zero', type: 'power', evaluate: zeroWhileHashing },
];

// Fans: standing still, or far slower than their peers. Not judged on liquid-cooled units nor where the site runs
// without fans.
import { median } from '../../../../base/numbers.ts';
import type { FanReading } from '../../../../model/reading.ts';
import { type Expected, type Facts, type Rule, shortOf, type Verdict } from '../rule.ts';

/** The fans with a reported speed, or the verdict without one. */
function turning({ reading, expected, isHashing, settings }: Facts): FanReading[] | 'clear' | 'no-data' {
  if (reading?.fans === undefined || !isHashing) return 'no-data';
  if (expected.isLiquidCooled || !settings.fan.isExpected) return 'clear';
  const known = reading.fans.filter((fan) => fan.rpm !== undefined);
  return known.length === 0 ? 'no-data' : known;
}

/** A learned count above that of a table or of the device goes first. */
function wantedFans({ expected: { fans }, history }: Facts): Expected | undefined {
  const shown = history.learned.fans?.best;
  return fans !== undefined && shown !== undefined && shown > fans.value ? { value: shown, from: 'learned' } : fans;
}

/** It hashes for long although none of its several fans was ever seen to turn: it is not air-cooled. */
function isCooledOtherwise({ reading, history: { t, onlineT = t, learned }, settings }: Facts, turns: number): boolean {
  const ranMs = Math.max((reading?.uptimeS ?? 0) * 1_000, t - onlineT);
  const isSeveral = (reading?.fans ?? []).length > 1;
  return turns === 0 && isSeveral && learned.fans === undefined && ranMs >= settings.lowHashrate.minUptime;
}

function stopped(facts: Facts): Verdict {
  const known = turning(facts);
  if (typeof known === 'string') return known;
  const still = known.filter((fan) => fan.rpm === 0);
  const turns = (facts.reading?.fans ?? []).length - still.length;
  const wanted = wantedFans(facts);
  // Some firmwares list empty fan headers as 0 rpm: without an expectation only "nothing turns" is abnormal.
  const isBad = wanted === undefined ? turns === 0 : turns < wanted.value;
  if (!isBad) return 'clear';
  const first = still[0];
  if (first !== undefined && isCooledOtherwise(facts, turns)) {
    const message = `none of ${known.length} fans turns, yet it keeps hashing: other cooling, or no fan speeds`;
    return { value: 0, limit: wanted?.value ?? 1, source: `fans[${first.index}].rpm`, severity: 'minor', message };
  }
  return shortOf(wanted, turns, {
    value: first === undefined ? turns : 0,
    limit: wanted?.value ?? 1,
    source: first === undefined ? 'fans' : `fans[${first.index}].rpm`,
    severity: 'critical',
    message:
      first === undefined
        ? `${turns} of ${wanted?.value ?? 1} fans are there`
        : `fan ${first.index} stands still; ${turns} of ${wanted?.value ?? known.length} turn`,
  });
}

function slow(facts: Facts, isRaised: boolean): Verdict {
  const known = turning(facts);
  if (typeof known === 'string') return known;
  const turningFans = known.filter((fan) => (fan.rpm ?? 0) > 0);
  if (turningFans.length < 2) return 'no-data';
  // It clears at one and a half times the limit.
  const ratio = facts.settings.fan.slowRatio * (isRaised ? 1.5 : 1);
  for (const fan of turningFans) {
    const limit = ratio * median(turningFans.filter((other) => other !== fan).map((other) => other.rpm ?? 0));
    const rpm = fan.rpm ?? 0;
    if (rpm < limit) {
      return {
        value: rpm,
        limit: Math.round(limit),
        source: `fans[${fan.index}].rpm`,
        severity: 'major',
        message: `fan ${fan.index} turns at ${rpm} rpm, far below the others`,
      };
    }
  }
  return 'clear';
}

export const FAN_RULES: readonly Rule[] = [
  { id: 'fan.stopped', type: 'fan', evaluate: stopped },
  { id: 'fan.slow', type: 'fan', evaluate: slow },
];

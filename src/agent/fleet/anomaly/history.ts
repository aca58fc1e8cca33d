// Advances the history of a miner by one sample: observed time, restarts, counters by their change, averages, and
// levels learned from a steady miner. It raises nothing; the rules read it.
import type { Reading } from '../../../model/reading.ts';
import { restartAgeMs } from './evidence/restarts.ts';
import { isSilent } from './facts.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings } from './settings.ts';
import type { CounterWindow, History, Idle, Learnable, Learned } from './state.ts';

const HOUR_MS = 3_600_000;
const MIN_SHARES = 50;
const MIN_SAMPLES = 5;
/** A miner that was silent for so long may have had no pool, so its averages do not count. */
const LONG_SILENCE_MS = 5 * 60_000;

export type Step = {
  readonly before: History;
  readonly elapsedMs: number;
  readonly sample: Sample;
  /** Without implausible values; undefined when the visit failed. */
  readonly reading: Reading | undefined;
  readonly idle: Idle | undefined;
  /** It has restarted since its last reading. */
  readonly isFresh: boolean;
  readonly isHashing: boolean;
  readonly settings: AnomalySettings;
};

export function advance(step: Step): History {
  const { before, sample, reading, idle, isFresh, settings } = step;
  const t = before.t + Math.min(Math.max(0, step.elapsedMs), settings.maxGap);
  const common = {
    ...before,
    t,
    idle,
    addressChangesT: within(
      HOUR_MS,
      t,
      sample.context.ipChanged ? [...before.addressChangesT, t] : before.addressChangesT,
    ),
    restartsT: within(HOUR_MS, t, before.restartsT),
    lossesT: within(HOUR_MS, t, isLost(step) ? [...before.lossesT, t] : before.lossesT),
  };
  if (reading === undefined) return { ...common, ...afterFailure(step, t) };

  const { opsMaintenance, isRebooting, isExplainedRestart } = sample.context;
  const model = reading.model ?? before.model;
  const mode = modeOf(before.mode, reading);
  const isSameModel = before.model === undefined || before.model === model;
  const isSameMode = isSameModel && isSame(before.mode, mode);
  const hasWoken = (before.idle === 'sleep' || before.idle === 'maintenance') && idle !== before.idle;
  const isBack = before.silentMs + step.elapsedMs >= LONG_SILENCE_MS && before.silentMs > 0;
  // A change of mode restarts the mining of many machines, also when another tool made it.
  const isOrdered =
    opsMaintenance || isRebooting || isExplainedRestart === true || !isSameMode || hasWoken || idle === 'sleep';
  return {
    ...common,
    uptimeS: reading.uptimeS ?? before.uptimeS,
    systemUptimeS: reading.systemUptimeS ?? before.systemUptimeS,
    startedT: isFresh
      ? t
      : (before.startedT ?? ((reading.uptimeS ?? reading.systemUptimeS) === undefined ? undefined : t)),
    silentMs: 0,
    onlineT: before.onlineT ?? t,
    activeT: hasWoken || !isSameMode || isBack ? t : before.activeT,
    anewT: hasWoken || isBack || !isSameName(before.mode, mode) ? t : before.anewT,
    restartsT: isFresh && !isOrdered ? [...common.restartsT, startOf(reading, before, t)].slice(-16) : common.restartsT,
    mining: miningOf(before, reading, t),
    shares: sharesOf(step, t),
    still: stillOf(before.still, reading, t),
    average: averageOf(isFresh ? undefined : before.average, reading, t, settings.lowHashrate.average),
    rejects: windowOf(before.rejects, rejectsOf(reading), t, settings.pool.rejectWindow),
    hwErrors: windowOf(before.hwErrors, hwErrorsOf(reading), t, settings.hashboard.hwErrorWindow),
    model,
    mode,
    top: topOf(isSameModel ? before.top : undefined, reading),
    contradicted: contradictionOf(reading) ?? before.contradicted,
    learned: learn(step, t, isSameModel, isSameMode),
  };
}

/** It answered the last poll, and no known reason keeps it from answering. */
const isLost = ({ before, sample, idle }: Step): boolean =>
  before.onlineT !== undefined && isSilent(sample) && idle === undefined;

/** While it does not answer, the time without a share does not grow. */
const afterFailure = ({ before, elapsedMs }: Step, t: number): Partial<History> => ({
  onlineT: undefined,
  silentMs: before.silentMs + Math.max(0, elapsedMs),
  shares: before.shares && { ...before.shares, changedT: before.shares.changedT + (t - before.t) },
});

/** A restart in a gap between polls counts from when it happened, not from when it was seen. */
const startOf = (reading: Reading, before: History, t: number): number => Math.max(before.t, t - restartAgeMs(reading));

const within = (spanMs: number, t: number, times: readonly number[]): number[] =>
  times.filter((time) => t - time < spanMs).slice(-128);

function topOf(before: History['top'], { powerLimitW, expected }: Reading): History['top'] {
  if (!powerLimitW || !expected?.hashrateHs || (before !== undefined && before.limitW >= powerLimitW)) return before;
  return { limitW: powerLimitW, hashrateHs: expected.hashrateHs };
}

/** As one text: a change of it makes a new event. */
const contradictionOf = ({ expected }: Reading): string | undefined =>
  expected?.contradicted?.map(({ what, device, table }) => `${what} ${device}, not ${table}`).join('; ');

type Mode = NonNullable<History['mode']>;

/** A value that is missing this time keeps its last one: one failed ask is no change of mode. */
const modeOf = (before: Mode | undefined, reading: Reading): Mode => ({
  name: reading.miningMode ?? before?.name,
  preset: reading.miningModePreset ?? before?.preset,
  powerLimitW: reading.powerLimitW ?? before?.powerLimitW,
});

const isEqual = <T>(a: T | undefined, b: T | undefined) => a === undefined || b === undefined || a === b;

const isSameName = (before: Mode | undefined, now: Mode): boolean =>
  isEqual(before?.name, now.name) && isEqual(before?.preset, now.preset);

function isSame(before: Mode | undefined, now: Mode): boolean {
  const [a, b] = [before?.powerLimitW, now.powerLimitW];
  // Some devices compute their limit again each time, with small differences.
  const isSameLimit = a === undefined || b === undefined || Math.abs(a - b) <= 0.02 * Math.max(a, b);
  return isSameName(before, now) && isSameLimit;
}

/** The time without a share grows only while the miner hashes and its counter stands still. */
function sharesOf({ before, reading, isHashing, idle }: Step, t: number): History['shares'] {
  const accepted = reading && acceptedShares(reading);
  if (accepted === undefined) return before.shares;
  const isQuiet = before.shares?.accepted === accepted && isHashing && idle === undefined;
  return { accepted, changedT: isQuiet ? (before.shares?.changedT ?? t) : t };
}

function stillOf(before: History['still'], reading: Reading, t: number): History['still'] {
  const { hashrateHs, hashrateWindow } = reading;
  // Long averages and coarse figures repeat on healthy miners.
  const isCoarse = hashrateHs === undefined || Number(hashrateHs.toPrecision(4)) === hashrateHs;
  if (isCoarse || hashrateWindow === 'average' || hashrateWindow === '30m') return undefined;
  return before?.hashrateHs === hashrateHs
    ? { ...before, polls: before.polls + 1 }
    : { hashrateHs, polls: 1, fromT: t };
}

function averageOf(before: History['average'], reading: Reading, t: number, windowMs: number): History['average'] {
  if (reading.hashrateHs === undefined) return before;
  const zeroT = reading.hashrateHs > 0 ? undefined : (before?.zeroT ?? t);
  if (before === undefined) return { hashrateHs: reading.hashrateHs, fromT: t, atT: t, zeroT };
  // An exponential average never reaches 0 by itself.
  const isStill = zeroT !== undefined && t - zeroT >= windowMs;
  const share = isStill || windowMs <= 0 ? 1 : 1 - Math.exp(-(t - before.atT) / windowMs);
  const hashrateHs = before.hashrateHs + share * (reading.hashrateHs - before.hashrateHs);
  return { fromT: before.fromT, hashrateHs, atT: t, zeroT };
}

/** Counters of this reading; undefined where not reported. */
type Counters = { readonly [K in 'good' | 'bad' | 'shares']: number | undefined };

function rejectsOf({ pools }: Reading): Counters {
  const good = sumOf(pools, (pool) => pool.accepted);
  const bad = sumOf(pools, (pool) => pool.rejected);
  return { good, bad, shares: good === undefined || bad === undefined ? undefined : good + bad };
}

/** Hardware errors against accepted work: both count difficulty-1 results, whatever the algorithm. */
const hwErrorsOf = ({ pools, boards }: Reading): Counters => ({
  good: sumOf(pools, (pool) => pool.difficultyAccepted),
  bad: sumOf(boards, (board) => board.hwErrors),
  shares: sumOf(pools, (pool) => pool.accepted),
});

function windowOf(
  before: CounterWindow | undefined,
  { good, bad, shares }: Counters,
  t: number,
  windowMs: number,
): CounterWindow | undefined {
  if (good === undefined || bad === undefined || shares === undefined) return before;
  const now = { good, bad, shares };
  const hasReset =
    before !== undefined && (now.good < before.good || now.bad < before.bad || now.shares < before.shares);
  if (before === undefined || hasReset) return { fromT: t, ...now };
  const ageMs = t - before.fromT;
  const all = now.good - before.good + (now.bad - before.bad);
  if (ageMs >= windowMs && now.shares - before.shares >= MIN_SHARES && all > 0) {
    return { fromT: t, ...now, percent: (100 * (now.bad - before.bad)) / all };
  }
  // Too few shares for a long time: start again, so that old ones do not dilute new ones.
  return ageMs >= 6 * windowMs ? { fromT: t, ...now } : before;
}

function learn(
  { before, reading, idle, isHashing, settings }: Step,
  t: number,
  isSameModel: boolean,
  isSameMode: boolean,
): History['learned'] {
  if (!isSameModel || reading === undefined) return {};
  const { hashrateHs, powerW, ...counts } = before.learned;
  const known: History['learned'] = isSameMode ? before.learned : counts;
  if (idle !== undefined || !isHashing) return known;
  const uptimeS = reading.uptimeS ?? reading.systemUptimeS;
  const hasSettled = uptimeS === undefined || uptimeS * 1_000 >= settings.lowHashrate.minUptime;
  const seen: Partial<Record<Learnable, number | undefined>> = {
    boards: reading.boards?.length || undefined,
    chips: everyOf(reading.boards, (board) => board.chips),
    fans: reading.fans?.filter((fan) => (fan.rpm ?? 0) > 0).length || undefined,
    ...(hasSettled
      ? { hashrateHs: reading.hashrateSettledHs ?? before.average?.hashrateHs, powerW: reading.powerW || undefined }
      : {}),
  };
  const next: History['learned'] = { ...known };
  for (const name of ['boards', 'chips', 'fans', 'hashrateHs', 'powerW'] as const) {
    const value = seen[name];
    if (value !== undefined) next[name] = learnOne(known[name], value, t, settings.learning);
  }
  return next;
}

/** The best level that lasted for a whole window; an old best that was not confirmed is replaced. */
function learnOne(
  before: Learned | undefined,
  value: number,
  t: number,
  { window, validFor }: AnomalySettings['learning'],
): Learned {
  if (before === undefined) return { low: value, fromT: t, samples: 1 };
  const low = Math.min(before.low, value);
  const samples = before.samples + 1;
  if (t - before.fromT < window || samples < MIN_SAMPLES) return { ...before, low, samples };
  const { best, bestT } = before;
  const isBetter = best === undefined || low >= best || t - (bestT ?? t) >= validFor;
  const isConfirmed = !isBetter && low >= best * 0.98;
  return {
    best: isBetter ? low : best,
    bestT: isBetter || isConfirmed ? t : (bestT ?? t),
    low: value,
    fromT: t,
    samples: 1,
  };
}

/** Sum over the items that have the value; undefined when none has. */
function sumOf<T>(items: readonly T[] | undefined, read: (item: T) => number | undefined): number | undefined {
  const known = (items ?? []).flatMap((item) => read(item) ?? []);
  return known.length === 0 ? undefined : known.reduce((sum, value) => sum + value, 0);
}

/** Sum when all items have the value; undefined otherwise. */
function everyOf<T>(items: readonly T[] | undefined, read: (item: T) => number | undefined): number | undefined {
  const known = (items ?? []).flatMap((item) => read(item) ?? []);
  return known.length === 0 || known.length < (items ?? []).length
    ? undefined
    : known.reduce((sum, value) => sum + value, 0);
}

/**
 * Whether it mines, as far as this reading proves it; undefined when it proves nothing. A missing value is no "no": the
 * last proof holds, and rule `unknown` is raised in time.
 */
function proof(reading: Reading, acceptedBefore: number | undefined): boolean | undefined {
  const { hashrateHs, isMining, miningMode } = reading;
  if (miningMode === 'sleep' || isMining === false) return false;
  if (hashrateHs !== undefined && hashrateHs > 0) return true;
  const accepted = acceptedShares(reading);
  // A counter that went back was reset: that is no share.
  if (accepted !== undefined && acceptedBefore !== undefined && accepted > acceptedBefore) return true;
  return hashrateHs === 0 ? false : isMining;
}

/** After this reading: a state that is proven now, or the last proven one with its time. */
function miningOf(before: History, reading: Reading, t: number): History['mining'] {
  const proven = proof(reading, before.shares?.accepted);
  return proven === undefined ? (before.mining ?? { knownT: t }) : { is: proven, knownT: t };
}

/** Accepted shares of all pools that tell theirs. */
export function acceptedShares({ pools }: Reading): number | undefined {
  let sum: number | undefined;
  for (const { accepted } of pools ?? []) if (accepted !== undefined) sum = (sum ?? 0) + accepted;
  return sum;
}

// Judges one miner: sample in, flags out. Pure: its whole state is in the judgement that it returns, so a restart
// changes nothing.
import { ANOMALY_TYPES } from '../../../model/flags/anomaly-types.ts';
import type { Flag } from '../../../model/flags/flags.ts';
import type { Reading } from '../../../model/reading.ts';
import { stepCondition } from './condition.ts';
import { plausible } from './evidence/plausible.ts';
import { hasRestarted } from './evidence/restarts.ts';
import { expectations, idleReason, isHashing, isSilent, isUnreported } from './facts.ts';
import { advance } from './history.ts';
import type { Facts, Rule, Verdict } from './rule.ts';
import { ALL_DEAD_SOURCE } from './rules/pool.ts';
import { RULES, SUPPRESSED } from './rules.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings, Hold } from './settings.ts';
import { type Condition, EMPTY_HISTORY, type History, type MinerJudgement, SEVERITIES } from './state.ts';

export type Judged = {
  readonly judgement: MinerJudgement;
  /** The reading without implausible values, for documents and averages. Undefined when the visit failed. */
  readonly believed: Reading | undefined;
};

/**
 * `previous` undefined = a miner never judged before. `nowMs` is wall time, for stamps; `elapsedMs` = time since the
 * previous judgement by the monotonic clock. Without it, as after a restart, wall time is used.
 */
export function judge(
  previous: MinerJudgement | undefined,
  sample: Sample,
  settings: AnomalySettings,
  nowMs: number,
  elapsedMs = nowMs - (previous?.atMs ?? nowMs),
): Judged {
  const facts = factsOf(previous, sample, settings, elapsedMs);
  const conditions: Record<string, Condition> = {};
  for (const rule of RULES) {
    const before = previous?.conditions[rule.id];
    const isJudged = facts.idle === undefined || rule.whileIdle?.includes(facts.idle);
    const suppressed = isJudged || facts.idle === undefined ? undefined : SUPPRESSED[facts.idle][rule.type];
    const after =
      suppressed === undefined
        ? stepCondition(before, {
            ...holdsOf(rule, settings),
            verdict: verdictOf(rule, facts, before),
            t: facts.history.t,
            nowMs,
            countedPolls: facts.sample.kind === 'failed' ? facts.sample.consecutive : 1,
            hasAnswered: sample.kind === 'ok',
            forgetAfterMs: settings.forgetAfter,
          })
        : suppressed === 'freeze' && before?.isRaised
          ? { ...before, judgedT: facts.history.t }
          : undefined;
    if (after !== undefined) conditions[rule.id] = after;
  }
  const history = afterDeadPool(previous?.conditions ?? {}, conditions, facts.history);
  const flags = flagsOf(conditions, previous?.flags ?? [], { nowMs, t: history.t });
  return { judgement: { v: 1, atMs: nowMs, flags, conditions, history }, believed: facts.reading };
}

const SECTIONS = { low_hashrate: 'lowHashrate', control_board: 'controlBoard' } as const;

/** Only these two: the rest of a section must not be copied for each condition of each poll. */
export function holdsOf(rule: Pick<Rule, 'type' | 'raise'>, settings: AnomalySettings): { raise: Hold; clear: Hold } {
  const { type } = rule;
  const { raise, clear } = settings[type === 'low_hashrate' || type === 'control_board' ? SECTIONS[type] : type];
  return { raise: rule.raise?.(settings) ?? raise, clear };
}

/** A miner that has a pool again starts over: missing work and averages from the time without a pool are no fault. */
function afterDeadPool(
  before: MinerJudgement['conditions'],
  conditions: Record<string, Condition>,
  history: History,
): History {
  const over = conditions['pool.all-dead'] === undefined ? before['pool.all-dead'] : undefined;
  if (!over?.isRaised) return history;
  for (const { id } of RULES_BY_TYPE.get('low_hashrate') ?? [])
    if ((conditions[id]?.badT ?? 0) >= over.badT) Reflect.deleteProperty(conditions, id);
  return { ...history, activeT: history.t, anewT: history.t };
}

/** A part that no longer reports the wrong value is not cleared by that. */
function verdictOf(rule: Rule, facts: Facts, before: Condition | undefined): Verdict {
  const isRaised = before?.isRaised === true;
  const verdict = rule.evaluate(facts, isRaised);
  if (verdict !== 'clear' || !isRaised || rule.type === 'unknown') return verdict;
  if (facts.idle !== undefined || facts.reading === undefined) return verdict;
  return isUnreported(before.violation.source, facts.reading) ? 'no-data' : 'clear';
}

/** Without the rule for cold and without the device's own faults, which count only as reported now. */
const HEAT_RULES = ['chip', 'board', 'overall', 'inlet-high', 'outlet-high'].map((id) => `temperature.${id}`);

const isHot = (previous: MinerJudgement | undefined): boolean =>
  previous !== undefined && HEAT_RULES.some((id) => previous.conditions[id]?.isRaised === true);

/** The poller counts all failures in a row; earlier ones may have had another cause. */
function counted(sample: Sample, conditions: MinerJudgement['conditions'] = {}): Sample {
  if (sample.kind === 'ok') return sample;
  const [own, other] = isSilent(sample) ? ['network.contact', 'unknown.answer'] : ['unknown.answer', 'network.contact'];
  if (conditions[other ?? ''] === undefined) return sample;
  return { ...sample, consecutive: Math.min(sample.consecutive, (conditions[own ?? '']?.badPolls ?? 0) + 1) };
}

function factsOf(
  previous: MinerJudgement | undefined,
  given: Sample,
  settings: AnomalySettings,
  elapsedMs: number,
): Facts {
  const sample = counted(given, previous?.conditions);
  const before = previous?.history ?? EMPTY_HISTORY;
  const raw = sample.kind === 'ok' ? sample.reading : undefined;
  const believed =
    raw === undefined ? { reading: undefined, suspects: [] } : plausible(raw, expectations(raw, before), settings);
  const sinceMs = before.silentMs + Math.max(0, elapsedMs);
  const isFresh = believed.reading !== undefined && hasRestarted(before, believed.reading, sinceMs);
  const idle = idleReason({ sample, reading: believed.reading, before, settings, isFresh, isHot: isHot(previous) });
  const hashing = isHashing(believed.reading);
  const history = advance({
    before,
    elapsedMs,
    sample,
    reading: believed.reading,
    idle,
    isFresh,
    isHashing: hashing,
    settings,
  });
  // Expectations come from before this sample, so that a value is never compared with itself.
  const expected = expectations(believed.reading, before);
  return { sample, ...believed, history, expected, isHashing: hashing, idle, settings };
}

const RULES_BY_TYPE = Map.groupBy(RULES, ({ type }) => type);

/** One flag per type: the evidence of its most severe condition, and since when that condition is bad. */
function flagsOf(
  conditions: Readonly<Record<string, Condition>>,
  before: readonly Flag[],
  { nowMs, t }: { readonly nowMs: number; readonly t: number },
): Flag[] {
  const flags = ANOMALY_TYPES.flatMap((type): Flag | Flag[] => {
    const raised = (RULES_BY_TYPE.get(type) ?? []).flatMap(({ id }) => {
      const condition = conditions[id];
      return condition?.isRaised ? condition : [];
    });
    const [first, ...others] = raised;
    if (first === undefined) return [];
    const gravest = others.reduce((a, b) => (graver(b, a) ? b : a), first);
    const known = before.find((flag) => flag.type === type && flag.source === gravest.violation.source)?.since;
    const since = known ?? new Date(gravest.badAtMs).toISOString();
    if (Date.parse(since) <= nowMs) return { type, since, ...gravest.violation };
    // The wall clock was set back: observed time gives the least age.
    return { type, since: new Date(nowMs - (t - gravest.badT)).toISOString(), ...gravest.violation };
  });
  return withCause(flags);
}

/** A miner whose pools are dead has no work: its low hashrate gets the same finding. */
function withCause(flags: Flag[]): Flag[] {
  // With any other pool fault it has work.
  const { finding, since } = flags.find(({ type, source }) => type === 'pool' && source === ALL_DEAD_SOURCE) ?? {};
  if (finding === undefined || since === undefined) return flags;
  return flags.map((flag) => (flag.type === 'low_hashrate' && flag.since >= since ? { ...flag, finding } : flag));
}

const graver = (a: Condition, b: Condition): boolean =>
  SEVERITIES.indexOf(a.violation.severity) > SEVERITIES.indexOf(b.violation.severity);

// Proof after act for everything but a reboot: the miner shows what was asked of it before the time is over. An answer
// alone is believed only where no reading can tell. Pure: no clock, no device; it always ends.
import type { Ability, AbilityName } from '../../../../driver/contract.ts';
import { withoutLogin } from '../../../../model/plain-text.ts';
import type { Reading } from '../../../../model/reading.ts';
import { afterAct, failed, succeeded, type TaskOutcome } from '../../contract.ts';
import type { Execution as AnyExecution } from '../execution.ts';
import { inWords, judgeLook, type Look, oddities, type Proof, type Waiting, windowEndS } from './proof.ts';
import type { Verdict } from './restart.ts';

/** Seconds between looks: soon at first, then at the last of these. */
const PAUSES_S = [2, 3, 5, 10, 10, 15, 15, 30] as const;
const LAST_PAUSE_S = 30;
/** A device that is back may need a moment until it answers. */
const BACK_S = 30;
const DEFAULT_SHOWN_S = 60;

/** Its rule tells at once what a reading shows. */
export type Execution = Omit<AnyExecution, 'rule'> & { readonly rule: Ability | undefined };

export type EffectState = {
  /** End of the window, in seconds since the command. */
  readonly untilS: number;
  readonly looks: number;
  /** Unclear looks change nothing of what follows. */
  readonly isAway: boolean;
  readonly wasAway: boolean;
  readonly hasRestarted: boolean;
  readonly newest: Reading | undefined;
  /** The newest answer to whether it shows what was asked of it; undefined = none yet. */
  readonly shown: boolean | undefined;
};

export const effectProof = (execution: Execution): Proof<EffectState> => ({
  begin(atS) {
    const usualS = windowOf(execution);
    const untilS = windowEndS(execution, { usualS, repliedS: execution.isRecovered ? 0 : atS, atS });
    const unseen = { isAway: false, wasAway: false, hasRestarted: false, newest: undefined, shown: undefined };
    return waiting({ untilS, looks: 0, ...unseen }, atS);
  },
  step(before, look, atS) {
    const { isDone, ...state } = afterLook(execution, before, look, atS);
    if (isDone !== undefined) return succeed(execution, state, isDone, atS);
    return atS < state.untilS ? waiting(state, atS) : conclude(execution, state, atS);
  },
});

const waiting = (state: EffectState, atS: number): Waiting<EffectState> => ({
  state,
  waitS: Math.min(PAUSES_S[state.looks] ?? LAST_PAUSE_S, state.untilS - atS),
});

/** How long a miner has to show it. */
function windowOf({ rule }: Execution): number {
  const longestS = rule?.offlineS[1] ?? 0;
  return Math.max(rule?.shownWithinS ?? DEFAULT_SHOWN_S, longestS > 0 ? longestS + BACK_S : 0);
}

/** `isDone` = it is proven, and how. */
function afterLook(
  execution: Execution,
  before: EffectState,
  look: Look,
  atS: number,
): EffectState & { readonly isDone?: 'read back' | 'restarted' | undefined } {
  const looks = before.looks + 1;
  if (look === 'unclear') return { ...before, looks };
  if (look === 'away') return { ...before, looks, isAway: true, wasAway: true };
  const { wasAway } = before;
  const shows = showsIt(execution, look);
  const verdict = judgeLook(execution, look, { atS, wasAway });
  const hasRestarted = before.hasRestarted || restarted(execution, look, verdict, wasAway);
  const state = { ...before, looks, isAway: false, newest: look, shown: shows ?? before.shown, hasRestarted };
  if (execution.ability === 'firmware') return { ...state, isDone: firmwareProof(execution, state, look, shows) };
  // A device that always goes away for this has not done it while it is still here.
  const mayBeDone = wasAway || atS >= (execution.rule?.offlineS[0] ?? 0);
  return { ...state, isDone: shows === true && mayBeDone ? 'read back' : undefined };
}

function firmwareProof(
  execution: Execution,
  { hasRestarted, shown }: EffectState,
  look: Reading,
  shows: boolean | undefined,
) {
  const before = execution.task.baseline?.firmwareVersion;
  // The file that is on it already shows before it is applied: then only the restart tells that it was.
  const showedBefore = before !== undefined && showsIt(execution, { ...look, firmwareVersion: before }) === true;
  if (shows === true && (hasRestarted || !showedBefore)) return 'read back';
  return shown === undefined && hasRestarted ? 'restarted' : undefined;
}

/** Whether a reading shows that the miner obeyed; undefined when it cannot tell. */
function showsIt({ ability, rule, params, task }: Execution, reading: Reading): boolean | undefined {
  return (
    rule?.shows?.(reading, params) ?? (ability === 'firmware' ? showsVersion(reading, task.params.version) : undefined)
  );
}

/** What a firmware task promises, where the driver does not say it: the version that it names. */
function showsVersion({ firmwareVersion }: Reading, wanted: unknown): boolean | undefined {
  if (typeof wanted !== 'string' || firmwareVersion === undefined) return undefined;
  return firmwareVersion.trim().toLowerCase() === wanted.trim().toLowerCase();
}

/** Its clocks went back, it runs another version, or, where it tells no clock, it was away and is back. */
function restarted(
  { task: { baseline }, isRecovered }: Execution,
  { firmwareVersion: now }: Reading,
  verdict: Verdict,
  wasAway: boolean,
): boolean {
  const before = baseline?.firmwareVersion;
  if (before !== undefined && now !== undefined && before !== now) return true;
  return verdict.kind === 'restarted' || (verdict.kind === 'open' && !verdict.hasClock && (wasAway || isRecovered));
}

function succeed(execution: Execution, state: EffectState, proof: string, atS: number): TaskOutcome {
  const evidence = { ...evidenceOf(execution, state), proof, shownAfterS: Math.round(atS) };
  return succeeded(execution.note ?? null, evidence);
}

/** When the window is over. */
function conclude(execution: Execution, state: EffectState, atS: number): TaskOutcome {
  const { ability, isRecovered, isReplyLost } = execution;
  const evidence = evidenceOf(execution, state);
  const fail = (message: string) => afterAct(failed(message, evidence));
  if (state.isAway) {
    const message = `the miner did not come back within ${inWords(state.untilS)}`;
    return afterAct({ status: 'timeout', message, evidence });
  }
  if (state.shown === false) return fail(`${beginning(execution)} shows ${words(ability, state.newest)}`);
  if (ability === 'firmware' && !isRecovered && !isReplyLost)
    return fail('the miner took the file, but did not restart');
  if (isRecovered) return fail('interrupted by a restart of the agent: it may have been done, and is not done again');
  if (isReplyLost) return fail(`the reply to ${ability} was lost: it may have been done; it is not sent again`);
  return succeed(execution, state, 'answer only', atS);
}

function beginning({ isRecovered, isReplyLost }: Execution): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner';
  return isReplyLost ? 'the reply was lost and the miner' : 'the miner answered success but';
}

function evidenceOf(execution: Execution, { newest, hasRestarted, looks, wasAway }: EffectState) {
  const { ability, task } = execution;
  return {
    ...(newest === undefined ? {} : { seen: factsOf(ability, newest) }),
    ...(ability === 'firmware' ? { firmwareBefore: task.baseline?.firmwareVersion ?? null, hasRestarted } : {}),
    looks,
    ...(wasAway ? { wasAway: true } : {}),
    ...oddities(execution),
  };
}

/** What of a reading the ability is about. */
function factsOf(ability: AbilityName, reading: Reading): Readonly<Record<string, unknown>> {
  const { isLightOn, isMining, miningMode, miningModePreset, powerLimitW, pools, firmwareVersion } = reading;
  switch (ability) {
    case 'light':
      return { lightOn: isLightOn ?? null };
    case 'powerMode':
      return {
        mode: miningMode ?? null,
        preset: miningModePreset ?? null,
        powerLimitW: powerLimitW ?? null,
        isMining: isMining ?? null,
      };
    case 'pools':
      return { pools: pools?.map(({ url, user }) => ({ url: withoutLogin(url), user })) ?? null };
    case 'firmware':
      return { firmware: firmwareVersion ?? null };
    case 'reboot':
    case 'log':
    case 'password':
      return {};
  }
}

const MAX_WORDS = 300;

function words(ability: AbilityName, reading: Reading | undefined): string {
  const facts = Object.entries(reading === undefined ? {} : factsOf(ability, reading)).filter(
    ([, fact]) => fact !== null,
  );
  const text = facts
    .map(([name, fact]) => `${name} ${typeof fact === 'object' ? JSON.stringify(fact) : fact}`)
    .join(', ');
  return text === '' ? 'nothing of it' : text.slice(0, MAX_WORDS);
}

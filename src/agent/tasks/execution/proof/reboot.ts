// Proof after act for a reboot: the clock of the miner shows the restart and, if it hashed before, it hashes again.
// Pure: no clock, no device. It ends when its windows are over, whatever the looks show.
import type { Reading } from '../../../../model/reading.ts';
import { acceptedShares } from '../../../fleet/anomaly/history.ts';
import { afterAct, type TaskOutcome } from '../../contract.ts';
import type { TaskSettings } from '../../settings.ts';
import type { Execution } from '../execution.ts';
import { inWords, judgeLook, type Look, oddities, type Proof, type Waiting, windowEndS } from './proof.ts';
import type { Verdict } from './restart.ts';

/** Ordinary control boards are back within this. */
const DEFAULT_BACK_S = 600;
const BACK_MARGIN_S = 300;
const DEFAULT_OFFLINE_S = 180;
/** Warming up takes minutes: no reason to look as often as for the restart. */
const MAX_WARM_UP_PAUSE_S = 60;

type Evidence = TaskOutcome['evidence'];
/** `claimed` = no figure shows it, but the miner says that it mines; `untold` = it says neither. */
type Hashing = 'proven' | 'claimed' | 'none' | 'untold';

/** All times in seconds since the command. */
type Presence = {
  /** From here on the windows count: see `windowEndS`. */
  readonly repliedS: number;
  readonly wasAway: boolean;
  /** Undefined = it answered the last look that was clear. */
  readonly awaySinceS: number | undefined;
  /** Until it answered again. */
  readonly awayS: number;
  /** End of the window of the stage. */
  readonly untilS: number;
};
type Leaving = Presence & { readonly stage: 'until-back' };
type WarmingUp = Presence & {
  readonly stage: 'until-hashing';
  readonly restart: Evidence;
  /** The newest, and what it shows. */
  readonly reading: Reading;
  readonly hashing: Hashing;
};
export type RebootState = Leaving | WarmingUp;

type Terms = { readonly execution: Execution; readonly settings: TaskSettings['reboot'] };
type Next = Waiting<RebootState> | TaskOutcome;

export const rebootProof = (terms: Terms): Proof<RebootState> => ({
  begin: (atS) => begin(terms, atS),
  step(before, look, atS) {
    const state = afterLook(before, look, atS);
    return state.stage === 'until-back' ? untilBack(terms, state, look, atS) : untilHashing(terms, state, look, atS);
  },
});

function begin({ execution, settings }: Terms, atS: number): Waiting<RebootState> {
  const longestS = execution.rule?.offlineS[1] ?? 0;
  const usualS = settings.backS ?? Math.max(DEFAULT_BACK_S, longestS + BACK_MARGIN_S);
  const repliedS = execution.isRecovered ? 0 : atS;
  const untilS = windowEndS(execution, { usualS, repliedS, atS });
  return {
    state: { stage: 'until-back', repliedS, wasAway: false, awaySinceS: undefined, awayS: 0, untilS },
    waitS: 0,
  };
}

function afterLook<State extends RebootState>(before: State, look: Look, atS: number): State {
  const { awaySinceS, awayS } = before;
  if (look === 'unclear') return before;
  if (look === 'away') return { ...before, wasAway: true, awaySinceS: awaySinceS ?? atS };
  return { ...before, awaySinceS: undefined, awayS: awaySinceS === undefined ? awayS : awayS + atS - awaySinceS };
}

function untilBack(terms: Terms, state: Leaving, look: Look, atS: number): Next {
  const { execution, settings } = terms;
  const { repliedS, untilS, wasAway } = state;
  const graceUntilS = repliedS + settings.graceS;
  if (look !== 'away' && look !== 'unclear') {
    const verdict = judgeLook(execution, look, { atS, wasAway });
    if (isProven(verdict, execution, wasAway)) return onceBack(terms, state, { reading: look, verdict, atS });
    if (verdict.kind === 'not-restarted' && atS >= graceUntilS) {
      const evidence = evidenceOf(execution, state, { uptimeAfterS: verdict.uptimeS });
      return { status: 'failed', message: notRestarted(execution), evidence };
    }
  }
  const isAway = state.awaySinceS !== undefined;
  if (atS >= untilS) {
    const evidence = evidenceOf(execution, state);
    return isAway
      ? afterAct({ status: 'timeout', message: `the miner did not come back within ${inWords(untilS)}`, evidence })
      : afterAct({ status: 'failed', message: NOTHING_PROVES, evidence });
  }
  const longestS = execution.rule?.offlineS[1] || DEFAULT_OFFLINE_S;
  const isOverdue = atS >= Math.max(graceUntilS, isAway ? repliedS + longestS : 0);
  const capacity = isAway ? 'unproven-away' : 'unproven';
  return { state, waitS: settings.checkEveryS, ...(isOverdue ? { capacity } : {}) };
}

/** A miner that did not hash before need not hash. */
function onceBack(
  terms: Terms,
  state: Leaving,
  { reading, verdict, atS }: { readonly reading: Reading; readonly verdict: Verdict; readonly atS: number },
): Next {
  const { execution, settings } = terms;
  const restart = { ...describe(verdict), backAfterS: Math.round(atS) };
  const hashrateAfterHs = reading.hashrateHs ?? null;
  if ((execution.task.baseline?.hashrateHs ?? 0) === 0)
    return { ...SUCCEEDED, evidence: evidenceOf(execution, state, { ...restart, hashrateAfterHs }) };
  const untilS = windowEndS(execution, { usualS: settings.hashS, repliedS: state.repliedS, atS });
  const warmingUp = { ...state, stage: 'until-hashing' as const, restart, reading, hashing: 'untold' as const, untilS };
  return untilHashing(terms, warmingUp, reading, atS);
}

function untilHashing({ execution, settings }: Terms, before: WarmingUp, look: Look, atS: number): Next {
  const state =
    look === 'away' || look === 'unclear'
      ? before
      : { ...before, reading: look, hashing: hashingOf(look, before.reading) };
  const { hashing, reading, restart, untilS } = state;
  const isProven = hashing === 'proven';
  if (!isProven && atS < untilS)
    return { state, waitS: Math.min(MAX_WARM_UP_PAUSE_S, settings.checkEveryS * 3), capacity: 'back' };
  const evidence = evidenceOf(execution, state, {
    ...{ ...restart, hashrateAfterHs: reading.hashrateHs ?? null },
    ...(isProven ? { hashingAfterS: Math.round(atS) } : {}),
  });
  if (isProven) return { ...SUCCEEDED, evidence };
  const uptimeS = reading.systemUptimeS ?? reading.uptimeS;
  const restarted = uptimeS === undefined ? 'restarted' : `restarted (uptime ${inWords(uptimeS)})`;
  if (look === 'away') return afterAct({ status: 'failed', message: `${restarted}, but is away again`, evidence });
  const message = `${restarted}, ${UNPROVEN[hashing](inWords(untilS))}`;
  return hashing === 'claimed'
    ? { status: 'succeeded', message, evidence }
    : afterAct({ status: 'failed', message, evidence });
}

/**
 * Whether a miner hashes after its restart; `before` = the look before. An absent hashrate is not zero: some families
 * know its unit only ten minutes after a start. Then accepted shares that grow prove it; what the miner says of itself
 * counts at the end of the window only, because some say it as soon as their hashboards have power.
 */
function hashingOf(now: Reading, before: Reading): Hashing {
  const { hashrateHs, isMining } = now;
  if (hashrateHs !== undefined) return hashrateHs > 0 ? 'proven' : 'none';
  const shares = acceptedShares(now);
  const sharesBefore = acceptedShares(before);
  if (shares !== undefined && sharesBefore !== undefined && shares > sharesBefore) return 'proven';
  if (isMining === undefined) return 'untold';
  return isMining ? 'claimed' : 'none';
}

const UNPROVEN = {
  claimed: (window) => `says that it mines, but tells no hashrate after ${window}`,
  none: (window) => `but does not hash after ${window}`,
  untold: (window) => `but tells no hashrate after ${window}, and nothing else shows that it hashes`,
} as const satisfies Readonly<Record<Exclude<Hashing, 'proven'>, (window: string) => string>>;
const NOTHING_PROVES = 'the miner answers, but nothing that it tells proves a restart';
const SUCCEEDED = { status: 'succeeded', message: null } as const;

/** A miner that never told a clock is believed when it was away and is back. */
function isProven(verdict: Verdict, { task: { baseline } }: Execution, wasAway: boolean): boolean {
  if (verdict.kind === 'restarted') return true;
  const neverTold = baseline?.uptimeS === undefined && baseline?.systemUptimeS === undefined;
  return verdict.kind === 'open' && !verdict.hasClock && neverTold && baseline !== undefined && wasAway;
}

function evidenceOf(execution: Execution, { awayS }: Presence, more: Evidence = {}): Evidence {
  const { baseline } = execution.task;
  return {
    uptimeBeforeS: baseline?.systemUptimeS ?? baseline?.uptimeS ?? null,
    uptimeAfterS: null,
    awayS: Math.round(awayS),
    hashrateBeforeHs: baseline?.hashrateHs ?? null,
    hashrateAfterHs: null,
    ...oddities(execution),
    ...more,
  };
}

function describe(verdict: Verdict): Evidence {
  return verdict.kind === 'restarted'
    ? { uptimeBeforeS: verdict.beforeS, uptimeAfterS: verdict.afterS, proof: verdict.clock }
    : { proof: 'away and back' };
}

function notRestarted({ isRecovered, isReplyLost }: Execution): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner did not restart';
  return isReplyLost
    ? 'the reply to the reboot was lost and the miner did not restart'
    : 'the miner accepted the reboot but did not restart';
}

// Proof after act for a new password: the device has accepted a login with it. An answer to the command proves nothing,
// and neither does a device that asks for no login. The proof is pure: what logins have shown is asked beside it.
import { z } from 'zod';
import { PeerError } from '../../../../base/errors.ts';
import { withDeadline } from '../../../../base/time/deadline.ts';
import type { PasswordShown } from '../../../device/passwords/password-changes.ts';
import { afterAct, failed, succeeded, type TaskOutcome, type TaskParts } from '../../contract.ts';
import type { Execution } from '../execution.ts';
import { inWords, oddities, type Proof, type Waiting, windowEndS } from './proof.ts';

/** Seconds between looks, while the new one was not tried yet. */
const PAUSE_S = 10;
/** Each look tries it: a device that takes it over at once has done so by then. */
const FIRST_LOOK_S = 3;
const DEFAULT_SHOWN_S = 60;
/** A device that is back may need a moment until it answers. */
const BACK_S = 30;

/**
 * `waiting` = until the end of the window; `again` = the new one may be tried for the last time; `old` = so may the one
 * before it.
 */
export type PasswordState = {
  readonly stage: 'waiting' | 'again' | 'old';
  readonly untilS: number;
  readonly looks: number;
  readonly isAway: boolean;
};

/** `shown` = what logins have shown by the newest look. */
export const passwordProof = (execution: Execution, shown: () => PasswordShown): Proof<PasswordState> => ({
  begin(atS) {
    const { rule, isRecovered } = execution;
    const longestS = rule?.offlineS[1] ?? 0;
    const usualS = Math.max(rule?.shownWithinS ?? DEFAULT_SHOWN_S, longestS > 0 ? longestS + BACK_S : 0);
    const untilS = windowEndS(execution, { usualS, repliedS: isRecovered ? 0 : atS, atS });
    const waitS = Math.min(FIRST_LOOK_S, Math.max(0, untilS - atS));
    return { state: { stage: 'waiting', untilS, looks: 0, isAway: false }, waitS };
  },
  step(before, look, atS) {
    const isAway = look === 'unclear' ? before.isAway : look === 'away';
    const state = { ...before, looks: before.looks + 1, isAway };
    const said = shown();
    const evidence = { looks: state.looks, ...oddities(execution) };
    if (said === 'new')
      return succeeded(execution.note ?? null, { ...evidence, proof: 'login', shownAfterS: Math.round(atS) });
    if (said === 'none') return failed(notSent(execution), evidence);
    return next(state, said, atS) ?? conclude(execution, state, said, evidence);
  },
});

/** Undefined = nothing more can be found out. */
function next(state: PasswordState, said: PasswordShown, atS: number): Waiting<PasswordState> | undefined {
  const { stage, untilS } = state;
  if (stage === 'waiting' && atS < untilS) {
    // What was refused is tried once more, and that at the end: boards lock out those who try often.
    const waitS = said === 'open' ? Math.min(PAUSE_S, untilS - atS) : untilS - atS;
    return { state, waitS };
  }
  if (stage === 'waiting') return { state: { ...state, stage: 'again' }, waitS: 0, triesAgain: true };
  if (stage === 'again' && said === 'refused') return { state: { ...state, stage: 'old' }, waitS: 0 };
  return undefined;
}

const notSent = ({ isRecovered }: Execution): string =>
  isRecovered
    ? 'interrupted by a restart of the agent before anything was sent: the miner has kept its password'
    : 'the new password is not kept any more: another program of this host has settled it; read the miner';

function conclude(
  execution: Execution,
  { isAway, untilS }: PasswordState,
  said: PasswordShown,
  evidence: TaskOutcome['evidence'],
): TaskOutcome {
  if (said === 'old') return afterAct(failed(`${beginning(execution)} kept its password`, evidence));
  if (isAway) {
    const message = `the miner did not come back within ${inWords(untilS)}; both passwords are kept`;
    return afterAct({ status: 'timeout', message, evidence });
  }
  return afterAct(failed('nothing shows which password it has; both are kept', evidence));
}

function beginning({ isRecovered, isReplyLost }: Execution): string {
  if (isRecovered) return 'interrupted by a restart of the agent: the miner';
  return isReplyLost ? 'the reply was lost and the miner' : 'the miner answered success but';
}

const wantedSchema = z.object({ password: z.string() });

/** Asks after each look what logins have shown of the password of this task. */
export function passwordWatch(
  { deps, clock, settings }: TaskParts,
  { task: { minerKey }, params }: Execution,
  stop: AbortSignal,
) {
  const wanted = wantedSchema.safeParse(params).data?.password;
  const onDeadline = () => new PeerError('peer.timeout', `log in to miner ${minerKey}`, 'soon');
  const bounds = { deadlineMs: settings.observeS * 1_000, signal: stop, onDeadline };
  let newest: PasswordShown = 'open';
  return {
    shown: () => newest,
    async onLook(): Promise<void> {
      const { passwords } = deps;
      if (wanted === undefined || passwords === undefined) return;
      try {
        newest = await withDeadline(clock, bounds, (within) => passwords.shown(minerKey, wanted, within));
      } catch (error) {
        if (!(error instanceof PeerError)) throw error;
      }
    },
    tryAgain: () => deps.passwords?.tryAgain(minerKey),
  };
}

// What all proofs share: looks as they are judged, steps, windows of time, and words. Pure: no clock, no device.
import { formatDurationMs } from '../../../../base/time/duration.ts';
import type { Reading } from '../../../../model/reading.ts';
import type { TaskOutcome } from '../../contract.ts';
import type { Execution } from '../execution.ts';
import { judgeRestart } from './restart.ts';

/**
 * `away` = it does not answer; `unclear` = nothing can be said of this look; an empty reading = it is there, but tells
 * nothing.
 */
export type Look = 'away' | 'unclear' | Reading;

/** Another look is needed, after `waitS`. `capacity` says what becomes of that of a reboot; absent = it keeps it. */
export type Waiting<State> = {
  readonly state: State;
  readonly waitS: number;
  readonly capacity?: 'back' | 'unproven' | 'unproven-away';
  /** Of a change of the password: before that look the new one may be tried once more. */
  readonly triesAgain?: true;
};

/**
 * Has the miner done it? `atS` = seconds since the command; it never goes back. A proof ends for every row of looks
 * whose time goes on.
 */
export type Proof<State> = {
  begin(atS: number): Waiting<State>;
  step(before: State, look: Look, atS: number): Waiting<State> | TaskOutcome;
};

/** After a crash the windows may be over already: the miner is looked at for at least this long. */
const SETTLE_S = 120;

/**
 * The end of a window of `usualS`, in seconds since the command. It counts from the reply, which was at `repliedS`;
 * where the agent was restarted since, from the command, and it is not over yet `atS`.
 */
export const windowEndS = (
  { isRecovered }: Pick<Execution, 'isRecovered'>,
  { usualS, repliedS, atS }: { readonly usualS: number; readonly repliedS: number; readonly atS: number },
): number => (isRecovered ? Math.max(usualS, atS + SETTLE_S) : repliedS + usualS);

/** Whether the clocks of the reading show a restart since the command. */
export function judgeLook(
  { task: { baseline }, actedMs, isRecovered }: Execution,
  reading: Reading,
  { atS, wasAway }: { readonly atS: number; readonly wasAway: boolean },
) {
  const baselineAgeS = baseline === undefined ? 0 : Math.max(0, actedMs - baseline.atMs) / 1_000;
  const times = { sinceActS: atS, sinceBaselineS: atS + baselineAgeS };
  return judgeRestart({ baseline, reading, ...times, mayHaveBeenAway: wasAway || isRecovered });
}

/** What of the execution belongs to the evidence. */
export const oddities = ({ isReplyLost, isRecovered }: Execution) => ({
  ...(isReplyLost ? { replyLost: true } : {}),
  ...(isRecovered ? { interrupted: true } : {}),
});

export const inWords = (durationS: number): string => formatDurationMs(Math.round(durationS) * 1_000);

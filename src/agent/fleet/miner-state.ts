// What the agent holds of one miner in memory.
import type { ClockLook } from '../../base/time/clock-steps.ts';
import type { Reading } from '../../model/reading.ts';
import type { MinerRecord } from '../../wire/records.ts';
import type { MinerTarget } from '../device/device-client.ts';
import type { MinerJudgement } from './anomaly/state.ts';
import type { StoredState } from './stored-state.ts';

export type MinerState = {
  readonly key: string;
  target: MinerTarget;
  /** As the device reports it, implausible values included. */
  reading: Reading | undefined;
  readAt: ClockLook | undefined;
  /** When it last answered, and whether it refused our login then. */
  answered: { readonly atMs: number; readonly isLoginRefused: boolean } | undefined;
  judgement: MinerJudgement | undefined;
  /** When that was, by the monotonic clock; undefined = in an earlier run. */
  judgedMs: number | undefined;
  /** What was reported last. */
  reported: Pick<MinerRecord, 'document' | 'extras'> | undefined;
  /** What it draws while it works at full load, as it showed itself; undefined until it has. */
  fullDrawW: number | undefined;
  isRebooting: boolean;
  /** Since when a task restarts it, by the monotonic clock; undefined once it has answered after that. */
  awaitedMs: number | undefined;
};

/** `earlier` = from an earlier run of the agent. */
export const newMinerState = (key: string, target: MinerTarget, earlier: StoredState | undefined): MinerState => ({
  key,
  target,
  reading: undefined,
  readAt: earlier?.readAt,
  answered: undefined,
  judgement: earlier?.judgement,
  judgedMs: undefined,
  reported: earlier,
  fullDrawW: earlier?.fullDrawW,
  isRebooting: false,
  awaitedMs: undefined,
});

/** How long a miner that was restarted and has not answered yet is expected. */
const AWAITED_MS = 60 * 60_000;

/** A task restarts it, or has restarted it and it has not answered yet. */
export const isExpectedBack = ({ isRebooting, awaitedMs }: MinerState, nowMs: number): boolean =>
  isRebooting || (awaitedMs !== undefined && nowMs - awaitedMs < AWAITED_MS);

/** `nowMs` by the monotonic clock. */
export function setRebooting(state: MinerState, isRebooting: boolean, nowMs: number): void {
  const isFirst = isRebooting && !state.isRebooting;
  state.isRebooting = isRebooting;
  if (isFirst) state.awaitedMs = nowMs;
  else if (!isRebooting && state.reported?.document.last_check_succeed === true) state.awaitedMs = undefined;
}

/** Of what lies above the present draw, this part is forgotten with each reading. */
const FORGOTTEN = 0.001;

/**
 * The highest draw that it showed while it mined. It sinks slowly towards what the miner shows now: a miner that was
 * tuned down for good is not counted with its old power for ever.
 */
export function fullDraw(beforeW: number | undefined, { powerW = 0, hashrateHs = 0 }: Reading): number | undefined {
  if (powerW === 0 || hashrateHs === 0) return beforeW;
  return Math.max(powerW, beforeW === undefined ? 0 : beforeW - FORGOTTEN * (beforeW - powerW));
}

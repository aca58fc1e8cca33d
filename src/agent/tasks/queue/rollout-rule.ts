// The rule of a batch that is not carried out all at once, and what it says of a batch with these counts. Pure; who
// counts is rollouts.ts.
import { z } from 'zod';
import type { TaskCommand } from '../../../wire/frames.ts';
import { cancelled, type TaskOutcome } from '../contract.ts';

export const rolloutRuleSchema = z.object({
  /** Tasks that go first: the others only when so many have succeeded, which means proven. 0 = none has to. */
  canary: z.int().min(0),
  /** Failures after which no more are begun. Undefined = however many. */
  stopAfter: z.int().min(1).optional(),
});
export type Rollout = z.infer<typeof rolloutRuleSchema>;

/**
 * Of one batch of one agent. Failed = failed or timed out, for whatever reason, a refusal included. What was cancelled
 * counts for nothing: another task counts among the first instead.
 */
type BatchCounts = { readonly succeeded: number; readonly failed: number };

export const batchStopSchema = z.object({
  reason: z.enum(['canary', 'failures']),
  succeeded: z.int(),
  failed: z.int(),
});
export type BatchStop = z.infer<typeof batchStopSchema>;

export function ruleOf(rollout: NonNullable<TaskCommand['rollout']>): Rollout {
  const { canary = 0, stop_after: stopAfter } = rollout;
  return { canary, ...(stopAfter === undefined ? {} : { stopAfter }) };
}

/** Why the batch goes no further; undefined = it does. */
export function stopOf({ canary, stopAfter }: Rollout, { succeeded, failed }: BatchCounts): BatchStop | undefined {
  if (failed > 0 && succeeded < canary) return { reason: 'canary', succeeded, failed };
  if (stopAfter !== undefined && failed >= stopAfter) return { reason: 'failures', succeeded, failed };
  return undefined;
}

/** Whether one more must wait for those before it. `running` = begun, or being checked. */
export function isHeldBack({ canary }: Rollout, { succeeded, failed }: BatchCounts, running: number): boolean {
  return succeeded < canary && running + succeeded + failed >= canary;
}

/** For people: why a task of the batch waits. */
export const heldBackText = (canary: number): string => `held back until the first ${canary} are proven`;

/** How the tasks end that were not started. */
export function stoppedOutcome(rule: Rollout, stop: BatchStop): TaskOutcome {
  const why =
    stop.reason === 'canary'
      ? `${stop.failed} failed before the first ${rule.canary} had succeeded`
      : `${stop.failed} failed, and it stops after ${rule.stopAfter}`;
  return cancelled(`not started: the batch was stopped, ${why}`, { stopped: stop });
}

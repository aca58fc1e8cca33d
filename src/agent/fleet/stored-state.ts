// What is stored of each miner over a restart: the judgement of its flags and its last report. It reads and writes
// nothing itself.
import { z } from 'zod';
import { minerDocumentSchema, minerExtrasSchema } from '../../model/miner.ts';
import { MAX_STATE_AGE_MS } from '../state/miner-state-store.ts';
import { judgementSchema, passed } from './anomaly/state.ts';

export const storedStateSchema = z.strictObject({
  judgement: judgementSchema,
  document: minerDocumentSchema,
  extras: minerExtrasSchema,
  /** By a clock whose elapsed time lasts over restarts. */
  readAt: z.strictObject({ wallMs: z.number(), elapsedMs: z.number() }).optional(),
  /** As `fullDrawW` of a MinerState. */
  fullDrawW: z.number().min(0).optional(),
});
export type StoredState = Readonly<z.output<typeof storedStateSchema>>;

/** Counts the time from the stored sample to `untilMs` (wall time) for the flags: the lost samples were judged. */
export function caughtUp(stored: StoredState, untilMs: number): StoredState {
  const forgottenMs = Math.min(Math.max(0, untilMs - stored.judgement.atMs), MAX_STATE_AGE_MS);
  return { ...stored, judgement: passed(stored.judgement, forgottenMs) };
}

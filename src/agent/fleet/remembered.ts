// What a restart must not forget of each miner: the judgement of its flags and the values it last reported. It reads and writes nothing itself.
import { z } from 'zod';
import { minerDocumentSchema, minerExtrasSchema } from '../../model/miner.ts';
import { MAX_STATE_AGE_MS } from '../state/miner-state-store.ts';
import { judgementSchema, passed } from './anomaly/state.ts';

export const rememberedSchema = z.strictObject({
  judgement: judgementSchema,
  document: minerDocumentSchema,
  extras: minerExtrasSchema,
  /** By a clock whose elapsed time lasts over restarts. */
  readAt: z.strictObject({ wallMs: z.number(), elapsedMs: z.number() }).optional(),
});
export type Remembered = Readonly<z.output<typeof rememberedSchema>>;

/**
 * Samples that came after what was stored, until `untilMs` (wall time), are forgotten, but they were there: their time has passed for the flags.
 */
export function caughtUp(stored: Remembered, untilMs: number): Remembered {
  const forgottenMs = Math.min(Math.max(0, untilMs - stored.judgement.atMs), MAX_STATE_AGE_MS);
  return { ...stored, judgement: passed(stored.judgement, forgottenMs) };
}

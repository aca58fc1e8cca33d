// What a test of updates and the program that it updates say to each other.
import { z } from 'zod';
import { pinsSchema } from '../../src/update/trust/trust.ts';

/** Version and fault of a program, as they stand in its file; filled up with `_`. */
export const MARK = 'pithead-of-a-test:0.0.0________________:works_______________:';

export const siteSchema = z.object({
  places: z.object({ system: z.literal('linux'), programs: z.string(), notes: z.string(), requests: z.string() }),
  state: z.string(),
  /** Socket of the service manager: one word in, one object out. */
  manager: z.string(),
  patience: z.object({ readyMs: z.number(), stableMs: z.number() }),
  pins: pinsSchema,
  target: z.string(),
  /** Where the updater waits, so that it can be killed there. */
  pause: z.object({ step: z.string(), ms: z.number() }).optional(),
});
export type Site = z.output<typeof siteSchema>;

export const unitSchema = z.object({ active: z.string(), sub: z.string(), restarts: z.number(), pid: z.number() });
export type Unit = z.output<typeof unitSchema>;

/** A line of the updater. */
export const saidSchema = z.object({
  step: z.string().optional(),
  outcome: z.object({ result: z.string(), message: z.string(), without_proof_ms: z.number().nullable() }).optional(),
});

// What the mutation test and its processes say to each other.
import { z } from 'zod';

export const jobSchema = z.object({
  driver: z.string(),
  file: z.string(),
  /** Absent = as it is. */
  source: z.string().optional(),
  network: z.string(),
  /** Say what of the driver has run. */
  isCovered: z.boolean().optional(),
});
export type Job = z.output<typeof jobSchema>;

/** `by`: the check that refused it; absent = it survived. */
/** A part of a file, and how often it ran; the smallest part that holds a place counts for it. */
const rangeSchema = z.object({ file: z.string(), start: z.number(), end: z.number(), count: z.number() });
export type Range = z.output<typeof rangeSchema>;

export const verdictSchema = z.object({
  ms: z.number(),
  by: z.string().optional(),
  seen: z.string().optional(),
  ran: z.array(rangeSchema).optional(),
});
export type Verdict = z.output<typeof verdictSchema>;

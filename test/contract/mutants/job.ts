// What the mutation test and its processes say to each other.
import { z } from 'zod';

export const jobSchema = z.object({
  driver: z.string(),
  file: z.string(),
  /** Absent = as it is. */
  source: z.string().optional(),
  network: z.string(),
});
export type Job = z.output<typeof jobSchema>;

/** `by`: the check that refused it; absent = it survived. */
export const verdictSchema = z.object({ ms: z.number(), by: z.string().optional(), seen: z.string().optional() });
export type Verdict = z.output<typeof verdictSchema>;

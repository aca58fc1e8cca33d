// What became of one address in a scan, and the account that adds up: every address of the ranges is in exactly one class.
import { z } from 'zod';

export const CONTACT_STATUSES = [
  /** A driver recognised it. */
  'identified',
  /** Something answers, but no driver knows it. */
  'unknown',
  /** Recognised, but it refused our login: some facts are missing. */
  'login_refused',
  /** The host is up, every port we asked is closed. */
  'closed',
  /** Nothing came back. */
  'silent',
  /** Nothing came back where we know a miner to be. */
  'missing',
] as const;
export type ContactStatus = (typeof CONTACT_STATUSES)[number];

const count = z.int().min(0);

/** `addresses` = every address of the ranges once; `addresses` = sum of `counts` + `excluded` + `notReached` (cancelled before its turn). */
export const scanAccountSchema = z.object({
  addresses: count,
  excluded: count,
  counts: z.record(z.enum(CONTACT_STATUSES), count),
  notReached: count,
  elapsedMs: z.number(),
  isCancelled: z.boolean(),
  /** What a person should know beside the counts, in sentences. */
  notes: z.array(z.string()).readonly().exactOptional(),
});
export type ScanAccount = Readonly<z.output<typeof scanAccountSchema>>;

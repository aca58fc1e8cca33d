// The class of one address after a scan, and the account: every address of the ranges is in exactly one class.
import { z } from 'zod';

export const CONTACT_STATUSES = [
  /** A driver recognised it. */
  'identified',
  /** It looks like a miner of a family and gives no proof. It is asked nothing more until a person says what it is. */
  'likely',
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

/** What an account counts: `likely` ones are among `unknown` there, and named beside it. */
const COUNTED = [
  'identified',
  'unknown',
  'login_refused',
  'closed',
  'silent',
  'missing',
] as const satisfies readonly ContactStatus[];
type Counted = (typeof COUNTED)[number];

const count = z.int().min(0);

/**
 * `addresses` = every address of the ranges once = sum of `counts` + `excluded` + `notReached` (cancelled before it was
 * probed).
 */
export const scanAccountSchema = z.object({
  addresses: count,
  excluded: count,
  counts: z.record(z.enum(COUNTED), count),
  /** Of the `unknown` ones those that look like miners, by the driver that would read them. */
  likely: z.record(z.string(), count).exactOptional(),
  notReached: count,
  elapsedMs: z.number(),
  isCancelled: z.boolean(),
  /** What a person should know beside the counts, in sentences. */
  notes: z.array(z.string()).readonly().exactOptional(),
});
export type ScanAccount = Readonly<z.output<typeof scanAccountSchema>>;

export const noCounts = (): Record<Counted, number> => ({
  ...{ identified: 0, unknown: 0, login_refused: 0, closed: 0, silent: 0, missing: 0 },
});

export const countedAs = (status: ContactStatus): Counted => (status === 'likely' ? 'unknown' : status);

/** The classes as people read them, each address in one of them: `likely` ones are no longer among the unknown. */
export function classesOf({ counts, likely = {} }: Pick<ScanAccount, 'counts' | 'likely'>) {
  const likelyCount = Object.values(likely).reduce((sum, members) => sum + members, 0);
  return CONTACT_STATUSES.map((status) => {
    if (status === 'likely') return { status, count: likelyCount };
    return { status, count: status === 'unknown' ? counts.unknown - likelyCount : counts[status] };
  });
}

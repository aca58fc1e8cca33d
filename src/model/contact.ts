// What became of one address in a scan, and the account that adds up: every address of the ranges is in exactly one class.

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

/** `addresses` = every address of the ranges once; `addresses` = sum of `counts` + `excluded` + `notReached` (cancelled before its turn). */
export type ScanAccount = {
  readonly addresses: number;
  readonly excluded: number;
  readonly counts: Readonly<Record<ContactStatus, number>>;
  readonly notReached: number;
  readonly elapsedMs: number;
  readonly isCancelled: boolean;
  /** What a person should know beside the counts, in sentences. */
  readonly notes?: readonly string[];
};

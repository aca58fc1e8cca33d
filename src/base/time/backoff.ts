// How long to wait before a retry. Full jitter (a random share of a doubling, capped window) spreads a crowd of
// retries.

type Backoff = { readonly baseMs: number; readonly capMs: number };

/** Delay before attempt number `attempt` (0 = first retry), in ms. `random` gives [0, 1). */
export function fullJitterMs(attempt: number, bounds: Backoff, random: () => number): number {
  return Math.round(doublingMs(attempt, bounds) * random());
}

/** Doubling without jitter, for loops that are spread by other means: 1x, 2x, 4x up to the cap. */
export function doublingMs(attempt: number, { baseMs, capMs }: Backoff): number {
  return Math.min(capMs, baseMs * 2 ** Math.min(attempt, 30));
}

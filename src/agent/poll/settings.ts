// How often miners are polled, and within which limits. Values and defaults only; the configuration checks what
// operators write.

export type PollSettings = {
  /** Each miner once in this time. */
  readonly intervalMs: number;
  /** Fast visits at once (see `slowAfterMs`). */
  readonly maxInFlight: number;
  /** A longer visit counts as slow. Slow visits have their own limit, so that hung miners do not block healthy ones. */
  readonly slowAfterMs: number;
  /** Slow visits at once; at this limit nothing new starts. */
  readonly maxSlow: number;
  /** Of one visit, in all. */
  readonly visitDeadlineMs: number;
  /** Longest pause between two polls of a miner that fails. */
  readonly backoffCapMs: number;
  /** How soon a failed poll is repeated before it counts as failed. */
  readonly confirmAfterMs: number;
  /** Over how long the first polls of a small farm are spread. */
  readonly firstRoundMs: number;
};

export const POLL_SETTINGS: PollSettings = {
  intervalMs: 60_000,
  maxInFlight: 256,
  slowAfterMs: 2_000,
  maxSlow: 768,
  visitDeadlineMs: 15_000,
  backoffCapMs: 300_000,
  confirmAfterMs: 2_000,
  firstRoundMs: 5_000,
};

/** First polls come no faster than this on the average, however many miners there are. */
const FIRST_ROUND_MS_PER_MINER = 2;
/** Polls may start this much faster than the schedule needs, so that late ones catch up without a burst. */
const HEADROOM = 1.25;
const LEAST_STARTS_PER_S = 50;

/** Over how long the first polls of `miners` are spread. */
export function firstRoundMs(miners: number, { firstRoundMs, intervalMs }: PollSettings): number {
  return Math.min(intervalMs, Math.max(firstRoundMs, miners * FIRST_ROUND_MS_PER_MINER));
}

/** Least time between the starts of two visits, however many fall due together. */
export function spacingMs(miners: number, settings: PollSettings): number {
  return Math.min(1_000 / LEAST_STARTS_PER_S, firstRoundMs(miners, settings) / Math.max(1, miners) / HEADROOM);
}

// How often miners are polled and within which bounds. Values and their defaults only; the configuration file checks what operators write.

export type PollSettings = {
  /** Each miner once in this time. */
  readonly intervalMs: number;
  /** Visits at once, as long as they are brisk (see `lingerMs`). */
  readonly maxInFlight: number;
  /** A visit that takes longer than this no longer counts as brisk: hung miners cannot take the places of healthy ones. */
  readonly lingerMs: number;
  /** Visits that may linger at once; with all of them, nothing new starts. */
  readonly maxLingering: number;
  /** Of one visit, in all. */
  readonly visitDeadlineMs: number;
  /** Longest pause between two polls of a miner that fails. */
  readonly backoffCapMs: number;
  /** How soon a failed poll is repeated before it counts as failed. */
  readonly confirmAfterMs: number;
  /** Longest time over which first polls are spread when there are few enough. */
  readonly firstRoundMs: number;
};

export const POLL_SETTINGS: PollSettings = {
  intervalMs: 60_000,
  maxInFlight: 256,
  lingerMs: 2_000,
  maxLingering: 768,
  visitDeadlineMs: 15_000,
  backoffCapMs: 300_000,
  confirmAfterMs: 2_000,
  firstRoundMs: 5_000,
};

/** First polls come no faster than this on the average, however many miners there are. */
const FIRST_ROUND_MS_PER_MINER = 2;
/** Polls may start this much faster than the plan needs, so that what was late catches up without a burst. */
const HEADROOM = 1.25;
const LEAST_STARTS_PER_S = 50;

/** Over how long the first polls of `miners` are spread. */
export function firstRoundMs(miners: number, { firstRoundMs, intervalMs }: PollSettings): number {
  return Math.min(intervalMs, Math.max(firstRoundMs, miners * FIRST_ROUND_MS_PER_MINER));
}

/** Least time between the starts of two visits: what no burst may undercut, whatever fell due together. */
export function paceMs(miners: number, settings: PollSettings): number {
  return Math.min(1_000 / LEAST_STARTS_PER_S, firstRoundMs(miners, settings) / Math.max(1, miners) / HEADROOM);
}

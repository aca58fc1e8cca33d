// The bounds of how many miners a service grants to an agent. The service keeps the grants themselves.

/** Without another word of the operator. */
export const DEFAULT_MAX_MINERS = 10_000;
export const MOST_MAX_MINERS = 1_000_000;

// How many miners a service lets an agent have: the bounds of what can be granted. Who has how many is the service's own.

/** Without another word of the operator. */
export const DEFAULT_MAX_MINERS = 10_000;
export const MOST_MAX_MINERS = 1_000_000;

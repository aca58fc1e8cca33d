// For how many days each kind of history is kept. Data only: what prunes is in the stores.

export const HISTORY_KEPT_DAYS = {
  /** Values each ten minutes. */
  cells: 32,
  /** Hourly values of farms and miners, and tasks. */
  hours: 400,
  events: 400,
  audit: 400,
} as const;

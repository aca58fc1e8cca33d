// The envelope of good answers as a value; times as every answer writes them.

export const good = <T>(data: T) => ({ success: true as const, data, error: null });

/** A page of a list; `pagination` is that of the version, here and in the schema. */
export const goodPage = <T, P>(data: readonly T[], pagination: P) => ({
  success: true as const,
  data,
  pagination,
  error: null,
});

export const toIso = (ms: number): string => new Date(ms).toISOString();

/** Of what has happened: not later than now, also where our clock was set back since. */
export const toPastIso = (ms: number, nowMs: number): string => toIso(Math.min(ms, nowMs));
export const toIsoOrNull = (ms: number | null): string | null => (ms === null ? null : toIso(ms));

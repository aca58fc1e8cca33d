// A line of a worklist: one cause of trouble in one place. It names the same work at every screen and in the service.
import { ANOMALY_TYPES } from '../flags/anomaly-types.ts';

export const CAUSES = ['missing', 'silent', 'hung', ...ANOMALY_TYPES] as const;
export type Cause = (typeof CAUSES)[number];

/** `container` and `rack` null = none, or more than one; `pool` is named by lines of pools alone. */
export type LineName = {
  readonly cause: Cause;
  readonly container: string | null;
  readonly rack: string | null;
  readonly pool: string | null;
};

/** The same for the same line only. */
export const keyOfLine = ({ cause, container, rack, pool }: LineName): string =>
  JSON.stringify([cause, container, rack, pool]);

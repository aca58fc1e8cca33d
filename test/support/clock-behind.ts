// The clock of a host in the past: its times differ from those of this host, its waits do not.
import { type Clock, systemClock } from '../../src/base/clock.ts';

/** `behindMs` may change: then time jumps, as for a host that has slept. */
export const clockBehind = (behindMs: () => number): Clock => ({
  ...systemClock,
  nowMs: () => systemClock.nowMs() - behindMs(),
  elapsedMs: () => systemClock.elapsedMs() - behindMs(),
});

// A record of trust of a test's own: empty, in memory, on a host that sees no MAC addresses.
import { openTrustRecord } from '../../src/agent/device/trust/trust-record.ts';
import { type Clock, systemClock } from '../../src/base/clock.ts';

export const freshTrust = (clock: Clock = systemClock) => ({
  record: openTrustRecord(':memory:', clock),
  neighbourAt: (): { mac: string; isShared: boolean } | undefined => undefined,
  mayLogIn: (_ip: string): boolean => true,
});

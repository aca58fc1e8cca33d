// A miner as the registry has it, for the tests of the control handlers.
import type { MinerEntry } from '../../../../../src/agent/fleet/identity/record.ts';

export const entryOf = (more: Partial<MinerEntry> = {}): MinerEntry => ({
  ...{ key: 'k1', ip: '10.0.0.1', lastIp: '10.0.0.1', mac: null, macSource: null, macState: 'empty' },
  ...{ serialNumber: null, serialState: 'empty', netMac: null, boardSerials: null, claimsKey: null },
  ...{ claimedFacts: '', claimState: null, claimedSinceMs: null, driverId: 'vnish', generation: null, make: null },
  ...{ model: null, firmwareVersion: null, firstSeenMs: 0, lastSeenMs: 0 },
  ...more,
});

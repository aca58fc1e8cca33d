// What an uplink of a test is given that has nothing to deliver.
import type { SliceSource } from '../../../../src/agent/uplink/contract.ts';

export function idleSource(epoch: string): SliceSource {
  const position = { epoch, firstSeq: 1, ackedSeq: 0, nextSeq: 1 };
  return {
    position: () => position,
    lanes: () => [position],
    split() {},
    read: () => [],
    acknowledge() {},
    renewEpoch() {},
    onMore: () => () => {},
  };
}

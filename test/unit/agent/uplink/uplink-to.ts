// Uplinks of tests: what a test does not name is as an agent has it, with nothing to deliver and nobody who takes orders.
import { randomUUID } from 'node:crypto';
import type { SliceSource } from '../../../../src/agent/uplink/contract.ts';
import { createUplink, type Uplink } from '../../../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { Secret } from '../../../../src/base/secrets.ts';

export function uplinkTo(url: string, more: Partial<Parameters<typeof createUplink>[0]> = {}): Uplink {
  return createUplink({
    name: 'farm',
    url,
    credentials: { agentId: randomUUID(), token: new Secret('token') },
    version: '1.2.3',
    source: idleSource(randomUUID()),
    tasks: { onTasks: () => {}, onCancel: () => {} },
    clock: systemClock,
    random: Math.random,
    log: silentLog,
    ...more,
  });
}

export function idleSource(epoch: string): SliceSource {
  const position = { epoch, firstSeq: 1, ackedSeq: 0, nextSeq: 1 };
  return {
    lanes: async () => [position],
    async split() {},
    read: async () => [],
    async acknowledge() {},
    async renewEpoch() {},
    backlog: () => 0,
    onMore: () => () => {},
  };
}

// Devices that claim to be others are told in one event, when there are others than before.
import { expect, test } from 'vitest';
import type { Suspect } from '../../../../src/agent/fleet/identity/miner-registry.ts';
import { createSuspectReport } from '../../../../src/agent/fleet/suspects.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { type EventRecord, eventRecordSchema } from '../../../../src/wire/records.ts';

const AGENTS = ['0198a7a2-0000-7000-8000-000000000001', '0198a7a2-0000-7000-8000-000000000002'];

test('one event per service for all of them, and none while they are the same', () => {
  let suspects: Suspect[] = [];
  const events: EventRecord[] = [];
  const report = createSuspectReport({
    ...{ clock: { nowMs: () => 0 }, log: silentLog, agentIds: AGENTS, suspects: () => suspects },
    emit: (event) => void events.push(event),
  });
  report.report();
  expect(events).toEqual([]);
  suspects = [
    { ip: '10.0.0.2', sinceMs: 0, reason: 'changes', claims: undefined },
    {
      ip: '10.0.0.1',
      sinceMs: 0,
      reason: 'claims',
      claims: { key: 'k', ip: '10.0.0.9', facts: ['mac'], isRejected: false },
    },
  ];
  report.report();
  suspects = suspects.toReversed();
  report.report();
  expect(events.map(({ key }) => key)).toEqual(AGENTS);
  const detail = { count: 2, addresses: ['10.0.0.1', '10.0.0.2'], reasons: { claims: 1, changes: 1 } };
  expect(events[0]).toMatchObject({ type: 'identity_suspects', detail });
  for (const event of events) expect(eventRecordSchema.safeParse(event).error).toBeUndefined();
  suspects = Array.from({ length: 1_000 }, (_, n) => ({
    ...{ ip: `10.0.${n >> 8}.${n & 255}`, sinceMs: 0, reason: 'changes' as const, claims: undefined },
  }));
  report.report();
  expect(events.at(-1)?.detail).toMatchObject({ count: 1_000, reasons: { claims: 0, changes: 1_000 } });
  expect(events.at(-1)?.detail.addresses).toHaveLength(200);
  suspects = [];
  report.report();
  expect(events.at(-1)?.detail).toMatchObject({ count: 0 });
});

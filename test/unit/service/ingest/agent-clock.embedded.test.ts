// What an agent dates by its own clock, dated by the clock of the service: clocks that differ, clocks that are set,
// slices that come late.
import { expect, test } from 'vitest';
import type { ClockLook } from '../../../../src/base/time/clock-steps.ts';
import { createAgentClock, datedByUs } from '../../../../src/service/ingest/agent-clock.ts';
import type { ReportRecord } from '../../../../src/wire/records.ts';
import { hostRecord, minerRecord } from '../../service-http/records.ts';

const HOUR_MS = 3_600_000;
const NOW_MS = Date.UTC(2026, 5, 1, 12);
const hello: ClockLook = { wallMs: NOW_MS, elapsedMs: 50_000 };
const later = (ms: number, setByMs = 0): ClockLook => ({
  wallMs: NOW_MS + ms + setByMs,
  elapsedMs: hello.elapsedMs + ms,
});
const iso = (ms: number) => new Date(ms).toISOString();

test.each([0, 4_000, -4_000, HOUR_MS, -HOUR_MS, 50 * 365 * 24 * HOUR_MS])(
  'a clock that is %i ms ahead and never set: the times of its slices are moved by that, but for what a way takes',
  (aheadMs) => {
    const clock = createAgentClock(NOW_MS + aheadMs, hello);
    const expected = Math.abs(aheadMs) > 5_000 ? -aheadMs : 0;
    for (const ageMs of [0, 90_000, 20 * HOUR_MS]) {
      const produced_at = iso(NOW_MS + 60_000 + aheadMs - ageMs);
      expect(clock.offsetMs({ produced_at }, later(60_000))).toBeCloseTo(expected);
      // It was on its way for 30 seconds.
      for (const wayMs of [0, 30_000])
        expect(clock.offsetMs({ produced_at, age_ms: ageMs }, later(60_000 + wayMs))).toBeCloseTo(expected);
    }
  },
);

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'an agent whose clock was set by %i ms after the hello: its age says when a slice was made',
  (setByMs) => {
    const clock = createAgentClock(NOW_MS, hello);
    const made = { produced_at: iso(NOW_MS + 60_000 + setByMs), age_ms: 500 };
    expect(clock.offsetMs(made, later(60_500))).toBe(-setByMs);
    // Made before the clock was set, sent after it.
    expect(clock.offsetMs({ produced_at: iso(NOW_MS + 1_000), age_ms: 59_500 }, later(60_500))).toBe(0);
  },
);

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'our clock was set by %i ms after the hello: times are moved along, with an age and without',
  (setByMs) => {
    const clock = createAgentClock(NOW_MS, hello);
    const produced_at = iso(NOW_MS + 60_000);
    expect(clock.offsetMs({ produced_at }, later(60_000, setByMs))).toBe(setByMs);
    expect(clock.offsetMs({ produced_at, age_ms: 100 }, later(60_100, setByMs))).toBe(setByMs);
    expect(clock.skewMs(later(60_000, setByMs))).toBe(-setByMs);
  },
);

/** Every time in the record that is stored or shown. */
function timesOf(record: ReportRecord): readonly (string | null)[] {
  switch (record.kind) {
    case 'miner':
      return [record.at, record.document.last_updated_at, ...record.extras.flags.map(({ since }) => since)];
    case 'gap':
      return [record.from, record.to];
    case 'host':
      return [record.at, iso(record.host.timestamp * 1_000)];
    case 'task':
    case 'event':
    case 'scan':
      return [record.at];
  }
}

const flag = (sinceMs: number) => ({
  ...{ type: 'fan' as const, since: iso(sinceMs), severity: 'major' as const },
  ...{ value: 0, limit: 1, source: 'fans[0].rpm', message: 'A fan stands still' },
});
const records = (atMs: number): ReportRecord[] => [
  minerRecord(1, atMs, { extras: { flags: [flag(atMs), flag(atMs)] } }),
  { kind: 'gap', from: iso(atMs), to: iso(atMs), reason: 'restart', count: null },
  { ...hostRecord(atMs), host: { ...hostRecord(atMs).host, timestamp: atMs / 1_000 } },
  {
    ...{ kind: 'task', task_id: minerRecord(1, 0).key, status: 'succeeded', at: iso(atMs) },
    message: null,
    evidence: {},
  },
  { kind: 'event', type: 'moved', key: minerRecord(1, 0).key, at: iso(atMs), detail: {} },
];

test('every time is moved, none is later than now or earlier than time begins, and what is right stays as it is', () => {
  for (const record of records(NOW_MS - HOUR_MS)) {
    const timesBy = (offsetMs: number) => new Set(timesOf(datedByUs(record, offsetMs, NOW_MS)));
    expect(timesBy(0)).toEqual(new Set([iso(NOW_MS - HOUR_MS)]));
    expect(timesBy(-HOUR_MS)).toEqual(new Set([iso(NOW_MS - 2 * HOUR_MS)]));
    expect(timesBy(3 * HOUR_MS)).toEqual(new Set([iso(NOW_MS)]));
    expect(timesBy(-Number.MAX_SAFE_INTEGER)).toEqual(new Set([iso(0)]));
    expect(datedByUs(record, 0, NOW_MS)).toEqual(record);
  }
  const never = minerRecord(1, NOW_MS, { document: { last_updated_at: null } });
  expect(datedByUs(never, -HOUR_MS, NOW_MS)).toMatchObject({ document: { last_updated_at: null } });
});

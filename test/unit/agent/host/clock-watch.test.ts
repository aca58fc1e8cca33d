// Steps of the wall clock are declared once each, kept in mind for an hour, and cost little however many they are.
import { expect, test } from 'vitest';
import { createClockWatch } from '../../../../src/agent/host/clock-watch.ts';
import { silentLog } from '../../../../src/base/log.ts';
import type { ReportRecord } from '../../../../src/wire/records.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;
const AGENT = '0198a7a2-0000-7000-8000-00000000000a';

function startWatch(earlierAgoMs = 5_000) {
  const clock = createVirtualClock(Date.UTC(2026, 0, 2, 3, 0, 0));
  const emitted: ReportRecord[] = [];
  const watch = createClockWatch({
    clock,
    log: silentLog,
    agentIds: [AGENT],
    emit: (record) => emitted.push(record),
    onStep() {},
  });
  watch.begin(clock.nowMs() - earlierAgoMs);
  const pass = async (seconds: number) => {
    for (let second = 0; second < seconds; second++) {
      await clock.advance(1_000);
      watch.look();
    }
  };
  const events = () => emitted.flatMap((record) => (record.kind === 'event' ? [record] : []));
  const gaps = () => emitted.flatMap((record) => (record.kind === 'gap' ? [record] : []));
  return { clock, watch, emitted, pass, events, gaps };
}

test.each([-24 * HOUR_MS, -HOUR_MS, HOUR_MS, 24 * HOUR_MS])(
  'a step of %i ms: a gap that counts nothing, an event, an hour in mind',
  async (stepMs) => {
    const { clock, watch, pass, emitted, events, gaps } = startWatch();
    await pass(30);
    expect(emitted).toEqual([]);
    clock.stepWall(stepMs);
    await pass(60);
    const fromMs = Date.UTC(2026, 0, 2, 3, 0, 31);
    const [from, to] = [fromMs, fromMs + stepMs].map((ms) => new Date(ms).toISOString());
    expect(events()).toEqual([
      { kind: 'event', type: 'clock_stepped', key: AGENT, at: to, detail: { from, to, step_ms: stepMs } },
    ]);
    const [first, last] = stepMs < 0 ? [to, from] : [from, to];
    expect(gaps()).toEqual([{ kind: 'gap', from: first, to: last, reason: 'clock', count: 0 }]);
    expect(watch.recent()).toEqual([{ stepMs, steps: 1, agoMs: 59_000 }]);
    await pass(3_540);
    expect(watch.recent()).toEqual([{ stepMs, steps: 1, agoMs: 3_599_000 }]);
    await pass(1);
    expect(watch.recent()).toEqual([]);
    expect(emitted).toHaveLength(2);
  },
);

test('a second more or less, and a suspend, are declared by nobody', async () => {
  const { clock, pass, emitted } = startWatch();
  for (const stepMs of [1_000, -1_000, 1_000]) {
    clock.stepWall(stepMs);
    await pass(5);
  }
  clock.suspend(8 * HOUR_MS);
  await pass(5);
  expect(emitted).toEqual([]);
});

test('a start before the end of the run before it is a step back', async () => {
  const { watch, events, gaps } = startWatch(-2 * HOUR_MS);
  const [from, to] = ['2026-01-02T05:00:00.000Z', '2026-01-02T03:00:00.000Z'];
  expect(events()).toMatchObject([{ at: to, detail: { from, to, step_ms: -2 * HOUR_MS } }]);
  expect(gaps()).toMatchObject([{ from: to, to: from, count: 0 }]);
  expect(watch.recent()).toEqual([{ stepMs: -2 * HOUR_MS, steps: 1, agoMs: 0 }]);
});

test('a start long after the run before it is none', () => {
  expect(startWatch(90 * 24 * HOUR_MS).emitted).toEqual([]);
});

test('a clock that two programs set by turns is declared ten times an hour, the rest in one', async () => {
  const { clock, pass, events, gaps } = startWatch();
  for (let turn = 0; turn < 300; turn++) {
    clock.stepWall(turn % 2 === 0 ? -60_000 : 60_000);
    await pass(1);
  }
  expect(events()).toHaveLength(10);
  await pass(3_600);
  expect(events()).toHaveLength(11);
  expect(events().at(-1)).toMatchObject({ detail: { steps: 290, step_ms: 0 } });
  const [from, to] = [gaps().at(-1)?.from, gaps().at(-1)?.to].map((iso) => Date.parse(iso ?? ''));
  expect((to ?? 0) - (from ?? 0)).toBeGreaterThanOrEqual(60_000 + 289_000);
});

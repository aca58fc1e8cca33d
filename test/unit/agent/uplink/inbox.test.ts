// A flood of frames leaves at least half of the time to everything else, and a few frames wait for nothing.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { createInbox } from '../../../../src/agent/uplink/inbox.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const TOOK_MS = 30;
const frame = (seq: number) => Buffer.from(JSON.stringify({ type: 'ack', epoch: randomUUID(), seq }));
const turn = () => new Promise((resolve) => setImmediate(resolve));

function rig() {
  const clock = createVirtualClock();
  const handled: { readonly count: number; readonly atMs: number }[] = [];
  const flow: string[] = [];
  const inbox = createInbox({
    async handle(frames) {
      handled.push({ count: frames.length, atMs: clock.monotonicMs() });
      await clock.advance(TOOK_MS);
    },
    onBad: (what) => flow.push(`bad ${what}`),
    onUnknown: (type) => flow.push(`unknown ${type}`),
    pause: () => flow.push('pause'),
    resume: () => flow.push('resume'),
    clock,
  });
  return { clock, handled, flow, inbox };
}

test('a flood is handled a part at a time, with a rest as long as each took, and read on when it is handled', async () => {
  const { clock, handled, flow, inbox } = rig();
  for (let seq = 1; seq <= 200; seq++) inbox.take(frame(seq), false);
  expect(flow).toEqual(['pause']);
  for (let round = 0; round < 20; round++) {
    await turn();
    await clock.advance(TOOK_MS);
  }
  expect(handled.map(({ count }) => count)).toEqual([64, 64, 64, 8]);
  const [first, ...others] = handled.map(({ atMs }) => atMs);
  for (const [index, atMs] of others.entries())
    expect(atMs - (first ?? 0)).toBeGreaterThanOrEqual((index + 1) * 2 * TOOK_MS);
  expect(flow).toEqual(['pause', 'resume']);
});

test('a few are followed by the next ones at once', async () => {
  const { handled, inbox, clock } = rig();
  inbox.take(frame(1), false);
  for (let round = 0; round < 5; round++) await turn();
  const beganMs = clock.monotonicMs();
  inbox.take(frame(2), false);
  for (let round = 0; round < 5; round++) await turn();
  expect(handled.map(({ count }) => count)).toEqual([1, 1]);
  expect(handled[1]?.atMs).toBe(beganMs);
});

import { expect, test } from 'vitest';
import { createElapsedTime } from '../../../../src/base/time/elapsed-time.ts';

/** A host whose three clocks are moved by hand. Its uptime is told in steps of 10 ms. */
function host() {
  let monotonicMs = 5_000;
  let wallMs = 1_700_000_000_000;
  let uptimeMs = 86_400_003;
  let reads = 0;
  return {
    sources: {
      monotonicMs: () => monotonicMs,
      wallMs: () => wallMs,
      uptimeMs: () => {
        reads++;
        return Math.floor(uptimeMs / 10) * 10;
      },
    },
    reads: () => reads,
    run(ms: number) {
      monotonicMs += ms;
      wallMs += ms;
      uptimeMs += ms;
    },
    suspend(ms: number) {
      wallMs += ms;
      uptimeMs += ms;
    },
    setWall(ms: number) {
      wallMs += ms;
    },
  };
}

test('it goes with monotonic time, and reads the uptime ten times a second at most', () => {
  const it = host();
  const elapsedMs = createElapsedTime(it.sources);
  const startMs = elapsedMs();
  const readBefore = it.reads();
  for (let ms = 0; ms < 10_000; ms++) {
    it.run(1);
    const off = elapsedMs() - startMs - (ms + 1);
    // The uptime comes in steps of 10 ms.
    expect(off).toBeGreaterThanOrEqual(0);
    expect(off).toBeLessThan(10);
  }
  expect(it.reads() - readBefore).toBeLessThanOrEqual(100);
});

test('a suspend counts with the first question after it', () => {
  const it = host();
  const elapsedMs = createElapsedTime(it.sources);
  const before = elapsedMs();
  it.run(1);
  it.suspend(3_600_000);
  const after = elapsedMs() - before;
  expect(after).toBeGreaterThan(3_600_000 - 10);
  expect(after).toBeLessThanOrEqual(3_600_000 + 11);
});

test('a suspend during which the wall clock was set back counts within 0.1 s', () => {
  const it = host();
  const elapsedMs = createElapsedTime(it.sources);
  const before = elapsedMs();
  it.suspend(60_000);
  it.setWall(-60_000);
  it.run(100);
  expect(elapsedMs() - before).toBeGreaterThan(60_000);
});

test('no step of the wall clock moves it, and it never decreases', () => {
  const it = host();
  const elapsedMs = createElapsedTime(it.sources);
  let before = elapsedMs();
  const startMs = before;
  for (const stepMs of [7_200_000, -7_200_000, 40, -40, 3_000, -90_000]) {
    it.setWall(stepMs);
    for (let n = 0; n < 50; n++) {
      it.run(3);
      const now = elapsedMs();
      expect(now).toBeGreaterThanOrEqual(before);
      before = now;
    }
  }
  expect(Math.abs(before - startMs - 6 * 150)).toBeLessThan(10);
});

test('an uptime that stands still, as some containers show it, leaves monotonic time', () => {
  const it = host();
  const elapsedMs = createElapsedTime({ ...it.sources, uptimeMs: () => 12_000 });
  const before = elapsedMs();
  for (let n = 0; n < 20; n++) it.run(1_000);
  expect(elapsedMs() - before).toBe(20_000);
});

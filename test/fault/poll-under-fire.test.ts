// The poller while single miners poison or hang it and while the clock of the host is set: the rest goes on as if
// nothing were. On a virtual clock, so that hours take moments.
import { expect, test } from 'vitest';
import { createFarm, gapsOf, minersOf } from '../unit/agent/poll/farm.ts';
import { isFull, report } from './table.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const p99 = (values: readonly number[]) =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length * 0.99)] ?? Infinity;

test('half the farm hangs, and the cycle of the others is what it was', async () => {
  const miners = isFull ? 1_000 : 200;
  const healthy = minersOf(miners).filter((_, i) => i % 2 === 0);
  const cycles: number[] = [];
  let longestMs = 0;
  for (const isIll of [false, true]) {
    const { clock, poller, manners, timesOf, visits } = createFarm({ intervalMs: 15_000 });
    for (const [i, { key }] of minersOf(miners).entries()) if (isIll && i % 2 === 1) manners.set(key, 'hung');
    for (const miner of minersOf(miners)) poller.add(miner);
    poller.start();
    await clock.advance(10 * MINUTE);
    cycles.push(p99(healthy.flatMap(({ key }) => gapsOf(timesOf(key).slice(1)))));
    for (const { atMs, endMs } of visits) longestMs = Math.max(longestMs, (endMs ?? atMs) - atMs);
  }
  const [calmMs = 0, illMs = Infinity] = cycles;
  report({
    id: 'R13',
    value: `${miners / 2} of ${miners} hang (virtual clock): cycle p99 ${Math.round(calmMs)} -> ${Math.round(illMs)} ms, longest visit ${Math.round(longestMs)} ms of 15,000`,
    bar: 'p99 + <= 10 %, <= deadline + 250 ms',
    isMet: illMs <= calmMs * 1.1 && longestMs <= 15_250,
  });
});

test('a miner whose answers break the reader is set aside with growing pauses, and nobody else notices', async () => {
  const { clock, poller, manners, timesOf, resultsOf } = createFarm();
  manners.set('m3', 'poison');
  for (const miner of minersOf(50)) poller.add(miner);
  poller.start();
  await clock.advance(HOUR);
  const least = Math.min(...minersOf(50).flatMap(({ key }) => (key === 'm3' ? [] : [timesOf(key).length])));
  const pauses = gapsOf(resultsOf('m3').map(({ atMs }) => atMs)).map((gap) => Math.round(gap / MINUTE));
  expect(resultsOf('m3').every(({ result }) => result.kind === 'failed')).toBe(true);
  const isGrowing = pauses.slice(0, 3).every((pause, i, all) => i === 0 || pause >= (all[i - 1] ?? 0));
  report({
    id: 'R14',
    value: `poison for an hour: the others polled ${least} times or more of 60, its pauses ${pauses.slice(0, 5).join(', ')} min`,
    bar: 'others <= 1 cycle, growing pause',
    isMet: least >= 59 && isGrowing && Math.max(...pauses) >= 4,
  });
});

test('the host clock is set and suspended, and every miner is polled once per interval all the same', async () => {
  const { clock, poller, timesOf } = createFarm();
  for (const miner of minersOf(100)) poller.add(miner);
  poller.start();
  await clock.advance(3 * MINUTE);
  const steps = [1_000, -1_000, HOUR, -HOUR, 24 * HOUR, -24 * HOUR, 8 * HOUR];
  for (const step of steps) {
    clock.stepWall(step);
    await clock.advance(3 * MINUTE);
  }
  const gaps = minersOf(100).flatMap(({ key }) => gapsOf(timesOf(key).slice(1)));
  const [shortest, longest] = [Math.min(...gaps), Math.max(...gaps)];
  report({
    id: 'R20',
    value: `${steps.length} steps of the wall clock up to a day, a suspend of 8 h: polls ${(shortest / 1_000).toFixed(1)} to ${(longest / 1_000).toFixed(1)} s apart (interval 60 s)`,
    bar: 'no burst > 1 poll per miner, no negative duration',
    isMet: shortest >= 0.8 * MINUTE && longest <= 1.2 * MINUTE,
  });
});

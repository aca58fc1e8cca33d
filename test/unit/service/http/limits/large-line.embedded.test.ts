// The line of large requests: one at a time, the workspace that was served least goes first, waits are bounded in
// number and time, and a failure holds up nothing.
import { expect, test } from 'vitest';
import { createLargeLine } from '../../../../../src/service/http/limits/large-line.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const STAYS = new AbortController().signal;

function setUp() {
  const clock = createVirtualClock();
  const line = createLargeLine(clock, (why) => new Error(why));
  const served: string[] = [];
  let [atOnce, most] = [0, 0];
  const ask = (workspaceId: string, cost = 100, ms = 100, gone = STAYS) =>
    line.run({ workspaceId, cost, gone }, async () => {
      served.push(workspaceId);
      most = Math.max(most, ++atOnce);
      await clock.sleep(ms);
      atOnce--;
      return workspaceId;
    });
  return { clock, line, served, ask, most: () => most };
}

test('one at a time, and a workspace with many waiting is served no more often than one with few', async () => {
  const { clock, served, ask, most } = setUp();
  const all = [...Array.from({ length: 6 }, () => ask('a')), ask('b'), ask('b'), ask('c')];
  expect(await clock.finish(Promise.all(all))).toHaveLength(9);
  expect(most()).toBe(1);
  expect(served.slice(0, 5).toSorted()).toEqual(['a', 'a', 'b', 'b', 'c']);
  expect(served.slice(5)).toEqual(['a', 'a', 'a', 'a']);
});

test('cost counts: who asks for ten times as much is served a tenth as often', async () => {
  const { clock, served, ask } = setUp();
  const all = [
    ...Array.from({ length: 4 }, () => ask('dear', 100)),
    ...Array.from({ length: 20 }, () => ask('cheap', 10)),
  ];
  await clock.finish(Promise.all(all));
  expect(served.slice(0, 22).filter((one) => one === 'cheap')).toHaveLength(20);
  expect(served.at(-1)).toBe('dear');
});

test('who comes later has no credit for the time before', async () => {
  const { clock, served, ask } = setUp();
  const early = Array.from({ length: 20 }, () => ask('a'));
  await clock.advance(1_000);
  served.length = 0;
  const late = Array.from({ length: 20 }, () => ask('b'));
  await clock.finish(Promise.all([...early, ...late]));
  expect(served.slice(0, 8).filter((one) => one === 'a').length).toBeGreaterThanOrEqual(3);
});

test('a workspace has room for 64 that wait; the next is refused at once, those of others are not', async () => {
  const { clock, ask } = setUp();
  const waiting = Array.from({ length: 65 }, () => ask('a', 100, 1));
  await expect(ask('a')).rejects.toThrow('full');
  expect(await clock.finish(ask('b', 100, 1))).toBe('b');
  await clock.finish(Promise.all(waiting));
  expect(await clock.finish(ask('a', 100, 1))).toBe('a');
});

test('nobody waits longer than 10 s; those behind are served all the same', async () => {
  const { clock, ask, served } = setUp();
  const slow = ask('a', 100, 15_000);
  const late = ask('b').catch((error: Error) => error.message);
  await clock.advance(9_999);
  expect(served).toEqual(['a']);
  await clock.advance(1);
  expect(await late).toBe('late');
  const next = ask('b');
  await clock.finish(Promise.all([slow, next]));
  expect(served).toEqual(['a', 'b']);
  expect(clock.pending()).toBe(0);
});

test('work that fails makes room for the next', async () => {
  const { clock, line, ask } = setUp();
  const failed = line.run({ workspaceId: 'a', cost: 1, gone: STAYS }, () => Promise.reject(new Error('broken')));
  const next = ask('a');
  await expect(failed).rejects.toThrow('broken');
  expect(await clock.finish(next)).toBe('a');
});

test('whose client goes leaves the line, and one that had gone before does not enter it', async () => {
  const { clock, ask, served } = setUp();
  const first = ask('a');
  const client = new AbortController();
  const gone = ask('b', 100, 100, client.signal).catch((error: Error) => error.message);
  const last = ask('b');
  client.abort();
  expect(await gone).toBe('gone');
  await expect(ask('b', 100, 100, client.signal)).rejects.toThrow('gone');
  await clock.finish(Promise.all([first, last]));
  expect(served).toEqual(['a', 'b']);
  expect(clock.pending()).toBe(0);
});

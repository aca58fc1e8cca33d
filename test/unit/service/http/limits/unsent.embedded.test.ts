// Answers that wait for their readers: counted for each workspace and for all; the line of large requests waits for
// room of the workspace, and goes on with others meanwhile.
import { expect, test } from 'vitest';
import { createLargeLine } from '../../../../../src/service/http/limits/large-line.ts';
import { createUnsent } from '../../../../../src/service/http/limits/unsent.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';

const BOUNDS = { perWorkspace: 100, total: 250 };

test('a workspace has room below its bound, and all have below that of all', () => {
  const unsent = createUnsent();
  const room = () => ['a', 'b', 'c', 'd'].map((one) => unsent.hasRoom(one, BOUNDS));
  const first = unsent.add('a', 99);
  expect(room()).toEqual([true, true, true, true]);
  const second = unsent.add('a', 1);
  expect(room()).toEqual([false, true, true, true]);
  const others = [unsent.add('b', 99), unsent.add('c', 51)];
  expect(room()).toEqual([false, false, false, false]);
  first();
  expect(room()).toEqual([true, true, true, true]);
  second();
  for (const sent of others) sent();
  const whole = unsent.add('d', 1_000);
  expect(room()).toEqual([false, false, false, false]);
  whole();
  expect(room()).toEqual([true, true, true, true]);
});

test('a large request waits for room of its workspace, at most 10 s, and holds up no other', async () => {
  const clock = createVirtualClock();
  const unsent = createUnsent();
  const line = createLargeLine(
    clock,
    (why) => new Error(why),
    (workspaceId) => unsent.hasRoom(workspaceId, BOUNDS),
  );
  const served: string[] = [];
  const ask = (workspaceId: string) =>
    line.run({ workspaceId, cost: 1, gone: new AbortController().signal }, async () => void served.push(workspaceId));
  const sent = unsent.add('a', 100);
  const late = ask('a').catch((error: Error) => error.message);
  await ask('b');
  await clock.advance(10_000);
  expect(await late).toBe('late');
  const patient = ask('a');
  await clock.advance(9_999);
  expect(served).toEqual(['b']);
  sent();
  line.serveNext();
  await patient;
  expect(served).toEqual(['b', 'a']);
  expect(clock.pending()).toBe(0);
});

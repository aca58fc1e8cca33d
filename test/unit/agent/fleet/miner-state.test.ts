// When a miner that a task restarts is expected back.
import { expect, test } from 'vitest';
import { drivers } from '../../../../drivers/index.ts';
import { isExpectedBack, newMinerState, setRebooting } from '../../../../src/agent/fleet/miner-state.ts';
import { VisitMemory } from '../../../../src/driver/visit/memory.ts';

const [driver] = drivers;
if (driver === undefined) throw new Error('no driver');
const target = { ip: '10.0.0.1', driver, known: {}, memory: new VisitMemory() };

test('from the first moment of the reboot until it answers, for at most an hour after it', () => {
  const state = newMinerState('key-1', target, undefined);
  expect(isExpectedBack(state, 0)).toBe(false);
  setRebooting(state, true, 1_000);
  setRebooting(state, true, 2_000);
  expect([state.awaitedMs, isExpectedBack(state, 10 * 3_600_000)]).toEqual([1_000, true]);
  setRebooting(state, false, 3_000);
  expect([isExpectedBack(state, 4_000), isExpectedBack(state, 3_601_000)]).toEqual([true, false]);
  state.awaitedMs = undefined;
  expect(isExpectedBack(state, 4_000)).toBe(false);
});

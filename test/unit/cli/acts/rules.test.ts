// The rules of acts that need no miner: when a yes is needed, what is said before and after, and the exit code.
import { expect, test } from 'vitest';
import { candidatesFor, candidatesForStatus } from '../../../../src/cli/acts/candidates.ts';
import type { ActMiner, ActPreview, ActStep } from '../../../../src/cli/acts/runners/runner.ts';
import { formatEta, outlookLines } from '../../../../src/cli/acts/show/outlook.ts';
import { noteOf, secondsLeft } from '../../../../src/cli/acts/show/progress.ts';
import { questionFor } from '../../../../src/cli/acts/show/question.ts';
import { exitCodeOf, resultJson, resultLines, Tally } from '../../../../src/cli/acts/show/result.ts';
import type { BoardMiner } from '../../../../src/model/board/board-miner.ts';

const miner = (n: number, more: Partial<ActMiner> = {}): ActMiner => ({
  ...{ ip: `10.0.0.${n}`, mac: null, model: 'Bitmain Antminer S19', container: null, rack: null, position: null },
  ...more,
});
const miners = (count: number, more: Partial<ActMiner> = {}) =>
  Array.from({ length: count }, (_, n) => miner(n + 1, more));
const preview = (more: Partial<ActPreview>): ActPreview => ({
  ...{ miners: [], leftOut: [], atOnce: null, kw: null, etaS: null, workers: [] },
  ...more,
});
const step = (n: number, status: ActStep['status'], message: string | null = null): ActStep => ({
  ...{ ip: `10.0.0.${n}`, status, message, evidence: {} },
});
function tallyOf(...steps: readonly ActStep[]): Tally {
  const tally = new Tally();
  for (const each of steps) tally.take(each);
  return tally;
}

test.each([
  [{ count: 1 }, 'none'],
  [{ count: 0 }, 'none'],
  [{ count: 2 }, 'yes-or-no'],
  [{ count: 20 }, 'yes-or-no'],
  [{ count: 21 }, 'typed-count'],
  [{ count: 21, isAgreed: true }, 'none'],
  [{ count: 500, isReading: true }, 'none'],
  [{ count: 1, isTerminal: false }, 'none'],
  [{ count: 2, isTerminal: false }, 'cannot-ask'],
  [{ count: 2, isTerminal: false, isAgreed: true }, 'none'],
])('%o takes %s', (asked, question) => {
  expect(questionFor({ isAgreed: false, isReading: false, isTerminal: true, ...asked })).toBe(question);
});

test('before anything is sent it is said how many of which models are where, how many are left out and why', () => {
  const some = [...miners(3, { rack: 'C03', container: '1' }), ...miners(2, { rack: 'C10', model: 'MicroBT M50' })];
  const leftOut = [
    { who: '10.0.0.8', reason: 'its driver vnish cannot do this' },
    { who: '10.0.0.9', reason: 'its driver vnish cannot do this' },
    { who: '10.0.0.7', reason: 'it is retired' },
  ];
  const lines = outlookLines(preview({ miners: some, leftOut, atOnce: 2, kw: 16.24, etaS: 95 }), { canary: 1 });
  expect(lines).toEqual([
    '5 miners: 3 Bitmain Antminer S19, 2 MicroBT M50',
    'in container 1 rack C03 (3), rack C10 (2)',
    'at most 2 at a time, 16.2 kW at full load, about 1m40s',
    'one goes first, 4 are held back until that is proven',
    '2 left out: its driver vnish cannot do this (10.0.0.8, 10.0.0.9)',
    '1 left out: it is retired (10.0.0.7)',
  ]);
});

test('one miner is named by its address and its location; what is not known is not said', () => {
  const one = miner(1, { rack: 'C03', position: 4 });
  expect(outlookLines(preview({ miners: [one], atOnce: 5 }), { canary: 3 })).toEqual([
    '1 miner: Bitmain Antminer S19 at 10.0.0.1',
    'in rack C03 position 4',
  ]);
  expect(outlookLines(preview({ miners: [miner(1, { model: null })] }), { canary: undefined })).toEqual([
    '1 miner: of unknown model at 10.0.0.1',
  ]);
});

test('of many models, addresses and reasons the first are named and the others counted', () => {
  const models = miners(40).map((each, n) => ({ ...each, model: `M${n % 10}` }));
  const leftOut = Array.from({ length: 30 }, (_, n) => ({ who: `10.0.1.${n}`, reason: `reason ${n % 15}` }));
  const lines = outlookLines(preview({ miners: models, leftOut }), { canary: undefined });
  expect(lines[0]).toBe('40 miners: 4 M0, 4 M1, 4 M2, 4 M3, 4 M4 and 5 more');
  expect(lines.filter((line) => line.includes('left out'))).toHaveLength(12);
  expect(lines.at(-1)).toBe('8 left out for other reasons');
});

test('the end counts what is proven, failed, cancelled and left out, and says why', () => {
  const tally = tallyOf(
    ...[step(1, 'running'), step(1, 'succeeded'), step(2, 'failed', 'it did not restart'), step(3, 'timeout')],
    ...[step(4, 'cancelled', 'cancelled before it was started')],
  );
  const leftOut = [{ who: '10.0.0.9', reason: 'it is retired' }];
  const ended = { tally, leftOut, batchIds: ['b1'], isInterrupted: false };
  expect(resultLines(ended, 'proven')).toEqual([
    '1 proven, 2 failed, 1 cancelled, 1 left out',
    '1 failed: it did not restart (10.0.0.2)',
    '1 failed: timeout (10.0.0.3)',
    '1 cancelled: cancelled before it was started (10.0.0.4)',
    '1 left out: it is retired (10.0.0.9)',
    'the failed ones again: pithead tasks retry b1',
  ]);
  expect(resultJson(ended)).toMatchObject({ proven: 1, failed: 2, cancelled: 1, left_out: leftOut, batch_ids: ['b1'] });
});

test.each([
  ['all proven', [step(1, 'succeeded')], false, 0],
  ['one failed', [step(1, 'succeeded'), step(2, 'failed')], false, 1],
  ['one too late', [step(1, 'timeout')], false, 1],
  ['one cancelled by others', [step(1, 'succeeded'), step(2, 'cancelled')], false, 1],
  ['interrupted, and all that was sent is proven', [step(1, 'succeeded')], true, 130],
])('exit code: %s', (_, steps, isInterrupted, code) => {
  expect(exitCodeOf({ tally: tallyOf(...steps), isInterrupted })).toBe(code);
});

test('the time that is left is what was foreseen, until the pace tells better', () => {
  const at = { over: 0, total: 40, etaS: 200, elapsedS: 50 };
  expect(secondsLeft(at)).toBe(150);
  expect(secondsLeft({ ...at, over: 30, elapsedS: 300 })).toBe(100);
  expect(secondsLeft({ ...at, over: 10, elapsedS: 400 })).toBe(1_200);
  expect(secondsLeft({ ...at, etaS: null })).toBeUndefined();
  expect(secondsLeft({ ...at, over: 40 })).toBeUndefined();
  const tally = tallyOf(step(1, 'running'), step(2, 'succeeded'), step(3, 'failed'));
  expect(noteOf(tally, { ...at, done: 'proven' })).toBe('1 running, 1 proven, 1 failed, 2m30s left');
  expect([1, 89.2, 91, 700].map(formatEta)).toEqual(['1s', '1m30s', '1m40s', '12m']);
});

const row = (more: Partial<BoardMiner> = {}): BoardMiner => ({
  ...{ id: 'id', key: 'key', agentId: 'a', ip: '10.0.0.1', mac: null, serial: null, hostname: null, make: null },
  ...{ model: null, algorithm: null, container: null, rack: null, position: null, driver: 'vnish', firmware: null },
  ...{ abilities: ['miner.system.reboot'], opsStatus: null, mode: null, isMining: true, isOnline: true },
  ...{ isUnknown: false, isHung: false, flags: 0, firstFlag: null, hashrateHs: null, expectedHs: null, powerW: null },
  ...{ tempC: null, fanRpm: null, pool: null, worker: null, uptimeS: null, seenAtMs: null, createdAtMs: null },
  ...more,
});

test.each([
  [{}, undefined],
  [{ opsStatus: 'maintenance' as const }, undefined],
  [{ opsStatus: 'retired' as const }, 'it is retired'],
  [{ key: null }, undefined],
  [{ key: null, agentId: null }, 'no agent serves it'],
  [{ abilities: [] }, 'its driver vnish cannot do this'],
])('a miner with %o can be rebooted, or it is said why not: %s', (more, reason) => {
  const { miners: going, leftOut } = candidatesFor('miner.system.reboot', [row(more)]);
  expect(leftOut.map((each) => each.reason)).toEqual(reason === undefined ? [] : [reason]);
  expect(going).toHaveLength(reason === undefined ? 1 : 0);
});

test('maintenance is given to miners without an ops status, and taken from those that have it', () => {
  const all = [row(), row({ opsStatus: 'maintenance' }), row({ opsStatus: 'transit' })];
  const on = candidatesForStatus({ from: null, to: 'maintenance' }, all);
  expect(on.miners).toEqual([all[0]]);
  expect(on.leftOut.map(({ reason }) => reason)).toEqual(['it is in maintenance already', 'its ops status is transit']);
  const off = candidatesForStatus({ from: 'maintenance', to: null }, all);
  expect(off.miners).toEqual([all[1]]);
  expect(off.leftOut.map(({ reason }) => reason)).toEqual(['it is in no maintenance', 'its ops status is transit']);
});

test('miners are listed in the order of a walk, however they were found', () => {
  const abilities = ['miner.system.reboot'] as const;
  const [unplaced, far, near] = [
    row({ ip: '10.31.3.9', abilities }),
    row({ ip: '10.31.3.1', abilities, container: 'C10', rack: 'C10-1', position: 1 }),
    row({ ip: '10.31.3.5', abilities, container: 'C2', rack: 'C2-1', position: 2 }),
  ];
  for (const found of [
    [unplaced, far, near],
    [far, near, unplaced],
  ])
    expect(candidatesFor('miner.system.reboot', found).miners).toEqual([near, far, unplaced]);
});

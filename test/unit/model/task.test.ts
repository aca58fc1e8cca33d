// The status of a batch follows from its tasks.
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  batchStatus,
  isFinal,
  shownParams,
  TASK_NAMES,
  TASK_STATUSES,
  type TaskStatus,
  taskNameSchema,
} from '../../../src/model/task.ts';

describe('the status of a batch', () => {
  test.each<[TaskStatus[], string]>([
    [['pending', 'pending'], 'pending'],
    [['pending', 'running'], 'running'],
    [['pending', 'succeeded'], 'running'],
    [['running', 'failed'], 'running'],
    [['succeeded', 'succeeded'], 'succeeded'],
    [['succeeded', 'failed'], 'partially_succeeded'],
    [['succeeded', 'timeout'], 'partially_succeeded'],
    [['succeeded', 'cancelled'], 'partially_succeeded'],
    [['failed', 'timeout'], 'failed'],
    [['failed', 'cancelled'], 'failed'],
    [['cancelled', 'cancelled'], 'cancelled'],
    [['timeout'], 'failed'],
  ])('%j is %s', (tasks, status) => {
    expect(batchStatus(tasks)).toBe(status);
  });

  test('does not depend on the order, and is final exactly when every task is', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom(...TASK_STATUSES), { minLength: 1 }), (tasks) => {
        const status = batchStatus(tasks);
        expect(batchStatus(tasks.toReversed())).toBe(status);
        expect(status === 'pending' || status === 'running').toBe(!tasks.every(isFinal));
      }),
    );
  });
});

test('pending and running tasks are open, the others are final', () => {
  expect(TASK_STATUSES.filter((status) => !isFinal(status))).toEqual(['pending', 'running']);
});

test('the task names are those of the interface, and refresh, password and login of v2', () => {
  expect(TASK_NAMES).toHaveLength(15);
  expect(taskNameSchema.safeParse('miner.system.reboot').success).toBe(true);
  expect(taskNameSchema.safeParse('miner.system.shutdown').success).toBe(false);
});

test.each([
  ['https://a.example/x.bin', 'https://a.example/x.bin'],
  ['https://u:p@a.example:8443/x.bin', 'https://***@a.example:8443/x.bin'],
  ['https://a.example/x.bin?token=t&v=1', 'https://a.example/x.bin?***'],
  ['no address', 'no address'],
])('what opens an address is not shown: %s', (url, shown) => {
  expect(shownParams({ url, sha256: 's' })).toEqual({ url: shown, sha256: 's' });
  // The trail of acts has the params inside of more.
  expect(shownParams({ params: { url }, many: [{ url }] })).toEqual({ params: { url: shown }, many: [{ url: shown }] });
});

test('passwords of pools are not shown', () => {
  const pool = { url: 'stratum+tcp://a:1', user: 'u' };
  expect(shownParams({ pools: [{ ...pool, password: 'p' }, pool], locked: true })).toEqual({
    pools: [{ ...pool, password: '***' }, pool],
    locked: true,
  });
});

test('what is called a secret is not shown, however deep it is', () => {
  expect(
    shownParams({
      force: true,
      apiKey: 'k',
      login: { user: 'u', Password: 'p', more: [{ auth_token: 't', note: 'n' }, 1, null] },
      secrets: ['a', 'b'],
    }),
  ).toEqual({
    force: true,
    apiKey: '***',
    login: { user: 'u', Password: '***', more: [{ auth_token: '***', note: 'n' }, 1, null] },
    secrets: '***',
  });
});

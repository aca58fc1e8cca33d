// What one connection makes of what the service says it has, and when a connection counts as alive. Pure.
import { expect, test } from 'vitest';
import { fits, isLongBacklog } from '../../../../src/agent/uplink/connection.ts';
import { isMoving } from '../../../../src/agent/uplink/socket.ts';

const position = { epoch: 'e', outbox: 'o', firstSeq: 5, ackedSeq: 4, nextSeq: 9 };

test('the account of the service fits when it has not more than was written, and lacks nothing that is gone here', () => {
  expect([3, 4, 8, 9].map((acked) => fits(position, acked))).toEqual([false, true, true, false]);
});

test('a backlog of more than 32 slices is long', () => {
  expect(isLongBacklog({ ...position, ackedSeq: 0, nextSeq: 33 })).toBe(false);
  expect(isLongBacklog({ ...position, ackedSeq: 0, nextSeq: 34 })).toBe(true);
});

test('bytes that leave are a sign of life, but not those of a ping alone', () => {
  expect(isMoving(8_192, 4_096)).toBe(true);
  expect(isMoving(8_192, 8_192)).toBe(false);
  expect(isMoving(4_096, 0)).toBe(false);
});

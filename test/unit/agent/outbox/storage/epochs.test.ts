// What becomes of an uplink's epochs when its peer confirms slices, when a backlog gets an epoch of its own, when the
// peer has other slices, and when rows are missing.
import { beforeEach, expect, test } from 'vitest';
import {
  acknowledged,
  byUplink,
  newCursor,
  renewed,
  split,
  waitingIn,
} from '../../../../../src/agent/outbox/storage/epochs.ts';

let made = 0;
const newEpoch = () => `new-${++made}`;
beforeEach(() => {
  made = 0;
});

const first = newCursor('farm', 'a', 10, 20);
const open = newCursor('farm', 'b', 20);

test('a number is news only when it is above what is confirmed and at most what was written', () => {
  const epochs = [first, open] as const;
  expect(acknowledged(epochs, { epoch: 'a', seq: 4, nextId: 25 })).toEqual({
    epochs: [{ ...first, acked: 14 }, open],
    done: [],
  });
  expect(acknowledged(epochs, { epoch: 'b', seq: 4, nextId: 25 })?.epochs).toEqual([first, { ...open, acked: 24 }]);
  for (const [epoch, seq] of [
    ['a', 0],
    ['a', 11],
    ['a', 1.5],
    ['b', 5],
    ['b', -1],
    ['c', 1],
  ] as const)
    expect(acknowledged(epochs, { epoch, seq, nextId: 25 })).toBeUndefined();
});

test('an epoch is over when it is confirmed whole, from the front only; the open one never is', () => {
  const middle = newCursor('farm', 'm', 20, 22);
  const last = newCursor('farm', 'z', 22);
  const part = acknowledged([first, middle, last], { epoch: 'm', seq: 2, nextId: 25 });
  expect(part?.done).toEqual([]);
  expect(part?.epochs).toHaveLength(3);
  const whole = part && acknowledged(part.epochs, { epoch: 'a', seq: 10, nextId: 25 });
  expect(whole?.done.map(({ epoch }) => epoch)).toEqual(['a', 'm']);
  expect(whole?.epochs).toEqual([last]);
  expect(acknowledged([open], { epoch: 'b', seq: 4, nextId: 25 })?.done).toEqual([]);
});

test('a backlog is closed where it ends, and what follows has its own epoch; without a backlog nothing is closed', () => {
  expect(split([open], 25, newEpoch)).toEqual([{ ...open, through: 24 }, newCursor('farm', 'new-1', 24)]);
  expect(split([{ ...open, acked: 24 }], 25, newEpoch)).toBeUndefined();
  expect(waitingIn(open, 25)).toBe(4);
  expect(waitingIn({ ...first, acked: 14 }, 25)).toBe(6);
});

test('a peer that has less gets what it lacks under a new epoch, and only what is still kept', () => {
  const acked = { ...open, acked: 23 };
  expect(renewed([acked], { epoch: 'b', peerAckedSeq: 1 }, { nextId: 30, deletedThrough: 0 }, newEpoch)).toEqual([
    newCursor('farm', 'new-1', 21),
  ]);
  expect(renewed([acked], { epoch: 'b', peerAckedSeq: 1 }, { nextId: 30, deletedThrough: 23 }, newEpoch)).toEqual([
    newCursor('farm', 'new-2', 23),
  ]);
});

test('a peer that has more than was ever written gets all that it has not confirmed', () => {
  const acked = { ...open, acked: 23 };
  expect(renewed([acked], { epoch: 'b', peerAckedSeq: 99 }, { nextId: 30, deletedThrough: 0 }, newEpoch)).toEqual([
    newCursor('farm', 'new-1', 23),
  ]);
});

test('of an epoch behind another one the confirmed part stays accounted for', () => {
  expect(renewed([first, open], { epoch: 'b', peerAckedSeq: 3 }, { nextId: 30, deletedThrough: 0 }, newEpoch)).toEqual([
    first,
    { ...open, acked: 23, through: 23 },
    newCursor('farm', 'new-1', 23),
  ]);
});

test('a missing row is replaced by a new epoch for the same slices', () => {
  const { epochsOf, made: named } = byUplink(
    [first, newCursor('farm', 'c', 25), newCursor('other', 'o', 8, 9)],
    8,
    newEpoch,
  );
  expect(epochsOf.get('farm')).toEqual([
    newCursor('farm', 'new-1', 8, 10),
    first,
    newCursor('farm', 'new-2', 20, 25),
    newCursor('farm', 'c', 25),
  ]);
  expect(epochsOf.get('other')).toEqual([newCursor('other', 'o', 8, 9), newCursor('other', 'new-3', 9)]);
  expect(named).toEqual(['new-1', 'new-2', 'new-3']);
});

// What waits for the network: bounded, in order, in the name of who wrote it, and read with care from what a browser
// has kept.
import fc from 'fast-check';
import { expect, it } from 'vitest';
import {
  MOST_WAITING,
  nextWaiting,
  readWaiting,
  requestOf,
  type Waiting,
  withoutWaiting,
  withProblem,
  withWaiting,
  writeWaiting,
} from '../../../src/page/model/field/waiting.ts';

const waiting = (key: string, with_: Partial<Waiting> = {}): Waiting => ({
  ...{ key, atMs: 5, person: { id: 'p1', name: 'Ana' }, minerId: 'm 1', ip: '10.0.0.1', problem: null },
  what: { kind: 'note', text: 'fan ordered' },
  ...with_,
});
const place = { kind: 'place', rack: 'C03', position: 4, label: 'C03-4' } as const;

it('is sent in the order in which it was written, only for its own person, and not again when it was refused', () => {
  const list = [
    waiting('a', { problem: 'taken' }),
    waiting('b', { person: { id: 'p2', name: 'Bo' } }),
    ...[waiting('c'), waiting('d')],
  ];
  expect(nextWaiting(list, 'p1')?.key).toBe('c');
  expect(nextWaiting(list, 'p2')?.key).toBe('b');
  expect(nextWaiting(list, '')).toBeUndefined();
  expect(nextWaiting(withoutWaiting(list, 'c'), 'p1')?.key).toBe('d');
  expect(nextWaiting(withProblem(list, 'c', 'no'), 'p1')?.key).toBe('d');
});

it('is bounded', () => {
  const full = Array.from({ length: MOST_WAITING }, (_, n) => waiting(`${n}`));
  expect(withWaiting(full, waiting('more'))).toBeUndefined();
  expect(withWaiting(full.slice(1), waiting('more'))).toHaveLength(MOST_WAITING);
  expect(readWaiting(JSON.stringify([...full, waiting('more')]))).toHaveLength(MOST_WAITING);
});

it('becomes a request of notes or of locations, never of a task', () => {
  expect(requestOf(waiting('a'))).toEqual({ path: 'miners/m%201/notes', body: { text: 'fan ordered' } });
  expect(requestOf(waiting('a', { what: place }))).toEqual({
    path: 'location-changes',
    body: { miners: [{ miner: 'm 1', rack: 'C03', position: 4 }], swap: false },
  });
});

it('is read as it was written; nothing is kept of an empty list', () => {
  const list = [waiting('a'), waiting('b', { what: place, problem: 'the slot is taken' })];
  expect(readWaiting(writeWaiting(list))).toEqual(list);
  expect(writeWaiting([])).toBeUndefined();
  expect(readWaiting(undefined)).toEqual([]);
});

it('is read without what is no such change, whatever was kept', () => {
  const order = { ...waiting('x'), what: { kind: 'reboot' } };
  expect(readWaiting(JSON.stringify([order, waiting('a'), null, 5, 'b', {}]))).toEqual([waiting('a')]);
  for (const text of ['', '{', 'null', '{"a":1}', '7']) expect(readWaiting(text)).toEqual([]);
  fc.assert(
    fc.property(fc.array(fc.jsonValue()), (values) => {
      for (const each of readWaiting(JSON.stringify(values))) expect(typeof each.key).toBe('string');
    }),
  );
});

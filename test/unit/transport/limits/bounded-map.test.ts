import { expect, test } from 'vitest';
import { BoundedMap } from '../../../../src/transport/limits/bounded-map.ts';

test('a full map forgets the entry that was read or written longest ago', () => {
  const map = new BoundedMap<number>(2);
  map.set('a', 1).set('b', 2);
  expect(map.get('a')).toBe(1);
  map.set('c', 3);
  expect([...map.keys()]).toEqual(['a', 'c']);
  map.set('a', 4).set('d', 5);
  expect([...map]).toEqual([
    ['a', 4],
    ['d', 5],
  ]);
});

test('what it does not hold it does not make, and a new value of a known key costs no place', () => {
  const map = new BoundedMap<number>(2);
  expect(map.get('a')).toBeUndefined();
  expect(map.size).toBe(0);
  map.set('a', 1).set('b', 2).set('b', 3);
  expect(map.get('a')).toBe(1);
});

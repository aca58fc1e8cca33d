// Locations as people write and read them.
import { expect, test } from 'vitest';
import { locationLabel, parseLocation, shownLocation } from '../../../../src/model/locations/location.ts';

test.each([
  ['C03/12', { rack: 'C03', position: 12 }],
  ['C03 / 12', { rack: 'C03', position: 12 }],
  ['C03', { rack: 'C03', position: null }],
  ['hall 1/C03/012', { rack: 'hall 1/C03', position: 12 }],
  ['hall 1/C03', { rack: 'hall 1/C03', position: null }],
  ['C03/0', undefined],
  ['/12', undefined],
  ['', undefined],
  ["'C03", undefined],
  ['C\n3/1', undefined],
  [`${'x'.repeat(65)}/1`, undefined],
])('%s', (text, expected) => {
  expect(parseLocation(text)).toEqual(expected);
});

test('a label names rack and position', () => {
  expect(locationLabel({ rack: 'C03', position: 12 })).toBe('C03-12');
  expect(locationLabel({ rack: 'C03', position: null })).toBe('C03');
  expect([locationLabel({ rack: null, position: null }), shownLocation({ rack: null, position: null })]).toEqual([
    undefined,
    'no rack',
  ]);
});

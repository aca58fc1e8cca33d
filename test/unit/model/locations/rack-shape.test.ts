// Positions of a rack: each is one slot, whichever corner is the first and however the numbers run.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import {
  capacityOf,
  cellOf,
  DIRECTIONS,
  FIRST_CORNERS,
  positionOf,
  type RackShape,
  slotsOf,
} from '../../../../src/model/locations/rack-grid.ts';

const shapes = fc.record({
  rows: fc.integer({ min: 1, max: 12 }),
  columns: fc.integer({ min: 1, max: 12 }),
  first: fc.constantFrom(...FIRST_CORNERS),
  direction: fc.constantFrom(...DIRECTIONS),
  serpentine: fc.boolean(),
});

test('every position of every shape is one slot, and every slot one position', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const slots = slotsOf(shape);
      expect(slots.map(({ position }) => position)).toEqual(
        Array.from({ length: capacityOf(shape) }, (_, index) => index + 1),
      );
      expect(new Set(slots.map(({ row, column }) => `${row} ${column}`)).size).toBe(shape.rows * shape.columns);
      for (const { position, row, column } of slots) {
        expect([row >= 1 && row <= shape.rows, column >= 1 && column <= shape.columns]).toEqual([true, true]);
        expect(positionOf(shape, { row, column })).toBe(position);
        expect(cellOf(shape, position)).toEqual({ row, column });
      }
    }),
  );
});

test('neighbours of a serpentine rack touch', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      const slots = slotsOf({ ...shape, serpentine: true });
      for (const [index, { row, column }] of slots.entries()) {
        const next = slots[index + 1];
        if (next !== undefined) expect(Math.abs(next.row - row) + Math.abs(next.column - column)).toBe(1);
      }
    }),
  );
});

test('what the rack does not have is undefined', () => {
  fc.assert(
    fc.property(shapes, (shape) => {
      for (const position of [0, -1, 1.5, Number.NaN, capacityOf(shape) + 1])
        expect(cellOf(shape, position)).toBeUndefined();
      for (const cell of [
        { row: 0, column: 1 },
        { row: 1, column: 0 },
        { row: shape.rows + 1, column: 1 },
        { row: 1, column: shape.columns + 1 },
        { row: 1.5, column: 1 },
      ])
        expect(positionOf(shape, cell)).toBeUndefined();
    }),
  );
});

/** The numbers as they are painted on a rack of two rows and three columns. */
function painted(shape: Omit<RackShape, 'rows' | 'columns'>): string {
  const whole = { rows: 2, columns: 3, ...shape };
  const row = (number: number) => [1, 2, 3].map((column) => positionOf(whole, { row: number, column })).join(' ');
  return `${row(1)} / ${row(2)}`;
}

test.each([
  ['top-left', 'rows', false, '1 2 3 / 4 5 6'],
  ['top-left', 'rows', true, '1 2 3 / 6 5 4'],
  ['top-right', 'rows', false, '3 2 1 / 6 5 4'],
  ['bottom-left', 'rows', false, '4 5 6 / 1 2 3'],
  ['bottom-left', 'rows', true, '6 5 4 / 1 2 3'],
  ['top-left', 'columns', false, '1 3 5 / 2 4 6'],
  ['bottom-right', 'columns', false, '6 4 2 / 5 3 1'],
  ['bottom-left', 'columns', true, '2 3 6 / 1 4 5'],
] as const)('from the %s along %s, serpentine %s: %s', (first, direction, serpentine, expected) => {
  expect(painted({ first, direction, serpentine })).toBe(expected);
});

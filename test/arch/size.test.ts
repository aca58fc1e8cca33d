// Files stay small: hard cap 400 lines, median at most 120, drivers 250 but for their
// simulated devices. Pure tables (`*.data.ts`) are exempt.
import { expect, test } from 'vitest';
import { isFarm, roomOf } from './rooms.ts';
import { programSources, sources } from './sources.ts';

const files = programSources('src', 'drivers', 'fixtures').filter(({ path }) => !path.endsWith('.data.ts'));

test('no file has more than 400 lines', () => {
  expect(files.filter(({ lines }) => lines.length > 400).map(({ path, lines }) => `${path}: ${lines.length}`)).toEqual(
    [],
  );
});

test('no driver file has more than 250 lines', () => {
  const drivers = files.filter(({ path }) => path.startsWith('drivers/') && !isFarm(roomOf(path)));
  expect(
    drivers.filter(({ lines }) => lines.length > 250).map(({ path, lines }) => `${path}: ${lines.length}`),
  ).toEqual([]);
});

test('the median file has at most 120 lines', () => {
  const sizes = files.map(({ lines }) => lines.length).toSorted((a, b) => a - b);
  expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(120);
});

/** But one that is set in columns, as a sum on paper. */
const COMMENT = /^\s*(\/\/(?! {3})|\/?\*)/;

test('a comment keeps to 120 columns, as code does', () => {
  const all = sources('src', 'drivers', 'fixtures', 'test', 'packaging').filter(
    ({ path }) => !path.endsWith('.data.ts'),
  );
  const wide = all.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) => (COMMENT.test(line) && [...line].length > 120 ? [`${path}:${index + 1}`] : [])),
  );
  expect(wide).toEqual([]);
});

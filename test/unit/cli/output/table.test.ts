// Tables fit the screen and lose nothing; into a pipe they are as wide as what they hold.
import measure from 'fast-string-truncated-width';
import { describe, expect, test } from 'vitest';
import { type Column, factTable, screenWidth, table } from '../../../../src/cli/output/table.ts';

type Row = { readonly ip: string; readonly model: string; readonly firmware: string; readonly message: string };

const COLUMNS: readonly Column<Row>[] = [
  { title: 'IP', text: ({ ip }) => ip },
  { title: 'MODEL', text: ({ model }) => model },
  { title: 'FIRMWARE', text: ({ firmware }) => firmware, under: 'MODEL' },
  { title: 'MESSAGE', text: ({ message }) => message },
];
const ROWS: readonly Row[] = [
  {
    ip: '10.0.0.1',
    model: 'Antminer S19 Pro',
    firmware: 'Tue Dec  6 16:12:30 CST 2022',
    message: 'hashes, but no share was accepted for 42 min, and then there is more to be said of it',
  },
  { ip: '10.0.0.22', model: '温度计型号', firmware: '👩‍👩‍👧 ab', message: 'x'.repeat(60) },
];

const linesAt = (width: number | undefined) => table(COLUMNS, ROWS, { width }).split('\n');
const widest = (lines: readonly string[]) => Math.max(...lines.map((line) => measure(line).width));
/** Every character that is not blank, in no order: what was wrapped or stacked is still there. */
const letters = (text: string) => [...text.replaceAll(/\s/g, '')].sort().join('');

describe.each([140, 100, 80, 60])('at %i columns', (width) => {
  test('no line is wider', () => expect(widest(linesAt(width))).toBeLessThanOrEqual(width));

  test('nothing is lost', () => {
    expect(letters(linesAt(width).join(''))).toBe(letters(linesAt(undefined).join('')));
  });
});

test('into a pipe a row is one line and whole', () => {
  const lines = linesAt(undefined);
  expect(lines).toHaveLength(1 + ROWS.length);
  for (const [place, { ip, model, firmware, message }] of ROWS.entries())
    for (const text of [ip, model, firmware, message]) expect(lines[place + 1]).toContain(text);
});

test('where the screen is too narrow a column stands under the one that it names, and words are wrapped', () => {
  const lines = linesAt(80);
  expect(lines[0]).toMatch(/^IP +MODEL +MESSAGE$/);
  expect(lines[1]).toMatch(/^ +FIRMWARE$/);
  expect(lines[2]).toContain('Antminer S19 Pro');
  expect(lines[3]).toContain('Tue Dec  6 16:12:30 CST 2022');
});

test('columns begin at the same place in each line, whatever their characters take on a screen', () => {
  const placeOf = (line: string | undefined, text: string) => measure(line?.slice(0, line.indexOf(text)) ?? '').width;
  const lines = linesAt(undefined);
  expect(placeOf(lines[2], 'xxx')).toBe(placeOf(lines[1], 'hashes'));
});

test.each(['abc', '温度', '한글a', 'cafe\u0301', '😀😀', '👩‍👩‍👧 ab'])(
  '%j takes the columns of a terminal that it takes',
  (text) => {
    const columns: readonly Column<string>[] = [
      { title: 'model', text: (row) => row },
      { title: 'end', text: () => '|' },
    ];
    const lines = table(columns, [text, 'abcdefgh'], { width: undefined }).split('\n').slice(1);
    expect(lines.map((line) => measure(line).width)).toEqual([11, 11]);
  },
);

test('numbers stand right, and a row is painted as a whole', () => {
  const columns: readonly Column<number>[] = [
    { title: 'W', align: 'right', text: (row) => row },
    { title: 'END', text: () => '|' },
  ];
  expect(table(columns, [5, 3250], { width: undefined, paintRow: (_, text) => `<${text}>` })).toBe(
    ['   W  END', '<   5  |>', '<3250  |>'].join('\n'),
  );
});

test('facts have no line of titles', () => {
  expect(
    factTable(
      [
        ['model', 'S19'],
        ['power', null],
      ],
      undefined,
    ),
  ).toBe('model  S19\npower');
});

test('a thousand rows are drawn at once', () => {
  const rows = Array.from({ length: 1_000 }, (_, index) => ROWS[index % 2]).filter((row) => row !== undefined);
  expect(table(COLUMNS, rows, { width: 80 }).split('\n').length).toBeGreaterThan(2_000);
});

test('the width is that of the terminal, and none into a pipe', () => {
  expect(screenWidth({ isTTY: true, columns: 132 })).toBe(132);
  expect(screenWidth({ isTTY: true, columns: 0 })).toBe(80);
  expect(screenWidth({ isTTY: false, columns: 132 })).toBeUndefined();
});

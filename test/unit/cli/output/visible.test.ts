// What peers say of themselves changes nothing for who reads it: in a line of the log, in a table, in a cell.
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { csvLine } from '../../../../src/cli/miners/scan.ts';
import { formatText } from '../../../../src/cli/output/format.ts';
import { createLog, visibleLine } from '../../../../src/cli/output/logging.ts';
import { rowLine, table } from '../../../../src/cli/output/table.ts';

const HOSTILE = 'S19\u202eorP\u200b\u2028x';

test('a line of the log stays one JSON object, whatever is in it', () => {
  const lines: string[] = [];
  const through = new PassThrough();
  const stream: NodeJS.WriteStream = Object.setPrototypeOf(through, WriteStream.prototype);
  Object.defineProperty(stream, 'write', { value: (chunk: string) => lines.push(chunk) > 0 });
  Object.defineProperty(stream, 'isTTY', { value: false });
  createLog({ stdout: stream, stderr: stream }, 'stdout', 'info').info({ model: HOSTILE }, 'found');
  expect(JSON.parse(lines.join(''))).toMatchObject({ model: 'S19 orP  x', msg: 'found' });
});

test.each([
  ['{"a":"\\u001b[31m"}', '{"a":" [31m"}'],
  // A backslash of the text itself, then letters.
  ['{"a":"C:\\\\u001b\\\\"}', '{"a":"C:\\\\u001b\\\\"}'],
  ['{"a":"\u202e\u0085","b":"x\\ny"}\n', '{"a":"  ","b":"x\\ny"}\n'],
])('%j is logged as %j', (json, line) => {
  expect(visibleLine(json)).toBe(line);
  expect(() => JSON.parse(line)).not.toThrow();
});

test('tables and cells show it as blanks', () => {
  const column = { title: 'model', width: 20, text: (row: string) => row };
  for (const shown of [table(['model'], [[HOSTILE]]), rowLine([column], HOSTILE), formatText(HOSTILE)]) {
    expect(shown).toContain('S19 orP');
    expect(shown).not.toMatch(/[\u202e\u200b\u2028]/);
  }
  expect(formatText('\u200b')).toBe('–');
});

test.each([
  ['abc', 'abc     |'],
  ['abcdefgh', 'abcde…  |'],
  ['温度', '温度    |'],
  ['温度计型号', '温度…   |'],
  ['한글a', '한글a   |'],
  ['cafe\u0301', 'cafe\u0301    |'],
  ['😀😀😀😀', '😀😀…   |'],
  ['👩‍👩‍👧 ab', '👩‍👩‍👧 ab   |'],
])('%j takes the columns of a terminal that it takes, and no more than it may', (text, row) => {
  const columns = [
    { title: 'model', width: 6, text: (shown: string) => shown },
    { title: 'end', width: 1, text: () => '|' },
  ];
  expect(rowLine(columns, text)).toBe(row);
  expect(rowLine([{ title: 'n', width: 6, align: 'right', text: () => text }], '').trim()).toBe(
    row.slice(0, -3).trim(),
  );
});

test('a drawn table has its borders under each other, whatever stands in it', () => {
  const lines = table(
    ['model', 'n'],
    [
      ['S19', 1],
      ['温度计', 2],
      ['cafe\u0301', 3],
    ],
  ).split('\n');
  // Each of the wide ones takes two.
  const widths = lines.map(
    (line) => [...line.replaceAll('\u0301', '')].length + [...line.matchAll(/[温度计]/gu)].length,
  );
  expect(new Set(widths).size).toBe(1);
});

test.each(['=cmd|calc!A0', '+1', '-1+1', '@SUM(A1)', '\t=1', '\r=1', '\u200b=1', '\u202e=1', '\u3000=1'])(
  'a spreadsheet runs nothing of %j',
  (hostile) => {
    const line = csvLine(['10.0.0.1', hostile, 12]);
    const [, cell = ''] = /^10\.0\.0\.1,"?(.*?)"?,12$/s.exec(line) ?? [];
    expect(cell).not.toBe('');
    expect(cell).not.toMatch(/^\s*[=+@-]/u);
    expect(cell).not.toMatch(/^[\t\r]/);
  },
);

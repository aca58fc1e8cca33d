// What peers say of themselves changes nothing for who reads it: in a line of the log, in a table, in a cell.
import { PassThrough } from 'node:stream';
import { WriteStream } from 'node:tty';
import { expect, test } from 'vitest';
import { csvLine } from '../../../../src/cli/output/csv.ts';
import { formatText } from '../../../../src/cli/output/format.ts';
import { createLog, visibleLine } from '../../../../src/cli/output/logging.ts';
import { table } from '../../../../src/cli/output/table.ts';

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
  const columns = [{ title: 'model', text: (row: string) => row }];
  for (const shown of [table(columns, [HOSTILE], { width: undefined }), formatText(HOSTILE)]) {
    expect(shown).toContain('S19 orP');
    expect(shown).not.toMatch(/[\u202e\u200b\u2028]/);
  }
  expect(formatText('\u200b')).toBe('–');
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

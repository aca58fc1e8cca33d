import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readInput } from '../../../src/cli/options.ts';

test('the standard input is read as text, also where a letter lies in two chunks', async () => {
  const bytes = Buffer.from('rack:Ж03\n');
  expect(await readInput('selector', Readable.from([bytes.subarray(0, 6), bytes.subarray(6)]))).toBe('rack:Ж03\n');
});

test('an input without an end is refused', async () => {
  function* endless() {
    for (;;) yield Buffer.alloc(1024 * 1024, 'x');
  }
  const input = Readable.from(endless());
  await expect(readInput('--password-file', input)).rejects.toMatchObject({
    problems: [{ path: '--password-file', message: 'more than 16 MiB come from the standard input' }],
  });
  expect(input.destroyed).toBe(true);
});

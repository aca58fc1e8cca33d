// A file that is replaced is whole, is for whom it is meant, and leaves nothing behind.
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { writeFileAtomic } from '../../../../src/base/storage/atomic-file.ts';

const folder = mkdtempSync(join(tmpdir(), 'pithead-whole-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test('what was there before, and what a kill has left half done, leaves no trace and opens nothing', () => {
  const path = join(folder, 'secret');
  writeFileSync(path, 'a longer text than the new one', { mode: 0o644 });
  writeFileSync(`${path}.new`, 'half of a longer text than the new one', { mode: 0o644 });
  writeFileAtomic(path, 'new', 0o600);
  expect(readFileSync(path, 'utf8')).toBe('new');
  expect(readdirSync(folder)).toEqual(['secret']);
  if (process.platform !== 'win32') expect(statSync(path).mode & 0o777).toBe(0o600);
});

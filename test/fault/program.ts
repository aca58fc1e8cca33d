// The program as it is shipped, in one file, with code of a test before its own: it starts in half the time that the sources take.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { transformSync } from 'esbuild';
import { bundle } from '../../packaging/binary/bundle.ts';

/** Gives its path in `folder`. `before` is a file of this folder. */
export function buildProgram(folder: string, before: string): Promise<string> {
  const source = readFileSync(join(import.meta.dirname, before), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
  return bundle(join(import.meta.dirname, '..', '..'), folder, { prepend: `(() => {${code}})();` });
}

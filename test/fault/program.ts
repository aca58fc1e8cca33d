// Programs in one file, which start in half the time that their sources take: the one that is shipped, with code of a
// test before its own, and others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { buildSync, transformSync } from 'esbuild';
import { bundle } from '../../packaging/binary/bundle.ts';

/** Gives its path in `folder`. `before` is a file of this folder. */
export function buildProgram(folder: string, before: string): Promise<string> {
  const source = readFileSync(join(import.meta.dirname, before), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
  return bundle(join(import.meta.dirname, '..', '..'), folder, { prepend: `(() => {${code}})();` });
}

/** Gives the path in `folder` of a program whose sources begin with a file of this one. */
export function buildOther(folder: string, entry: string): string {
  const outfile = join(folder, `${entry}.mjs`);
  buildSync({
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'esm',
    external: ['pg-native', 'bufferutil', 'utf-8-validate'],
    // Libraries of the other kind of module want it.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

// The whole program as one CommonJS file: what goes into a binary. The same sources give the same bytes.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

/** Gives the path of the bundle in `folder`. */
export async function bundle(root: string, folder: string): Promise<string> {
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'pithead.cjs');
  await build({
    absWorkingDir: root,
    entryPoints: ['src/main.ts'],
    outfile,
    bundle: true,
    platform: 'node',
    target: 'node24',
    format: 'cjs',
    minify: true,
    // Names of errors and of functions are seen by people, in logs.
    keepNames: true,
    legalComments: 'none',
    // Optional companions that the libraries try to load and do without.
    external: ['pg-native', 'bufferutil', 'utf-8-validate', 'osx-temperature-sensor'],
    logLevel: 'warning',
  });
  return outfile;
}

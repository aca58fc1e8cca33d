// Programs in one file, which start in half the time that their sources take: the one that is shipped, with code of a
// test before its own, and others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, buildSync, transformSync } from 'esbuild';
import { bundle } from '../../packaging/binary/bundle.ts';
import { WORKER_BUNDLE } from '../../src/service/http/pages/page-thread.ts';

/** Gives its path in `folder`. `before` is a file of this folder. */
export function buildProgram(folder: string, before: string): Promise<string> {
  const source = readFileSync(join(import.meta.dirname, before), 'utf8');
  const { code } = transformSync(source, { loader: 'ts', format: 'cjs' });
  return bundle(join(import.meta.dirname, '..', '..'), folder, { prepend: `(() => {${code}})();` });
}

/** Gives the path in `folder` of a program whose sources begin with a file of this one. */
export function buildOther(folder: string, entry: string): string {
  const outfile = join(folder, `${entry}.mjs`);
  const options: BuildOptions = {
    bundle: true,
    platform: 'node',
    target: 'node24',
    external: ['pg-native', 'bufferutil', 'utf-8-validate'],
  };
  const worker = join(import.meta.dirname, '..', '..', 'src', 'service', 'http', 'pages', 'worker.ts');
  buildSync({ ...options, entryPoints: [worker], outfile: join(folder, WORKER_BUNDLE), format: 'cjs' });
  buildSync({
    ...options,
    entryPoints: [join(import.meta.dirname, entry)],
    outfile,
    format: 'esm',
    // Libraries of the other kind of module want it.
    banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
    logLevel: 'error',
  });
  return outfile;
}

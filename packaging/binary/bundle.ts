// The whole program as one CommonJS file, and what runs in a thread of its own as another: what goes into a binary. The
// same sources give the same bytes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type BuildOptions, build, type Plugin } from 'esbuild';
import { WORKER_BUNDLE } from '../../src/service/http/pages/page-thread.ts';

export type BundleOptions = {
  /** JSON of the root keys whose updates this build takes; absent = it takes none. */
  readonly pins?: string | undefined;
  /** For tests of updates: another version than that of the sources, and code that runs before all other. */
  readonly version?: string | undefined;
  readonly prepend?: string | undefined;
};

const COMMON: BuildOptions = {
  bundle: true,
  platform: 'node',
  target: 'node24',
  format: 'cjs',
  // Names of errors and of functions are seen by people, in logs, so they stay as they are. To shorten them and to
  // give each function its name when it comes to be took 20,000 tables of properties, and twice the memory to read
  // the program.
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  // Optional companions that the libraries try to load and do without.
  external: ['pg-native', 'bufferutil', 'utf-8-validate', 'osx-temperature-sensor'],
  logLevel: 'warning',
};

/**
 * Gives the path of the bundle in `folder`. Beside it lie that of the thread, and in `pithead.meta.json` what each
 * source put into the program; the thread has nothing that the program has not.
 */
export async function bundle(root: string, folder: string, options: BundleOptions = {}): Promise<string> {
  const { pins, version, prepend } = options;
  mkdirSync(folder, { recursive: true });
  const outfile = join(folder, 'pithead.cjs');
  const own = { ...COMMON, absWorkingDir: root, plugins: version === undefined ? [] : [withVersion(version)] };
  await build({
    ...own,
    entryPoints: ['src/service/http/pages/worker.ts'],
    outfile: join(folder, WORKER_BUNDLE),
  });
  const { metafile } = await build({
    ...own,
    metafile: true,
    entryPoints: ['src/main.ts'],
    outfile,
    define: {
      // What lies beside the sources is an asset of the executable; a bundle alone finds nothing there.
      'import.meta.dirname': '__dirname',
      ...(pins !== undefined && { PITHEAD_UPDATE_PINS: JSON.stringify(pins) }),
    },
    banner: prepend === undefined ? {} : { js: prepend },
  });
  writeFileSync(join(folder, 'pithead.meta.json'), JSON.stringify(metafile));
  return outfile;
}

const withVersion = (version: string): Plugin => ({
  name: 'version',
  setup(building) {
    building.onLoad({ filter: /[\\/]base[\\/]version\.ts$/ }, () => ({
      contents: `export const VERSION = ${JSON.stringify(version)};`,
    }));
  },
});

// The whole program as CommonJS files, and what runs in a thread of its own as another: what goes into a binary. The
// same sources give the same bytes.
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, constants } from 'node:zlib';
import { type BuildOptions, build, type Plugin, type TransformOptions, transform } from 'esbuild';
import { PAGE_ASSET } from '../../src/service/http/page/assets.ts';
import { WORKER_BUNDLE } from '../../src/service/http/pages/page-thread.ts';
import { buildPage } from '../page/build.ts';
import { PARTS } from './parts.ts';

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

/** What Node runs without its loader of modules, which no executable has: `import()` gives a part of the program. */
const COMMON_JS: TransformOptions = {
  format: 'cjs',
  // The parts are read byte by byte.
  charset: 'ascii',
  target: 'node24',
  supported: { 'dynamic-import': false },
  minifyWhitespace: true,
  legalComments: 'none',
};

/**
 * Gives the path of the program in `folder`, which begins where the command line does. Beside it lie its parts, the
 * bundle of the thread, the web page, and in `pithead.meta.json` what each source put into them; the thread has nothing
 * that the program has not.
 */
export async function bundle(root: string, folder: string, options: BundleOptions = {}): Promise<string> {
  const { pins, version, prepend = '' } = options;
  const own = {
    ...COMMON,
    absWorkingDir: root,
    plugins: [withoutUnused, ...(version === undefined ? [] : [withVersion(version)])],
  };
  const parts = join(folder, PARTS);
  rmSync(parts, { recursive: true, force: true });
  mkdirSync(parts, { recursive: true });
  await build({
    ...own,
    format: 'cjs',
    entryPoints: ['src/service/http/pages/worker.ts'],
    outfile: join(folder, WORKER_BUNDLE),
  });
  const { metafile, outputFiles } = await build({
    ...own,
    metafile: true,
    write: false,
    // What only some commands need comes in parts of its own.
    format: 'esm',
    splitting: true,
    entryPoints: ['src/main.ts'],
    outdir: parts,
    define: {
      // What lies beside the sources is an asset of the executable; a bundle alone finds nothing there.
      'import.meta.dirname': '__dirname',
      ...(pins !== undefined && { PITHEAD_UPDATE_PINS: JSON.stringify(pins) }),
    },
  });
  for (const { path, text } of outputFiles) {
    const { code } = await transform(text, COMMON_JS);
    writeFileSync(path, brotliCompressSync(code.replace(STRICT, ''), PACKING));
  }
  const program = join(folder, 'pithead.cjs');
  writeFileSync(program, `${prepend}${await partLoader()}require('./main.js');`);
  const page = await buildPage(root, metafile.inputs);
  writeFileSync(join(folder, PAGE_ASSET), JSON.stringify(page.assets));
  const inputs = { ...metafile.inputs, ...page.metafile.inputs };
  writeFileSync(join(folder, 'pithead.meta.json'), JSON.stringify({ ...metafile, inputs }));
  return program;
}

const PACKING = { params: { [constants.BROTLI_PARAM_QUALITY]: 9 } };

/** Some libraries were not written for it. */
const STRICT = /^"use strict";/;

/** Puts another `require` in the place of Node's. */
async function partLoader(): Promise<string> {
  const source = readFileSync(join(import.meta.dirname, 'parts.ts'), 'utf8');
  const { code } = await transform(source, { ...COMMON_JS, loader: 'ts' });
  return `require=(()=>{const module={};${code}return module.exports})().requireParts(require,__dirname);`;
}

/** Of these libraries the index names parts that the program never uses, and that each start would read. */
const UNUSED = [
  { index: /undici[\\/]index\.js$/, parts: /^\.\/lib\/(mock|web|cache|interceptor)\// },
  { index: /systeminformation[\\/]lib[\\/]index\.js$/, parts: /^\.\/(?!memory|util)/ },
  { index: /zod[\\/]v4[\\/]locales[\\/]index\.js$/, parts: /^\.\/(?!en\.js)/ },
];

/** Whatever is asked of it is a class without content, because an index also makes instances. */
const UNUSED_MODULE = 'module.exports = new Proxy(class LeftOutOfTheProgram {}, { get: (it) => it });';

const withoutUnused: Plugin = {
  name: 'without-unused',
  setup(building) {
    for (const { index, parts } of UNUSED) {
      building.onResolve({ filter: /^\.\// }, ({ path, importer }) =>
        index.test(importer) && parts.test(path) ? { path, namespace: 'unused' } : undefined,
      );
    }
    building.onLoad({ filter: /./, namespace: 'unused' }, () => ({ contents: UNUSED_MODULE }));
  },
};

const withVersion = (version: string): Plugin => ({
  name: 'version',
  setup(building) {
    building.onLoad({ filter: /[\\/]base[\\/]version\.ts$/ }, () => ({
      contents: `export const VERSION = ${JSON.stringify(version)};`,
    }));
  },
});

// The web page as the files that the service sends: scripts and styles from src/page, packed, with names that change
// with their content. The same sources give the same bytes.
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { build, type Metafile } from 'esbuild';
import type { PageAssets } from '../../src/service/http/page/assets.ts';
import { notices } from '../binary/notices.ts';

const ENTRY = 'src/page/main.tsx';
const ICON = 'src/page/icon.svg';
const TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.wasm': 'application/wasm',
  '.txt': 'text/plain; charset=utf-8',
};
const TAG_LENGTH = 16;

/** What browsers get, they get the licences of. */
const LICENCES = 'licences.txt';

type Inputs = Metafile['inputs'];

/**
 * `root` = the folder of the project; `program` = what the rest of the program is made of, where there is one.
 * `metafile` says what each script is made of.
 */
export async function buildPage(
  root: string,
  program: Inputs = {},
): Promise<{ readonly assets: PageAssets; readonly metafile: Metafile }> {
  const { outputFiles, metafile } = await build({
    absWorkingDir: root,
    bundle: true,
    format: 'esm',
    splitting: true,
    minify: true,
    write: false,
    metafile: true,
    platform: 'browser',
    // The first versions with `light-dark()` in style sheets.
    target: ['chrome123', 'firefox120', 'safari17.5'],
    loader: { '.md': 'text', '.png': 'file', '.wasm': 'file' },
    jsx: 'automatic',
    jsxImportSource: 'preact',
    tsconfig: 'src/page/tsconfig.json',
    entryPoints: [{ in: ENTRY, out: 'page' }],
    entryNames: '[name].[hash]',
    chunkNames: 'part.[hash]',
    assetNames: '[name].[hash]',
    outdir: 'page',
    legalComments: 'none',
    // Other letters than English ones are written as they are.
    charset: 'utf8',
    logLevel: 'warning',
  });
  const files = outputFiles.map(({ path, contents }) => packed(basename(path), contents));
  const icon = packed('icon.svg', readFileSync(join(root, ICON)));
  const text = notices(root, JSON.stringify({ inputs: { ...program, ...metafile.inputs } }));
  const licences = packed(LICENCES, Buffer.from(text));
  const main = Object.entries(metafile.outputs).find(([, { entryPoint }]) => entryPoint === ENTRY);
  if (main === undefined) throw new Error(`build the page: esbuild made nothing of ${ENTRY}`);
  const [script, { imports, cssBundle }] = main;
  // What the first script needs at once is asked for together with it.
  const first = imports.filter(({ kind }) => kind === 'import-statement').map(({ path }) => basename(path));
  const all = [...files, icon, licences].toSorted((a, b) => (a.name < b.name ? -1 : 1));
  const assets = {
    script: basename(script),
    first,
    style: cssBundle === undefined ? null : basename(cssBundle),
    files: all,
  };
  return { assets, metafile };
}

function packed(name: string, bytes: Uint8Array): PageAssets['files'][number] {
  const type = TYPES[/\.\w+$/.exec(name)?.[0] ?? ''];
  if (type === undefined) throw new Error(`build the page: ${name} has no type`);
  const gzip = gzipSync(bytes, { level: constants.Z_BEST_COMPRESSION }).toString('base64');
  return { name, type, tag: hash('sha256', bytes, 'hex').slice(0, TAG_LENGTH), gzip };
}

// The files that the page of the OpenAPI document loads: of the viewer (assets of the single program, files of its
// package beside the sources) and of the page itself. They are read, tagged and compressed at the first request.
import { hash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { promisify } from 'node:util';
import { constants, gzip } from 'node:zlib';
import type { StaticFile } from '../transfer/static-file.ts';
import { PAGE_STYLE, START_SCRIPT } from './page.ts';

/** `packaging/binary` gives the single program assets of these names. */
export const VIEWER_FILES = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const;
export const VIEWER_ASSETS = 'viewer/';
/** Below the folder of the project. */
export const VIEWER_PACKAGE = 'node_modules/swagger-ui-dist';
const FOLDER = join(import.meta.dirname, '../../../..', VIEWER_PACKAGE);

const JS = 'text/javascript; charset=utf-8';
const CSS = 'text/css; charset=utf-8';

export type Viewer = {
  /** By name. The names have a hash of the content in them: what a name stands for never changes. */
  readonly files: ReadonlyMap<string, StaticFile>;
  readonly scripts: readonly string[];
  readonly modules: readonly string[];
  readonly styles: readonly string[];
};

const gzipAsync = promisify(gzip);

/** Undefined where the program was put together without the viewer. */
export async function loadViewer(): Promise<Viewer | undefined> {
  const [bundle, style] = VIEWER_FILES;
  const read = [bundle, style].map(readViewer);
  const [bundleBytes, styleBytes] = read;
  if (bundleBytes === undefined || styleBytes === undefined) return undefined;
  const files = new Map<string, StaticFile>();
  const add = async (name: string, type: string, bytes: Buffer) => {
    const tag = hash('sha256', bytes, 'hex').slice(0, 16);
    const hashed = name.replace(/(?=\.\w+$)/, `.${tag}`);
    const packed = await gzipAsync(bytes, { level: constants.Z_BEST_COMPRESSION });
    files.set(hashed, { type, bytes, packed, tags: { plain: `"${tag}"`, packed: `"${tag}-gzip"` } });
    return hashed;
  };
  const scripts = [await add(bundle, JS, bundleBytes)];
  const modules = [await add('start.js', JS, Buffer.from(START_SCRIPT))];
  const styles = [await add(style, CSS, styleBytes), await add('page.css', CSS, Buffer.from(PAGE_STYLE))];
  return { files, scripts, modules, styles };
}

function readViewer(name: string): Buffer | undefined {
  if (isSea()) return Buffer.from(getAsset(VIEWER_ASSETS + name));
  const path = join(FOLDER, name);
  return existsSync(path) ? readFileSync(path) : undefined;
}

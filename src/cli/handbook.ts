// The pages of the handbook: assets of the single program, files of the sources. It knows no text of theirs.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, getAssetKeys, isSea } from 'node:sea';
import { wrapAnsi } from 'fast-wrap-ansi';

/** How `packaging/binary` names an asset. */
const ASSET = /^handbook\/([a-z]+)\.md$/;
const FOLDER = join(import.meta.dirname, '..', '..', 'packaging', 'handbook');

/** Names of the pages, in the order of the alphabet. */
export function listTopics(): readonly string[] {
  const files = isSea()
    ? getAssetKeys()
    : existsSync(FOLDER)
      ? readdirSync(FOLDER).map((file) => `handbook/${file}`)
      : [];
  return files.flatMap((file) => ASSET.exec(file)?.[1] ?? []).toSorted();
}

/** The text of a page, without the marks of its generated parts, and without pictures, which no terminal shows. */
export function readPage(topic: string): string {
  const text = isSea() ? getAsset(`handbook/${topic}.md`, 'utf8') : readFileSync(join(FOLDER, `${topic}.md`), 'utf8');
  return text.replaceAll(/^(<!--.*-->|!\[.*\]\(.*\))\n\n?/gm, '');
}

/** What the page is about: the line below its title. */
export const summaryOf = (page: string): string => page.split('\n')[2] ?? '';

/** Paragraphs and items of lists fill the width. Headings, tables and code stay as they are. */
export const fillWidth = (page: string, columns: number): string =>
  page
    .split(CODE)
    .map((part, index) => (index % 2 === 1 ? part : filled(part, columns)))
    .join('');

const CODE = /(^```[\s\S]*?^```$)/m;
/** The end of a line that goes on in the next one. */
const JOINT = /(?<=^(?!#|\|).+)\n *(?!- |\d+\. )(?=[^\s#|])/gm;
/** What later lines of a paragraph or an item stand below. */
const INDENT = /^ *(- |\d+\. )?/;

const filled = (text: string, columns: number) =>
  text
    .replaceAll(JOINT, ' ')
    .split('\n')
    .map((line) => (/^[#|]/.test(line) ? line : wrapped(line, columns)))
    .join('\n');

/** Code is not broken: it is there to be copied. */
function wrapped(line: string, columns: number): string {
  const first = INDENT.exec(line)?.[0] ?? '';
  const text = line.slice(first.length).replaceAll(/`[^`]*`/g, (code) => code.replaceAll(' ', NO_BREAK));
  const lines = wrapAnsi(text, Math.max(10, columns - first.length)).replaceAll(NO_BREAK, ' ');
  return `${first}${lines.replaceAll('\n', `\n${' '.repeat(first.length)}`)}`;
}

const NO_BREAK = '\u00A0';

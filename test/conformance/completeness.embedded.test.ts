// Every row of the interface document has its test: each part of the list of rows is tested somewhere (`rows` sees to
// each row of a part), and where the document lies beside the project the list is compared with it.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { ASKS_NOTHING, DOCUMENT } from './document.data.ts';

const SPECIFICATION = join(import.meta.dirname, '../../../shared/spec/service-interface-v1.md');

test('each part of the document is tested once', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const texts = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const tested = texts.flatMap((text) => [...text.matchAll(/^ *rows\('([^']+)'/gm)].map(([, part]) => part));
  expect(tested.toSorted()).toEqual(Object.keys(DOCUMENT).toSorted());
});

test('a statement is of a section of the document', () => {
  const files = readdirSync(import.meta.dirname).filter((name) => name.endsWith('.test.ts'));
  const texts = files.map((name) => readFileSync(join(import.meta.dirname, name), 'utf8'));
  const named = texts.flatMap((text) => [...text.matchAll(/^ *statements\('([^']+)'/gm)].map(([, section]) => section));
  const headings = new Set<string | undefined>(Object.values(DOCUMENT).map(({ heading }) => heading));
  expect(named.filter((section) => !headings.has(section))).toEqual([]);
  expect(named.length).toBeGreaterThan(5);
});

type Section = { heading: string; tables: string[][]; text: string };

function read(text: string): Section[] {
  const sections: Section[] = [];
  let rows: string[][] = [];
  for (const line of text.split('\n')) {
    const last = sections.at(-1);
    if (line.startsWith('|')) {
      const cells = line.split('|').slice(1, -1);
      rows.push(cells.map((cell) => cell.trim().replaceAll('`', '')));
      continue;
    }
    // After the header and the line below it.
    if (rows.length > 0) last?.tables.push(toKeys(rows.slice(2)));
    rows = [];
    if (line.startsWith('#')) sections.push({ heading: line.replace(/^#+ /, ''), tables: [], text: '' });
    else if (last !== undefined) last.text += `${line}\n`;
  }
  return sections;
}

/** The first cells; the whole rows where first cells repeat. */
function toKeys(rows: readonly string[][]): string[] {
  const first = rows.map(([cell = '']) => cell);
  return new Set(first).size === first.length ? first : rows.map((cells) => cells.join(' · '));
}

const PARTS: readonly { readonly heading: string; readonly keys: readonly string[]; readonly table?: true }[] =
  Object.values(DOCUMENT);

describe.runIf(existsSync(SPECIFICATION))('beside the document', () => {
  const sections = existsSync(SPECIFICATION) ? read(readFileSync(SPECIFICATION, 'utf8')) : [];

  test('the rows of its tables are those of the list, in order', () => {
    const listed = PARTS.filter(({ table }) => table).map(({ heading, keys }) => ({ heading, keys }));
    const written = sections.flatMap(({ heading, tables }) => tables.map((keys) => ({ heading, keys })));
    expect(listed).toEqual(written);
    expect(written.length).toBeGreaterThan(10);
  });

  test('what the list quotes stands in its section', () => {
    for (const { heading, keys, table } of PARTS) {
      if (table) continue;
      const text = sections.filter((section) => section.heading === heading).map((section) => section.text);
      for (const key of keys) expect(text.join('\n'), heading).toContain(key);
    }
  });

  test('each of its sentences is quoted, or asks for nothing', () => {
    const forgotten = sections.flatMap(({ heading, text }) => {
      const quotes = PARTS.filter((part) => !part.table && part.heading === heading).flatMap(({ keys }) => keys);
      return sentencesOf(text).filter(
        (sentence) =>
          !quotes.some((quote) => sentence.includes(quote)) &&
          !ASKS_NOTHING.some((beginning) => sentence.includes(beginning)),
      );
    });
    expect(forgotten).toEqual([]);
  });
});

function sentencesOf(text: string): string[] {
  return text
    .split('\n')
    .map((line) => line.replace(/^(- |\d+\. )/, ''))
    .flatMap((line) => line.split(/(?<=\.) (?=[A-Z`])/))
    .map((sentence) => sentence.trim())
    .filter((sentence) => sentence !== '');
}

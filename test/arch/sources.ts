// Reads the project's own sources for the tests of the house rules. Tracked and new files alike; nothing outside the
// project.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

export const ROOT = join(import.meta.dirname, '..', '..');

export type Source = { readonly path: string; readonly text: string; readonly lines: readonly string[] };

/** Every `.ts` and `.tsx` file below the folders that exist, with its path from the project's root. */
export function sources(...folders: readonly string[]): Source[] {
  return folders
    .filter((folder) => existsSync(join(ROOT, folder)))
    .flatMap((folder) =>
      readdirSync(join(ROOT, folder), { recursive: true, withFileTypes: true })
        .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
        .map((entry) => {
          const path = relative(ROOT, join(entry.parentPath, entry.name));
          const text = readFileSync(join(ROOT, path), 'utf8');
          return { path, text, lines: text.split('\n') };
        }),
    );
}

/** A driver's tests lie beside it. */
export const isTest = ({ path }: Pick<Source, 'path'>): boolean => path.endsWith('.test.ts');

/** As `sources`, without tests. */
export const programSources = (...folders: readonly string[]): Source[] =>
  sources(...folders).filter((source) => !isTest(source));

/**
 * Code without comments and without the contents of strings, line by line: good enough to look for words, not a parser.
 */
export function codeLines(source: Source): string[] {
  const bare = source.text
    .replaceAll(/\/\*[\s\S]*?\*\//g, (comment) => comment.replaceAll(/[^\n]/g, ' '))
    .replaceAll(/(^|[^:'"`\\])\/\/[^\n]*/g, '$1')
    .replaceAll(/'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"|`(?:[^`\\\n]|\\.)*`/g, "''");
  return bare.split('\n');
}

/** `isLazy`: it loads when it is come to. */
export type Import = {
  readonly from: string;
  readonly to: string;
  readonly isTypeOnly: boolean;
  readonly isLazy: boolean;
};

const STATEMENT = /^(?:import|export)\s+(type\s+)?(?:[^'";]*?\sfrom\s+)?'([^']+)'|\bimport\('([^']+)'\)/gm;

/** Import statements (also re-exports, and lazy ones); relative ones as path from the project's root. */
export function importsOf(source: Source): Import[] {
  return [...source.text.matchAll(STATEMENT)].map(([, type, named, loaded]) => {
    const to = named ?? loaded ?? '';
    return {
      from: source.path,
      to: to.startsWith('.') ? relative(ROOT, join(ROOT, source.path, '..', to)) : to,
      isTypeOnly: type !== undefined,
      isLazy: loaded !== undefined,
    };
  });
}

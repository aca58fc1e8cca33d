// Finds statements whose text is put together from values. A value is bound; what is not a value is a constant of ours.
import type { Source } from './sources.ts';

const STATEMENT =
  /^\s*(select\b[\s\S]*\bfrom\b|(insert|replace)\s[\s\S]*\binto\b|update\s+\S+\s+set\b|delete\s+from\b|with\s+\S+\s+as\b|(create|drop|alter)\s+(table|index|unique|database)\b|(pragma|listen|notify|attach)\s)/i;
/** A constant of a module, or the length of one. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

/** Untagged template texts with what is put into them. */
function templates(text: string): { readonly at: number; readonly body: string; readonly parts: readonly string[] }[] {
  return [...text.matchAll(/(?<![\w$)\]>])`((?:[^`\\]|\\.)*)`/g)].map((match) => {
    const body = match[1] ?? '';
    return { at: match.index, body, parts: [...body.matchAll(/\$\{([^}]*)\}/g)].map(([, part = '']) => part.trim()) };
  });
}

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;

/** `path:line` of each. */
export const builtStatements = (files: readonly Source[]): string[] =>
  files.flatMap(({ path, text }) => builtIn(text).map(({ at }) => `${path}:${lineOf(text, at)}`));

export const builtIn = (text: string) =>
  templates(text).filter(({ body, parts }) => STATEMENT.test(body) && parts.some((part) => !CONSTANT.test(part)));

const GLUED = /(['"`])\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|ALTER|PRAGMA)\b[^'"`]*\1\s*\+/;

/** Paths of files where a statement is put together with `+`. */
export const gluedStatements = (files: readonly Source[]): string[] =>
  files.filter(({ text }) => GLUED.test(text)).map(({ path }) => path);

/** `path:line` where the query builder is given text to trust, other than a number. */
export const trustedTexts = (files: readonly Source[]): string[] =>
  files.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      /\bsql\.raw\b|CompiledQuery\.raw\b|\bsql\.(lit|id|ref|table)\((?!shift\))/.test(line)
        ? [`${path}:${index + 1}`]
        : [],
    ),
  );

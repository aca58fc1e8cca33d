// No value is ever written into the text of a statement: values are bound, and what is not a value is a constant of
// ours.
import { expect, test } from 'vitest';
import { sources } from './sources.ts';

const STATEMENT =
  /^\s*(select\b[\s\S]*\bfrom\b|(insert|replace)\s[\s\S]*\binto\b|update\s+\S+\s+set\b|delete\s+from\b|with\s+\S+\s+as\b|(create|drop|alter)\s+(table|index|unique|database)\b|(pragma|listen|notify|attach)\s)/i;
/** A constant of a module, or the length of one. */
const CONSTANT = /^[A-Z][A-Z0-9_]*$/;

const ours = sources('src');

/** Untagged template texts with what is put into them. */
function templates(text: string): { readonly at: number; readonly body: string; readonly parts: readonly string[] }[] {
  return [...text.matchAll(/(?<![\w$)\]>])`((?:[^`\\]|\\.)*)`/g)].map((match) => {
    const body = match[1] ?? '';
    return { at: match.index, body, parts: [...body.matchAll(/\$\{([^}]*)\}/g)].map(([, part = '']) => part.trim()) };
  });
}

const lineOf = (text: string, at: number) => text.slice(0, at).split('\n').length;

test('the text of a statement holds nothing but constants', () => {
  const built = ours.flatMap(({ path, text }) =>
    templates(text)
      .filter(({ body, parts }) => STATEMENT.test(body) && parts.some((part) => !CONSTANT.test(part)))
      .map(({ at }) => `${path}:${lineOf(text, at)}`),
  );
  expect(built).toEqual([]);
});

test('no statement is put together from pieces', () => {
  const glued = /(['"`])\s*(?:SELECT|INSERT INTO|UPDATE|DELETE FROM|CREATE|DROP|ALTER|PRAGMA)\b[^'"`]*\1\s*\+/;
  expect(ours.filter(({ text }) => glued.test(text)).map(({ path }) => path)).toEqual([]);
});

test('the query builder is given no text of its own to trust, but numbers', () => {
  const trusted = ours.flatMap(({ path, lines }) =>
    lines.flatMap((line, index) =>
      /\bsql\.raw\b|CompiledQuery\.raw\b|\bsql\.(lit|id|ref|table)\((?!shift\))/.test(line)
        ? [`${path}:${index + 1}`]
        : [],
    ),
  );
  expect(trusted).toEqual([]);
});

test('these rules find what they look for', () => {
  const bad =
    'db.prepare(`SELECT * FROM t WHERE a = #{v}`); const u = `delete from t where #{a.b}`; `SELECT #{LIMIT} FROM t`';
  const found = templates(bad.replaceAll('#', '$')).filter(
    ({ body, parts }) => STATEMENT.test(body) && parts.some((part) => !CONSTANT.test(part)),
  );
  expect(found).toHaveLength(2);
});

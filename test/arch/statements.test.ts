// No value is ever written into the text of a statement: values are bound, and what is not a value is a constant of
// ours.
import { expect, test } from 'vitest';
import { builtIn, builtStatements, gluedStatements, trustedTexts } from './built-statements.ts';
import { sources } from './sources.ts';

const ours = sources('src');

test('the text of a statement holds nothing but constants', () => {
  expect(builtStatements(ours)).toEqual([]);
});

test('no statement is put together from pieces', () => {
  expect(gluedStatements(ours)).toEqual([]);
});

test('the query builder is given no text of its own to trust, but numbers', () => {
  expect(trustedTexts(ours)).toEqual([]);
});

test('these rules find what they look for', () => {
  const bad =
    'db.prepare(`SELECT * FROM t WHERE a = #{v}`); const u = `delete from t where #{a.b}`; `SELECT #{LIMIT} FROM t`';
  expect(builtIn(bad.replaceAll('#', '$'))).toHaveLength(2);
});

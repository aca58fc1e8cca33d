// The generated parts of the handbook are those of today's code, and every setting is there with its meaning.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { Document, parse } from 'yaml';
import { z } from 'zod';
import { fileSchema } from '../../../src/agent/config/file-schema.ts';
import { BLOCKS, HANDBOOK, isCurrent, ROOT } from '../../handbook/blocks.ts';
import { SETTINGS } from '../../handbook/configuration.ts';

const pageOf = (name: string) => readFileSync(join(ROOT, HANDBOOK, `${name}.md`), 'utf8');
const yamlOf = (text: string) => [...text.matchAll(/^```yaml\n(.*?)^```$/gms)].map(([, block = '']) => block);

test.each(BLOCKS)('$name of $page.md are up to date: npm run handbook', (block) => expect(isCurrent(block)).toBe(true));

/** By another way than the table: the keys of the JSON schema that hold no further ones. */
function keysIn(schema: unknown, path: readonly string[] = []): string[] {
  const { properties } = z.looseObject({ properties: z.record(z.string(), z.unknown()).optional() }).parse(schema);
  if (properties === undefined) return [path.join('.')];
  return Object.entries(properties).flatMap(([key, inner]) => keysIn(inner, [...path, key]));
}

test('every setting is there, with a meaning', () => {
  const keys = keysIn(z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }));
  expect(keys.length).toBeGreaterThan(100);
  const page = pageOf('configuration');
  expect(keys.filter((key) => !page.includes(`| \`${key}\` |`))).toEqual([]);
  expect(SETTINGS.filter(({ meaning }) => !/^.{8,}\.$/.test(meaning)).map(({ path }) => path)).toEqual([]);
});

test('a default is one that the schema takes and gives', () => {
  const file = new Document({});
  for (const { path, fallback } of SETTINGS)
    if (fallback !== undefined && !path.includes('[]')) file.setIn(path.split('.'), parse(fallback));
  const service = { url: 'https://pithead.example' };
  expect(fileSchema.parse({ ...file.toJS(), service })).toEqual(fileSchema.parse({ service }));
});

const examples = ['configuration', 'installation'].flatMap((page) => yamlOf(pageOf(page)));
test.each([...examples, ...yamlOf(readFileSync(join(ROOT, 'README.md'), 'utf8'))])(
  'an example is accepted: %#',
  (text) => expect(fileSchema.safeParse(parse(text)).error).toBeUndefined(),
);

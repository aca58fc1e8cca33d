// The README's list of settings is the schema's: every key once, each line accepted, and the default where it says default.
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { isMap, isScalar, type Node, parseDocument } from 'yaml';
import { z } from 'zod';
import { fileSchema } from '../../../../src/agent/config/file-schema.ts';

const blocks = [
  ...readFileSync(new URL('../../../../README.md', import.meta.url), 'utf8').matchAll(/^```yaml\n(.*?)^```$/gms),
].map(([, text = '']) => text);

const node: z.ZodType<{ properties?: Record<string, unknown> | undefined }> = z.looseObject({
  properties: z.record(z.string(), z.unknown()).optional(),
});

/** Dotted paths of all settings that hold no further ones. */
function keysOf(schema: unknown, path: readonly string[] = []): string[] {
  const { properties } = node.parse(schema);
  if (properties === undefined) return [path.join('.')];
  return Object.entries(properties).flatMap(([key, inner]) => keysOf(inner, [...path, key]));
}
const keys = keysOf(z.toJSONSchema(fileSchema, { io: 'input', unrepresentable: 'any' }));

const fileOf = (text: string) => parseDocument(text);

/** The same of a written block. */
function writtenIn(value: unknown, path: readonly string[] = []): string[] {
  if (!isMap<Node, Node>(value) || keys.includes(path.join('.'))) return [path.join('.')];
  return value.items.flatMap(({ key, value: inner }) =>
    writtenIn(inner, [...path, isScalar(key) ? String(key.value) : '']),
  );
}

test('every setting is there once, and no other', () => {
  expect(blocks.flatMap((text) => writtenIn(fileOf(text).contents)).toSorted()).toEqual(keys.toSorted());
});

test.each(blocks)('what is written is accepted: %#', (text) => {
  expect(fileSchema.safeParse(fileOf(text).toJS()).error).toBeUndefined();
});

test('what is no example is the default', () => {
  const [, ...lists] = blocks;
  for (const text of lists) {
    const written = text
      .split('\n')
      .filter((line) => !line.includes('# e.g.'))
      .join('\n');
    expect(fileSchema.parse(withoutExamples(fileOf(written).toJS()))).toEqual(fileSchema.parse({}));
  }
});

/** A section that holds examples only; `service` as a whole is one. */
function withoutExamples(written: unknown): unknown {
  const { service: _, ...rest } = z.record(z.string(), z.unknown()).parse(written);
  return Object.fromEntries(Object.entries(rest).filter(([, section]) => section !== null));
}

// What the program is made of beside its own code: no package comes in unnoticed, and each may be given to others.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { BROUGHT, LIBRARIES, LICENCES } from '../../packaging/libraries.data.ts';
import { ROOT } from './sources.ts';

const entrySchema = z.object({
  dev: z.boolean().default(false),
  optional: z.boolean().default(false),
  license: z.string().optional(),
});
const lockSchema = z.object({ packages: z.record(z.string(), entrySchema) });
const manifestSchema = z.object({ dependencies: z.record(z.string(), z.string()) });
const read = (file: string): unknown => JSON.parse(readFileSync(join(ROOT, file), 'utf8'));

const named = Object.keys(manifestSchema.parse(read('package.json')).dependencies);
const nameOf = (path: string) => path.slice(path.lastIndexOf('node_modules/') + 'node_modules/'.length);
/** Tools of developers and programs for one platform are not part of the bundle. */
const shipped = Object.entries(lockSchema.parse(read('package-lock.json')).packages)
  .filter(([path, { dev, optional }]) => path !== '' && !dev && !optional)
  .map(([path, { license }]) => ({ name: nameOf(path), licence: license }));

test('each library is named with what it is for', () => {
  expect(Object.keys(LIBRARIES).toSorted()).toEqual(named.toSorted());
  for (const [name, reason] of Object.entries(LIBRARIES)) expect(reason.length, name).toBeGreaterThan(3);
});

test('what libraries bring along is in packaging/libraries.data.ts, and nothing else', () => {
  const brought = new Set(shipped.map(({ name }) => name).filter((name) => !named.includes(name)));
  const listed = new Set(BROUGHT);
  expect({
    new: [...brought].filter((name) => !listed.has(name)),
    gone: [...listed].filter((name) => !brought.has(name)),
  }).toEqual({ new: [], gone: [] });
});

test('each may be given to others', () => {
  const odd = shipped.filter(({ licence }) => licence === undefined || !LICENCES.includes(licence));
  expect(odd).toEqual([]);
});

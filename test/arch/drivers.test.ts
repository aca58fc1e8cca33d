// One folder is the driver: it has a simulated device, tests and a text for people, and nothing but the two lists
// imports any of it.
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { importsOf, ROOT, sources } from './sources.ts';

const ids = readdirSync(join(ROOT, 'drivers'), { withFileTypes: true })
  .filter((entry) => entry.isDirectory() && !entry.name.startsWith('_'))
  .map(({ name }) => name);
const imports = sources('src', 'drivers', 'fixtures', 'test', 'packaging').flatMap(importsOf);

test('there are drivers', () => expect(ids.length).toBeGreaterThan(20));

test.each(ids)('%s has a device in the farm, a test and a text for people', (id) => {
  const files = readdirSync(join(ROOT, 'drivers', id));
  expect(files).toEqual(expect.arrayContaining(['index.ts', 'farm.ts', 'README.md']));
  expect(files.filter((name) => name.endsWith('.test.ts'))).not.toEqual([]);
});

test.each(ids)('%s is imported by the lists of drivers and of devices only', (id) => {
  const folder = `drivers/${id}/`;
  const from = imports.filter(({ to, from: path }) => to.startsWith(folder) && !path.startsWith(folder));
  expect(from.map(({ from: path, to }) => `${path} imports ${to}`).toSorted()).toEqual([
    `drivers/farm-index.ts imports ${folder}farm.ts`,
    `drivers/index.ts imports ${folder}index.ts`,
  ]);
});

// What a browser has to load before the first screen of the page, gzipped, as it is sent.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildPage } from '../../../packaging/page/build.ts';

const FIRST_BYTES = 45_000;

test('the first screen loads at most 45 kB of scripts', async () => {
  const { assets } = await buildPage(join(import.meta.dirname, '../../..'));
  const sizes = assets.files
    .filter(({ name }) => name.endsWith('.js'))
    .map(({ name, gzip }) => ({ name, bytes: Buffer.from(gzip, 'base64').length }));
  const sum = (some: typeof sizes) => some.reduce((total, { bytes }) => total + bytes, 0);
  const first = sizes.filter(({ name }) => name === assets.script || assets.first.includes(name));
  expect(first.length).toBe(assets.first.length + 1);
  expect(sum(first)).toBeLessThanOrEqual(FIRST_BYTES);
});

test('two builds of the same sources are the same', async () => {
  const [one, two] = await Promise.all([1, 2].map(() => buildPage(join(import.meta.dirname, '../../..'))));
  expect(one?.assets).toEqual(two?.assets);
});

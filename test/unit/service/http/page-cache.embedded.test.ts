// The cache of large pages: made once a second at most, however many ask; never older than that; bounded; a failure is
// not kept; the memory of a page is given back when nobody can get it any more, and never before.
import { expect, test } from 'vitest';
import { createPageCache } from '../../../../src/service/http/pages/page-cache.ts';
import { createPageMemory, createPageWriter } from '../../../../src/service/http/pages/page-memory.ts';
import type { MadePage } from '../../../../src/service/http/pages/page-thread.ts';
import { takesGzip } from '../../../../src/service/http/transfer/transfer.ts';
import { createVirtualClock, type VirtualClock } from '../../../support/virtual-clock.ts';

const textOf = (made: MadePage) => String(Buffer.concat([...(made?.body.slices(100) ?? [])]));

function createCache(clock: VirtualClock, bounds: Parameters<typeof createPageCache>[1]) {
  const memory = createPageMemory(1024 ** 3);
  const cache = createPageCache(clock, bounds);
  const bodyOf = async (text: string) => {
    const blocks = memory.lend(text.length);
    await createPageWriter(async () => blocks).write(text);
    return memory.bodyOf(blocks, text.length);
  };
  return {
    clear: cache.clear,
    lentBytes: memory.lentBytes,
    get: (key: string, make: () => Promise<string>, isPacked = false) =>
      cache.get(key, async () => ({ body: await bodyOf(await make()), isPacked })),
    /** The text of the page, which is released. */
    async read(key: string, make: () => Promise<string>, isPacked = false) {
      const made = await this.get(key, make, isPacked);
      const text = textOf(made);
      made?.body.release();
      return text;
    },
  };
}

/** A page that is made when the test says so. */
function slowPage() {
  let finish = (_body: string) => {};
  const make = () =>
    new Promise<string>((resolve) => {
      finish = resolve;
    });
  return { make, finish: (body: string) => finish(body) };
}

test('many that ask within a second get one body, and the next second another', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
  let made = 0;
  const read = () => cache.read('page', async () => `body ${++made}`);
  expect(await Promise.all([read(), read(), read()])).toEqual(['body 1', 'body 1', 'body 1']);
  await clock.advance(999);
  expect(await read()).toBe('body 1');
  await clock.advance(1);
  expect(await read()).toBe('body 2');
  expect(await cache.read('other', async () => 'another')).toBe('another');
  cache.clear();
  expect(await read()).toBe('body 3');
});

test('the age of a body counts from before it was read, not from when it was done', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
  const { make, finish } = slowPage();
  const slow = cache.read('page', make);
  await clock.advance(1_000);
  const next = cache.read('page', async () => 'new');
  finish('old');
  expect([await slow, await next]).toEqual(['old', 'new']);
  expect(await cache.read('page', async () => 'newer')).toBe('new');
});

test('what was being read when it was cleared is not kept', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
  const { make, finish } = slowPage();
  const reading = cache.read('page', make);
  cache.clear();
  finish('before the change');
  expect(await reading).toBe('before the change');
  expect(cache.lentBytes()).toBe(0);
  expect(await cache.read('page', async () => 'after the change')).toBe('after the change');
});

test('a failure reaches those who wait and is tried again; the bytes are bounded', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 2, maxBytes: 10 });
  await expect(cache.read('page', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(await cache.read('page', async () => '12345678')).toBe('12345678');
  expect(await cache.read('other', async () => 'abcdefgh')).toBe('abcdefgh');
  expect(await cache.read('page', async () => 'again')).toBe('again');
  expect(await cache.read('large', async () => 'x'.repeat(11))).toHaveLength(11);
  expect(await cache.read('large', async () => 'new')).toBe('new');
  expect(await cache.read('small', async () => 'a')).toBe('a');
  expect(await cache.read('small', async () => 'b')).toBe('b');
  // It was large before it was compressed.
  expect(await cache.read('packed', async () => 'a', true)).toBe('a');
  expect(await cache.read('packed', async () => 'b', true)).toBe('a');
});

test('the memory of a page is lent as long as the cache has it or a request reads it', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
  const { make, finish } = slowPage();
  const both = Promise.all([cache.get('page', make), cache.get('page', make)]);
  cache.clear();
  finish('a page');
  const [first, second] = await both;
  expect(cache.lentBytes()).toBeGreaterThan(0);
  first?.body.release();
  expect(textOf(second)).toBe('a page');
  second?.body.release();
  expect(cache.lentBytes()).toBe(0);
  expect(() => textOf(second)).toThrow('given back');
  expect(() => second?.body.use()).toThrow('given back');

  expect(await cache.read('page', async () => 'kept')).toBe('kept');
  expect(cache.lentBytes()).toBeGreaterThan(0);
  const reader = await cache.get('page', async () => 'not made');
  await clock.advance(1_000);
  expect(textOf(reader)).toBe('kept');
  reader?.body.release();
  expect(cache.lentBytes()).toBe(0);
});

test('memory is used again, and what is written comes back as it was', async () => {
  const memory = createPageMemory(2 * 1024 * 1024);
  const parts = ['é'.repeat(700_000), Buffer.alloc(1_500_000, 'b'), '', 'the end'];
  const lent: SharedArrayBuffer[] = [];
  const page = createPageWriter(async (bytes) => {
    const blocks = memory.lend(Math.max(bytes, 4 * 1024 * 1024));
    lent.push(...blocks);
    return blocks;
  });
  for (const part of parts) await page.write(part);
  expect(page.length()).toBe(2_900_007);
  const body = memory.bodyOf(lent, page.length());
  // What it does not need is given back at once.
  expect(memory.lentBytes()).toBe(3 * 1024 * 1024);
  const read = Buffer.concat([...body.slices(300_000)]);
  expect(read.equals(Buffer.concat(parts.map((part) => Buffer.from(part))))).toBe(true);
  expect([...body.slices(300_000)].every(({ length }) => length <= 300_000)).toBe(true);
  body.release();
  expect(memory.lentBytes()).toBe(0);
  // As much as it may keep.
  expect(memory.lend(4 * 1024 * 1024).filter((block) => lent.includes(block))).toHaveLength(2);
  await expect(createPageWriter(async () => []).write('x')).rejects.toThrow('fewer were lent');
});

test.each([
  ['gzip', true],
  ['br, GZIP;q=0.5', true],
  ['*', true],
  ['gzip;q=0', false],
  ['gzip;q=0, *', false],
  ['identity', false],
  ['', false],
  [undefined, false],
])('a client that says %j takes gzip: %j', (header, expected) => {
  expect(takesGzip(header)).toBe(expected);
});

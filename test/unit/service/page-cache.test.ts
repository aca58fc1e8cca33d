// The cache of large pages: made once a second at most, however many ask; never older than that; bounded; a failure is not kept.
import { expect, test } from 'vitest';
import { createPageCache } from '../../../src/service/routes/page-cache.ts';
import { createVirtualClock } from '../../virtual-clock.ts';

test('many that ask within a second get one body, and the next second another', async () => {
  const clock = createVirtualClock();
  const cache = createPageCache(clock, { minBytes: 0, maxBytes: 1_000 });
  let made = 0;
  const get = () => cache.get('page', async () => `body ${++made}`);
  const first = await Promise.all([get(), get(), get()]);
  expect(first.map(String)).toEqual(['body 1', 'body 1', 'body 1']);
  await clock.advance(999);
  expect(String(await get())).toBe('body 1');
  await clock.advance(1);
  expect(String(await get())).toBe('body 2');
  expect(String(await cache.get('other', async () => 'another'))).toBe('another');
  cache.clear();
  expect(String(await get())).toBe('body 3');
});

test('the age of a body counts from before it was read, not from when it was done', async () => {
  const clock = createVirtualClock();
  const cache = createPageCache(clock, { minBytes: 0, maxBytes: 1_000 });
  let finish = (_body: string) => {};
  const slow = cache.get(
    'page',
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  await clock.advance(1_000);
  const next = cache.get('page', async () => 'new');
  finish('old');
  expect([String(await slow), String(await next)]).toEqual(['old', 'new']);
  expect(String(await cache.get('page', async () => 'newer'))).toBe('new');
});

test('what was being read when it was cleared is not kept', async () => {
  const clock = createVirtualClock();
  const cache = createPageCache(clock, { minBytes: 0, maxBytes: 1_000 });
  let finish = (_body: string) => {};
  const reading = cache.get(
    'page',
    () =>
      new Promise((resolve) => {
        finish = resolve;
      }),
  );
  cache.clear();
  finish('before the change');
  await reading;
  expect(String(await cache.get('page', async () => 'after the change'))).toBe('after the change');
});

test('a failure reaches those who wait and is tried again; the bytes are bounded', async () => {
  const clock = createVirtualClock();
  const cache = createPageCache(clock, { minBytes: 2, maxBytes: 10 });
  await expect(cache.get('page', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(String(await cache.get('page', async () => '12345678'))).toBe('12345678');
  expect(String(await cache.get('other', async () => 'abcdefgh'))).toBe('abcdefgh');
  expect(String(await cache.get('page', async () => 'again'))).toBe('again');
  expect(String(await cache.get('large', async () => 'x'.repeat(11)))).toHaveLength(11);
  expect(String(await cache.get('large', async () => 'new'))).toBe('new');
  expect(String(await cache.get('small', async () => 'a'))).toBe('a');
  expect(String(await cache.get('small', async () => 'b'))).toBe('b');
});

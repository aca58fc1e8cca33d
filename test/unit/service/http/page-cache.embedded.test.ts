// The cache of large pages: made once a second at most, however many ask; never older than that; bounded; a failure is
// not kept.
import { gunzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { createPageCache, type PageBody } from '../../../../src/service/http/shared/page-cache.ts';
import { takesGzip } from '../../../../src/service/http/transfer/transfer.ts';
import { createVirtualClock, type VirtualClock } from '../../../support/virtual-clock.ts';

const text = ({ parts }: PageBody) => String(Buffer.concat(parts));

/** Bodies in two parts. */
function createCache(clock: VirtualClock, bounds: Parameters<typeof createPageCache>[1]) {
  const cache = createPageCache(clock, bounds);
  const { clear } = cache;
  return {
    clear,
    get: (key: string, make: () => Promise<string>) =>
      cache.get(key, async () => {
        const body = await make();
        return [body.slice(0, 3), Buffer.from(body.slice(3))];
      }),
  };
}

test('many that ask within a second get one body, and the next second another', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
  let made = 0;
  const get = () => cache.get('page', async () => `body ${++made}`);
  const first = await Promise.all([get(), get(), get()]);
  expect(first.map(text)).toEqual(['body 1', 'body 1', 'body 1']);
  await clock.advance(999);
  expect(text(await get())).toBe('body 1');
  await clock.advance(1);
  expect(text(await get())).toBe('body 2');
  expect(text(await cache.get('other', async () => 'another'))).toBe('another');
  cache.clear();
  expect(text(await get())).toBe('body 3');
});

test('the age of a body counts from before it was read, not from when it was done', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
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
  expect([text(await slow), text(await next)]).toEqual(['old', 'new']);
  expect(text(await cache.get('page', async () => 'newer'))).toBe('new');
});

test('what was being read when it was cleared is not kept', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 0, maxBytes: 1_000 });
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
  expect(text(await cache.get('page', async () => 'after the change'))).toBe('after the change');
});

test('a failure reaches those who wait and is tried again; the bytes are bounded', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 2, maxBytes: 10 });
  await expect(cache.get('page', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
  expect(text(await cache.get('page', async () => '12345678'))).toBe('12345678');
  expect(text(await cache.get('other', async () => 'abcdefgh'))).toBe('abcdefgh');
  expect(text(await cache.get('page', async () => 'again'))).toBe('again');
  expect(text(await cache.get('large', async () => 'x'.repeat(11)))).toHaveLength(11);
  expect(text(await cache.get('large', async () => 'new'))).toBe('new');
  expect(text(await cache.get('small', async () => 'a'))).toBe('a');
  expect(text(await cache.get('small', async () => 'b'))).toBe('b');
});

test('a kept body is compressed once, and lasts as long as the body', async () => {
  const clock = createVirtualClock();
  const cache = createCache(clock, { minBytes: 10, maxBytes: 1_000 });
  const get = (body: string) => cache.get('page', async () => body);
  const [first, second] = [await get('a body of some length'), await get('another')];
  const [gzipped, again] = await Promise.all([first.gzipped?.(), second.gzipped?.()]);
  expect(gzipped).toBe(again);
  expect(String(gunzipSync(Buffer.concat(gzipped ?? [])))).toBe('a body of some length');
  await clock.advance(1_000);
  expect(String(gunzipSync(Buffer.concat((await (await get('a body that came later')).gzipped?.()) ?? [])))).toBe(
    'a body that came later',
  );
  await clock.advance(1_000);
  expect((await get('small')).gzipped).toBeUndefined();
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

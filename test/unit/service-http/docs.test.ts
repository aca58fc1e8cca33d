// The page of the OpenAPI document: all that it loads comes from this service, is held to a policy, and may be kept.
import { request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { type Rig, startOwnedRig, startRig } from './rig.ts';

let rig: Rig;
let stop: () => Promise<void>;
beforeAll(async () => {
  const rates = { ...DEFAULT_LIMITS.rates, perVisitor: 1_000 };
  ({ rig, stop } = await startOwnedRig({ limits: { ...DEFAULT_LIMITS, rates } }));
});
afterAll(() => stop());

type Got = { status: number; headers: NodeJS.Dict<string | string[]>; bytes: Buffer };

/** The answer as its bytes, which `fetch` does not give. */
function ask(path: string, headers: Record<string, string> = {}, method = 'GET'): Promise<Got> {
  return new Promise((resolve, reject) => {
    const asked = request(rig.url + path, { method, headers }, (answer) => {
      const parts: Buffer[] = [];
      answer.on('data', (part) => parts.push(part));
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, bytes: Buffer.concat(parts) }),
      );
    });
    asked.on('error', reject).end();
  });
}

/** What the page names, as a browser resolves it. */
const linksOf = (page: string, path: string): string[] =>
  [...page.matchAll(/(?:src|href|data-document)="([^"]+)"/g)]
    .map(([, link = '']) => link)
    .filter((link) => link !== 'data:,')
    .map((link) => new URL(link, rig.url + path).href.replace(rig.url, ''));

test.each(['/docs', '/docs/'])('%s is a page of this origin alone, without a key', async (path) => {
  const { status, headers, bytes } = await ask(path);
  expect([status, headers['content-type'], headers['x-content-type-options']]).toEqual([
    200,
    'text/html; charset=utf-8',
    'nosniff',
  ]);
  const policy = String(headers['content-security-policy']).split('; ');
  expect(policy[0]).toBe("default-src 'none'");
  expect(policy).toEqual(expect.arrayContaining(["frame-ancestors 'none'", "base-uri 'none'", "form-action 'none'"]));
  expect(policy.join()).not.toMatch(/unsafe|https?:|\*/);
  const page = bytes.toString();
  expect(page).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\bstyle=|\bon\w+=|\/\//);
  const links = linksOf(page, path);
  expect(links.map((link) => link.replace(/\.[0-9a-f]{16}\./, '.*.'))).toEqual([
    '/docs/swagger-ui.*.css',
    '/docs/page.*.css',
    '/docs/swagger-ui-bundle.*.js',
    '/docs/start.*.js',
    '/openapi.json',
  ]);
  const head = await ask(path, {}, 'HEAD');
  expect([head.status, head.bytes.length, head.headers['content-security-policy']]).toEqual([
    200,
    0,
    headers['content-security-policy'],
  ]);
});

test('each file is there, compressed where that is taken, and may be kept for a year', async () => {
  const files = linksOf((await ask('/docs')).bytes.toString(), '/docs').filter((link) => link.startsWith('/docs/'));
  let packedBytes = 0;
  for (const file of files) {
    const plain = await ask(file);
    const packed = await ask(file, { 'accept-encoding': 'gzip' });
    packedBytes += packed.bytes.length;
    expect([plain.status, plain.headers['content-encoding'], packed.headers['content-encoding']]).toEqual([
      200,
      undefined,
      'gzip',
    ]);
    expect(gunzipSync(packed.bytes).equals(plain.bytes)).toBe(true);
    expect(plain.headers['content-type']).toBe(`text/${file.endsWith('.js') ? 'javascript' : 'css'}; charset=utf-8`);
    for (const { headers } of [plain, packed])
      expect([headers['cache-control'], headers.vary]).toEqual([
        'public, max-age=31536000, immutable',
        'accept-encoding',
      ]);
    const { etag } = packed.headers;
    expect([etag === plain.headers.etag, String(etag)]).toEqual([false, expect.stringMatching(/^"[^"]+"$/)]);
    const again = await ask(file, { 'accept-encoding': 'gzip', 'if-none-match': String(etag) });
    expect([again.status, again.bytes.length, again.headers.etag]).toEqual([304, 0, etag]);
    const head = await ask(file, { 'accept-encoding': 'gzip' }, 'HEAD');
    expect([head.status, head.bytes.length, head.headers.etag]).toEqual([200, 0, etag]);
    expect((await ask(file.replace(/\.[0-9a-f]{16}\./, '.0000000000000000.'))).status).toBe(404);
  }
  expect(files).toHaveLength(4);
  expect(packedBytes).toBeLessThan(520_000);
});

test('the style names nothing of another host', async () => {
  const files = linksOf((await ask('/docs')).bytes.toString(), '/docs').filter((link) => link.endsWith('.css'));
  for (const file of files) {
    const text = (await ask(file)).bytes.toString();
    expect(text).not.toMatch(/@import|url\(\s*["']?(https?:)?\/\//);
  }
});

test('an address may ask so often for what needs no key; who watches the service is not counted', async () => {
  const rates = { ...DEFAULT_LIMITS.rates, perVisitor: 3 };
  const own = await startRig({ limits: { ...DEFAULT_LIMITS, rates } });
  const statuses: number[] = [];
  for (const path of ['/openapi.json', '/docs', '/docs/no.js']) statuses.push((await own.get(path, {})).status);
  expect(statuses).toEqual([200, 200, 404]);
  for (const path of ['/openapi.json', '/docs', '/docs/', '/docs/no.js']) {
    const { status, headers, body } = await own.get(path, {});
    expect([status, body.error]).toEqual([429, 'Too Many Requests']);
    expect(Number(headers.get('retry-after'))).toSatisfy((seconds) => seconds >= 1 && seconds <= 60);
  }
  expect((await own.get('/healthz', {})).status).toBe(200);
  expect((await own.get('/readyz', {})).status).toBe(200);
  expect((await own.get(own.farm('/miner/latest'))).status).toBe(200);
});

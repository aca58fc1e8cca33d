// Requests that are broken below what a schema can say: bytes that are no text, text that is no JSON, types that are
// not said, methods that are not there.
import fc from 'fast-check';
import { NASTY } from './arbitrary.ts';
import type { Sent } from './exchange.ts';
import { JSON_TYPE } from './requests.ts';

const json = { 'content-type': 'application/json' };

/** Bytes after which a text is none: alone, cut off, too long for what they say, halves of characters. */
const NO_TEXT = [[0xff], [0xc3], [0xe2, 0x82], [0xc0, 0xaf], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80]];

/** A string of the JSON text gets bytes in it that are no text; without a string there is nothing to break. */
function withBytes(text: string, bytes: readonly number[], at: number): Buffer {
  const places = [...text.matchAll(/"/g)].map(({ index }) => index + 1).filter((_, n) => n % 2 === 0);
  const place = places[at % Math.max(1, places.length)] ?? text.length;
  return Buffer.concat([Buffer.from(text.slice(0, place)), Buffer.from(bytes), Buffer.from(text.slice(place))]);
}

const OTHER_TYPES = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/xml',
  'application/json5',
  'json',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
];

/** `good` has a body that is accepted. Each with the statuses that are right. */
export function tornBodies(
  good: fc.Arbitrary<Sent>,
  type: string,
): fc.Arbitrary<{ request: Sent; right: readonly number[] }> {
  const withBody = good.filter(({ body }) => body !== undefined && body.length > 2);
  const cut = fc.tuple(withBody, fc.nat()).map(([request, at]) => ({
    request: { ...request, body: String(request.body).slice(0, 1 + (at % (String(request.body).length - 1))) },
    right: [400],
  }));
  const noText = fc.tuple(withBody, fc.constantFrom(...NO_TEXT), fc.nat()).map(([request, bytes, at]) => ({
    request: { ...request, body: withBytes(String(request.body), bytes, at) },
    right: [400],
  }));
  const noJson = fc
    .tuple(
      good,
      fc.constantFrom(
        '{',
        '}',
        '{]',
        'undefined',
        "{'a':1}",
        '{"a":1,}',
        'NaN',
        '{"a":01}',
        '\u0000',
        '[1',
        '"',
        '{"__proto__":{"x":1}}',
        '{"x":{"constructor":{"prototype":{}}}}',
        '//',
        '{}{}',
        `${'['.repeat(5_000)}${']'.repeat(5_000)}`,
        `{"x":${'{"x":'.repeat(500)}1${'}'.repeat(501)}`,
      ),
    )
    .map(([request, body]) => ({
      request: { ...request, headers: { ...request.headers, ...json }, body },
      right: [400],
    }));
  const otherType = fc.tuple(withBody, fc.constantFrom(...OTHER_TYPES)).map(([request, type]) => ({
    request: { ...request, headers: { ...request.headers, 'content-type': type } },
    right: [415],
  }));
  const packed = fc.tuple(withBody, fc.constantFrom('gzip', 'br', 'deflate', 'x')).map(([request, coding]) => ({
    request: { ...request, headers: { ...request.headers, 'content-encoding': coding } },
    right: [415],
  }));
  const large = withBody.map((request) => ({
    request: { ...request, body: `{"x":"${'y'.repeat(1024 * 1024)}"}` },
    right: [413],
  }));
  if (type !== JSON_TYPE) return fc.oneof(noText, otherType, packed);
  return fc.oneof(
    { weight: 8, arbitrary: cut },
    { weight: 8, arbitrary: noText },
    { weight: 8, arbitrary: noJson },
    { weight: 6, arbitrary: otherType },
    { weight: 3, arbitrary: packed },
    { weight: 1, arbitrary: large },
  );
}

/** Paths that are nobody's, and methods that the path does not have. */
export function tornPaths(
  good: fc.Arbitrary<Sent>,
  methods: readonly string[],
): fc.Arbitrary<{ request: Sent; right: readonly number[] }> {
  const own = methods.includes('GET') ? [...methods, 'HEAD'] : methods;
  const others = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE', 'HEAD', 'OPTIONS'].filter((one) => !own.includes(one));
  const plain = good.map(({ headers, path }) => ({
    path: path.split('?')[0] ?? path,
    headers: { 'x-api-key': headers['x-api-key'] ?? '' },
  }));
  // The last word of a path may be an id under another method.
  const method = fc.tuple(plain, fc.constantFrom(...others)).map(([request, other]) => ({
    request: { ...request, method: other, body: undefined },
    right: other === 'PUT' || other === 'DELETE' || other === 'OPTIONS' ? [405] : [404, 405],
  }));
  const tail = fc
    .tuple(
      plain,
      fc.constantFrom(...methods),
      fc.constantFrom('/', '//', '/..', '/x', '%00', '%2f', '%', '%zz', '%c0%af', ';x', '/../../etc/passwd'),
    )
    .map(([{ path, headers }, own, end]) => ({
      request: { method: own, path: path + end, headers, body: undefined },
      right: [400, 403, 404, 405],
    }));
  const inside = fc
    .tuple(plain, fc.constantFrom(...methods), fc.nat(), fc.constantFrom(...NASTY, '..', '.', '%zz'))
    .map(([{ path, headers }, own, at, text]) => {
      const parts = path.split('/');
      parts[1 + (at % (parts.length - 1))] = text === '%zz' ? text : encodeURIComponent(text.toWellFormed());
      return { request: { method: own, path: parts.join('/'), headers, body: undefined }, right: [400, 403, 404, 405] };
    });
  return fc.oneof(method, tail, inside);
}

// How secrets stand where devices and libraries quote them.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { writtenForms } from '../../../src/base/secrets.ts';
import { withoutSecret } from '../../../src/transport/peer-errors.ts';

const SECRET = 'pït-"head" & <co>/1+';

test.each([
  ['as it is', SECRET],
  ['in JSON', JSON.stringify({ a: SECRET })],
  ['in JSON in JSON', JSON.stringify({ a: JSON.stringify({ b: SECRET }) })],
  ['in an address', `/login?p=${encodeURIComponent(SECRET)}`],
  ['in an address with small letters', encodeURIComponent(SECRET).replaceAll(/%../g, (code) => code.toLowerCase())],
  ['in a form', encodeURIComponent(SECRET).replaceAll('%20', '+')],
  ['in a page', 'pït-&quot;head&quot; &amp; &lt;co&gt;/1+'],
  ['in hex', Buffer.from(SECRET).toString('hex')],
  ['in base64', Buffer.from(SECRET).toString('base64')],
  ['in base64 of addresses', Buffer.from(SECRET).toString('base64url')],
  ['as a login', `Authorization: Basic ${Buffer.from(`admin:${SECRET}`).toString('base64')}`],
  // The folder of a clone is called "pithead", which has a part of the secret in it.
  ['in a stack', new Error(`cannot log in with ${SECRET}`).stack?.replaceAll(process.cwd(), '') ?? ''],
])('a secret %s is known', (_what, quoted) => {
  const hidden = withoutSecret(`before ${quoted} after`, SECRET);
  expect(hidden).toContain('[secret]');
  expect(hidden).toMatch(/^before .* after$/s);
  for (const part of ['pït', 'head', 'cMOvdC0', '70c3af742d']) expect(hidden).not.toContain(part);
});

test('within base64 it is found wherever it begins, whatever is around it', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 12 }), fc.uint8Array({ maxLength: 12 }), (before, after) => {
      const coded = Buffer.concat([before, Buffer.from('hunter2!'), after]).toString('base64');
      const hidden = withoutSecret(coded, 'hunter2!').replaceAll('[secret]', '');
      expect(Buffer.from(hidden, 'base64').toString('latin1')).not.toContain('nter2');
      expect(hidden.length).toBeLessThan(coded.length - 8);
    }),
  );
});

test('a short one is known as it is, and nothing else is taken for it', () => {
  expect(writtenForms('a1')).toEqual(['a1']);
  expect(withoutSecret('YTE= 6131 a1', 'a1')).toBe('YTE= 6131 [secret]');
  expect(withoutSecret('nothing', '')).toBe('nothing');
});

test('what a cut has left of it is hidden too', () => {
  expect(withoutSecret('the device says "no such pass hunter2-hunt…"', 'hunter2-hunter2')).toBe(
    'the device says "no such pass [secret]…"',
  );
  expect(withoutSecret('the hunt was long', 'hunter2-hunter2')).toBe('the hunt was long');
});

// What may stand under `listen.tls` and `page`, and that mistakes in them are named where they are.
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { parseConfig } from '../../../../src/agent/config/config.ts';
import { ConfigError } from '../../../../src/base/errors.ts';

const baseDir = join('/', 'etc', 'pithead');
const read = (text: string) => parseConfig(text, { baseDir, environment: {}, name: 'test' });

function problemsOf(text: string) {
  try {
    read(text);
  } catch (error) {
    if (error instanceof ConfigError) return error.problems;
    throw error;
  }
  throw new Error('expected a ConfigError');
}

test('certificates of the farm, files, or none', () => {
  expect(read('{}').listen.tls).toBeUndefined();
  expect(read('listen: { tls: farm }').listen.tls).toBe('farm');
  const files = { certFile: join(baseDir, 'a.pem'), keyFile: join(baseDir, 'b.pem') };
  expect(read('listen: { tls: { certFile: a.pem, keyFile: b.pem } }').listen.tls).toEqual(files);
});

test('the page is on, by TLS or on this host, unless something else is said', () => {
  expect(read('{}').page).toEqual({ enabled: true, allowPlain: false, hosts: [] });
  expect(read('page: { hosts: [farm.example] }').page.hosts).toEqual(['farm.example']);
});

test.each([
  ['listen: { tls: yes }', 'listen.tls', /^`farm`, or certFile and keyFile$/],
  ['listen: { tls: { certFile: a.pem } }', 'listen.tls.keyFile', /expected string/],
  ['listen: { tls: { certFile: a.pem, keyFile: b.pem, ca: c } }', 'listen.tls.ca', /not a known setting/],
  ['page: { hosts: ["a b"] }', 'page.hosts[0]', /a host such as/],
  ['page: { allowPlan: true }', 'page.allowPlan', /not a known setting/],
])('%s is a problem of %s', (text, path, message) =>
  expect(problemsOf(text)).toEqual([{ path, message: expect.stringMatching(message) }]),
);

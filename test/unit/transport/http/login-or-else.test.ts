// The second way to log in: sent when the first is refused and not otherwise, once, and as secret as the first.
import { createServer } from 'node:http';
import { afterEach, expect, test } from 'vitest';
import { renderError } from '../../../../src/base/errors.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import { sealCbc } from '../../../../src/transport/aes.ts';
import type { HttpRequest, WebSession } from '../../../../src/transport/request.ts';
import { listen, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';

const KEY = 'k'.repeat(16);
const PASSWORD = 'open-sesame';
const SEALED = sealCbc(PASSWORD, KEY);
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const session: WebSession = {
  name: 'either',
  open: ({ password }) => ({ via: 'http', method: 'GET', path: `/plain?${password}` }),
  orElse: ({ password }, { encrypt }) => ({ via: 'http', method: 'GET', path: `/sealed?${encrypt(KEY, password)}` }),
  grant: ({ status, body }) => (status < 400 && body === 'yes' ? { authorization: 'Bearer t' } : undefined),
};
const ask: HttpRequest = { via: 'http', method: 'GET', path: '/status', auth: session, as: 'text' };

/** Answers by path; quotes what it was sent. */
async function web(answers: Readonly<Record<string, readonly [status: number, body: string]>>) {
  const paths: string[] = [];
  const server = createServer((request, response) => {
    const [path = ''] = (request.url ?? '').split('?');
    paths.push(path);
    const [status, body] = answers[path] ?? [404, 'nothing'];
    response.writeHead(status).end(body);
  });
  await listen(server);
  const transport = transportTo({ 80: portOf(server) });
  open.push(transport, { close: () => server.closeAllConnections() }, { close: () => server.close() });
  return { paths, link: transport.link('127.0.0.1', { user: 'root', password: new Secret(PASSWORD) }) };
}

test.each([
  ['refused', [401, 'no']],
  ['answered with a word', [200, 'cipher error']],
  ['unknown', [404, '']],
  ['a trouble', [500, '']],
] as const)('the first way %s: the second is tried, once', async (_, plain) => {
  const { paths, link } = await web({ '/plain': plain, '/sealed': [200, 'yes'], '/status': [200, 'fine'] });
  expect(await link.send(ask)).toBe('fine');
  expect(paths).toEqual(['/plain', '/sealed', '/status']);
  // The grant is kept: nobody logs in again.
  await link.send(ask);
  expect(paths.slice(3)).toEqual(['/status']);
});

test('a first way that works, and a device that is busy, are left at that', async () => {
  const first = await web({ '/plain': [200, 'yes'], '/status': [200, 'fine'] });
  await first.link.send(ask);
  expect(first.paths).toEqual(['/plain', '/status']);
  const busy = await web({ '/plain': [429, 'wait'], '/sealed': [200, 'yes'] });
  expect((await peerErrorOf(busy.link.send(ask))).code).toBe('peer.busy');
  expect(busy.paths).toEqual(['/plain']);
});

test('both refused: a login that is refused, told without the password in either form', async () => {
  const { paths, link } = await web({ '/plain': [401, PASSWORD], '/sealed': [401, `${SEALED} ${PASSWORD}`] });
  const error = await peerErrorOf(link.send(ask));
  expect([error.code, error.wasSent]).toEqual(['peer.auth', false]);
  expect(renderError(error)).not.toContain(PASSWORD);
  expect(renderError(error)).not.toContain(SEALED);
  expect(paths).toEqual(['/plain', '/sealed']);
});

test('seals as the pages of devices do: zeros to the end of the block, no vector', () => {
  // What a page with this key makes of a factory password.
  expect(sealCbc('123456789', '!'.repeat(16))).toBe('bbad7537f4c8b6ea31eea0b3d760e257');
  expect(sealCbc('', KEY)).toBe('');
  expect(sealCbc('x'.repeat(17), KEY)).toHaveLength(64);
});

// Requests that hold the present password beside their own login: they go to nobody who does not ask for one, and what
// was kept of a login is not taken for proof afterwards.
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/base/secrets.ts';
import type { HttpRequest, WebSession } from '../../../../src/transport/request.ts';
import { peerErrorOf } from '../loopback-device.ts';
import { get, web } from '../web-device.ts';

const setting: HttpRequest = {
  ...get('/passwd', { method: 'POST', auth: 'digest', json: { next: 'next-word' } }),
  carry: ({ password }) => ({ json: { current: password } }),
};

describe('beside a digest login', () => {
  test('is not in the question for the challenge', async () => {
    const { link, requests } = await web((request, response) => {
      if (request.headers.authorization === undefined) {
        response.writeHead(401, { 'www-authenticate': 'Digest realm="miner", nonce="abc", qop="auth"' });
        response.end('who?');
      } else response.end('{"done":true}');
    });
    expect(await link.send(setting)).toEqual({ done: true });
    const [first, second] = requests;
    expect(first).toMatchObject({ method: 'GET', url: '/passwd', body: '' });
    expect(second?.body).toBe('{"next":"next-word","current":"secret-word"}');
    expect(requests).toHaveLength(2);
  });
  test.each([[200], [404]])('goes to no device that answers a stranger with %i', async (status) => {
    const { link, requests } = await web((_request, response) => {
      response.statusCode = status;
      response.end('{}');
    });
    expect(await peerErrorOf(link.send(setting))).toMatchObject({ code: 'peer.auth', wasSent: false });
    expect(requests.map(({ body }) => body)).toEqual(['']);
  });
});

test('is sent nowhere without a login at hand', async () => {
  const { stranger, requests } = await web((_request, response) => response.end('{}'));
  for (const auth of ['digest', 'none'] as const)
    expect(await peerErrorOf(stranger.send({ ...setting, auth }))).toMatchObject({ code: 'peer.auth', wasSent: false });
  expect(requests).toEqual([]);
});

test('is asked for leave before it goes out', async () => {
  const { transport, requests } = await web((_request, response) => response.end('{}'));
  const beforeSending = () => Promise.reject(new Error('not now'));
  const guarded = transport.link('127.0.0.1', { user: 'root', password: new Secret('secret-word'), beforeSending });
  await expect(guarded.send({ ...setting, auth: 'none' })).rejects.toThrow('not now');
  expect(requests).toEqual([]);
});

test('the device quotes it, and no error does', async () => {
  const { link } = await web((request, response, body) => {
    response.statusCode = request.method === 'GET' ? 401 : 500;
    response.setHeader('www-authenticate', 'Digest realm="miner", nonce="abc", qop="auth"');
    response.end(body);
  });
  const error = await peerErrorOf(link.send(setting));
  expect(error.message).toContain('[secret]');
  expect(error.message).not.toContain('secret-word');
});

describe('a session of before', () => {
  const session: WebSession = {
    name: 'session',
    open: ({ password }) => ({ via: 'http', method: 'POST', path: '/login', json: { password } }),
    grant: ({ status }) => (status === 200 ? { 'x-token': 'token' } : undefined),
  };
  /** Its sessions outlive the password. */
  const device = () => {
    const kept = { password: 'secret-word' };
    return web((request, response, body) => {
      if (request.url === '/login') response.statusCode = body.includes(`"${kept.password}"`) ? 200 : 401;
      else if (request.headers['x-token'] !== 'token') response.statusCode = 401;
      else if (request.method === 'PUT') kept.password = 'next-word';
      response.end('{}');
    });
  };
  test.each([
    [true, 'peer.auth'],
    [undefined, undefined],
  ] as const)('is forgotten with the password: %s', async (freshLogin, code) => {
    const { link } = await device();
    await link.send(get('/status', { auth: session }));
    await link.send(get('/password', { method: 'PUT', auth: session, ...(freshLogin && { freshLogin }) }));
    const after = link.send(get('/status', { auth: session }));
    if (code === undefined) await after;
    else expect((await peerErrorOf(after)).code).toBe(code);
    // What it granted before counts for nobody who asks anew.
    expect((await peerErrorOf(link.send(get('/status', { auth: session, freshLogin: true })))).code).toBe('peer.auth');
  });
});

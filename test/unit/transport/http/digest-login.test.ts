// The digest login of Antminers and their kin against a server that checks it as they do.
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/base/secrets.ts';
import { peerErrorOf } from '../loopback-device.ts';
import { get, login, web } from '../web-device.ts';

type DigestServer = {
  qop?: string;
  realm?: string;
  algorithm?: 'MD5' | 'SHA-256';
  livesFor?: number;
  dropsChallenges?: number;
};

/** Checks digests as a server does, and refuses counters that do not grow. Each nonce lives for `livesFor` requests. */
async function digestWeb({
  qop = ' qop="auth",',
  realm = 'antMiner Configuration',
  algorithm = 'MD5',
  livesFor = Number.POSITIVE_INFINITY,
  dropsChallenges = 0,
}: DigestServer = {}) {
  const seen = { challenges: 0, dropped: 0, counts: [] as number[] };
  const nonce = { value: '', used: 0, lastCount: 0 };
  const hash = (text: string) =>
    createHash(algorithm === 'MD5' ? 'md5' : 'sha256')
      .update(text)
      .digest('hex');
  const server = await web((request, response) => {
    const header = request.headers.authorization ?? '';
    const part = (name: string) => new RegExp(`${name}="?([^",]*)`).exec(header)?.[1] ?? '';
    const challenge = (stale: string) => {
      seen.challenges++;
      nonce.value = `nonce-${seen.challenges}`;
      nonce.used = 0;
      nonce.lastCount = 0;
      const value = `Digest realm="${realm}",${qop} algorithm=${algorithm}, nonce="${nonce.value}"${stale}`;
      response.writeHead(401, { 'www-authenticate': value });
      response.end('no');
    };
    if (header === '') {
      if (seen.dropped < dropsChallenges) {
        seen.dropped++;
        request.socket.destroy();
        return;
      }
      challenge('');
      return;
    }
    const count = Number.parseInt(part('nc'), 16);
    if (part('nonce') !== nonce.value || nonce.used >= livesFor) {
      challenge(', stale=true');
      return;
    }
    const ha1 = hash(`root:antMiner Configuration:secret-word`);
    const ha2 = hash(`${request.method}:${request.url}`);
    const expected = hash(`${ha1}:${nonce.value}:${part('nc')}:${part('cnonce')}:auth:${ha2}`);
    if (part('response') !== expected || count <= nonce.lastCount) {
      challenge('');
      return;
    }
    nonce.lastCount = count;
    nonce.used++;
    seen.counts.push(count);
    response.end('{"ok":true}');
  });
  return { ...server, seen, nonce };
}

describe('digest login', () => {
  test.each(['MD5', 'SHA-256'] as const)(
    'is accepted with %s, and the nonce serves all later requests',
    async (algorithm) => {
      const { link, requests, seen } = await digestWeb({ algorithm });
      for (let i = 0; i < 4; i++)
        expect(await link.send(get(`/cgi-bin/${i}.cgi`, { auth: 'digest' }))).toEqual({ ok: true });
      expect(seen).toMatchObject({ challenges: 1, counts: [1, 2, 3, 4] });
      expect(requests).toHaveLength(5);
    },
  );
  test('starts over once when the nonce is stale', async () => {
    const { link, seen } = await digestWeb({ livesFor: 2 });
    for (let i = 0; i < 5; i++) expect(await link.send(get('/x', { auth: 'digest' }))).toEqual({ ok: true });
    expect(seen.counts).toEqual([1, 2, 1, 2, 1]);
    expect(seen.challenges).toBe(3);
  });
  test('starts over once when a device that was restarted has forgotten the nonce', async () => {
    const { link, nonce, seen } = await digestWeb();
    await link.send(get('/x', { auth: 'digest' }));
    nonce.value = 'of the new life';
    expect(await link.send(get('/x', { auth: 'digest' }))).toEqual({ ok: true });
    expect(seen.counts).toEqual([1, 1]);
  });
  test('tries wrong credentials once', async () => {
    const { transport, requests } = await digestWeb();
    const link = transport.link('127.0.0.1', { user: 'root', password: new Secret('wrong-word') });
    const error = await peerErrorOf(link.send(get('/x', { auth: 'digest' })));
    expect(error).toMatchObject({ code: 'peer.auth', retry: 'never' });
    expect(requests.filter(({ authorization }) => authorization !== undefined)).toHaveLength(1);
    expect(JSON.stringify(error) + error.message).not.toContain('wrong-word');
  });
  test('ends when every nonce is called stale', async () => {
    const { link, requests } = await digestWeb({ livesFor: 0 });
    expect(await peerErrorOf(link.send(get('/x', { auth: 'digest' })))).toMatchObject({ code: 'peer.auth' });
    expect(requests.length).toBeLessThanOrEqual(3);
  });
  test('asks again for a challenge whose connection was dropped, three times', async () => {
    const forgiving = await digestWeb({ dropsChallenges: 3 });
    expect(await forgiving.link.send(get('/x', { auth: 'digest' }))).toEqual({ ok: true });
    const broken = await digestWeb({ dropsChallenges: 10 });
    const error = await peerErrorOf(broken.link.send(get('/x', { auth: 'digest' })));
    expect(error).toMatchObject({ code: 'peer.reset', wasSent: false });
    expect(broken.seen.dropped).toBe(4);
  });
  test('is not used without a login, and the password is never sent in the open', async () => {
    const { stranger, link, requests } = await digestWeb();
    expect(await peerErrorOf(stranger.send(get('/x', { auth: 'digest' })))).toMatchObject({ code: 'peer.auth' });
    await link.send(get('/x', { auth: 'digest' }));
    expect(JSON.stringify(requests)).not.toContain('secret-word');
  });
  test('refuses another kind of login', async () => {
    const { link, requests } = await web((_request, response) => {
      response.writeHead(401, { 'www-authenticate': 'Basic realm="x"' });
      response.end();
    });
    expect(await peerErrorOf(link.send(get('/x', { auth: 'digest' })))).toMatchObject({ code: 'peer.auth' });
    expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
  test('answers no challenge without qop, and none of another realm than the device had', async () => {
    const old = await digestWeb({ qop: '' });
    const refusal = await peerErrorOf(old.link.send(get('/x', { auth: 'digest' })));
    expect([refusal.code, refusal.message.includes('without qop')]).toEqual(['peer.auth', true]);
    expect(old.requests.every(({ authorization }) => authorization === undefined)).toBe(true);
    const { transport, requests } = await digestWeb({ realm: 'somebody else' });
    const known = transport.link('127.0.0.1', { ...login, realm: 'antMiner Configuration' });
    expect(await peerErrorOf(known.send(get('/x', { auth: 'digest' })))).toMatchObject({ code: 'peer.auth' });
    expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
  test('takes the answer of a device that wants no login', async () => {
    const { link, requests } = await web((_request, response) => response.end('{"a":1}'));
    expect(await link.send(get('/x', { auth: 'digest' }))).toEqual({ a: 1 });
    expect(requests).toHaveLength(1);
  });
  test('is not begun by a look', async () => {
    const { link, requests } = await digestWeb();
    expect(await link.look('/')).toMatchObject({ status: 401 });
    expect(requests.every(({ authorization }) => authorization === undefined)).toBe(true);
  });
});

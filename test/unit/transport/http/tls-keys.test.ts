// A device that is known by its TLS key: nothing goes to another key, on a new connection or on one that was kept, and
// a login goes no other way.
import { createServer, type IncomingMessage } from 'node:http';
import type { SecureVersion } from 'node:tls';
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest';
import type { CarriedLogin, MinerLink, MinerRequest, WebSession } from '../../../../src/transport/request.ts';
import type { Transport } from '../../../../src/transport/transport.ts';
import { type KeyPair, startTlsFront, type TlsFront, tlsKeyOf } from '../../../support/tls-front.ts';
import { good as a, selfSigned as b } from '../../service-http/certificates.data.ts';
import { listen, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';
import { get, login } from '../web-device.ts';

const IP = '127.0.0.1';
const A = tlsKeyOf(a);
const B = tlsKeyOf(b);
const SECRET = 'secret-word';

const session: WebSession = {
  name: 'web',
  open: ({ password }) => ({ via: 'http', method: 'POST', path: '/login', json: { password } }),
  grant: ({ cookie }) => (cookie === undefined ? undefined : { cookie }),
};
const elsewhere: WebSession = { ...session, open: async (plain) => ({ ...(await session.open(plain)), port: 8080 }) };
const carried: CarriedLogin = { carry: ({ password }) => ({ json: { password } }) };
const post = (auth: 'digest' | WebSession | CarriedLogin) =>
  get('/set', { method: 'POST', auth, json: { pools: ['pool-secret'] } });

let requests: {
  readonly url: string | undefined;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
}[];
let front: TlsFront;
let transport: Transport;
let plainPort: number;

/** Answers everybody who is logged in, by digest or by cookie; each login gets a cookie of its own. */
async function start(pair: KeyPair, version?: SecureVersion) {
  requests = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { url, headers } = request;
      requests.push({ url, headers, body: Buffer.concat(chunks).toString() });
      if (url === '/login') response.setHeader('set-cookie', `sid=${requests.length}`);
      const isDigest = url === '/set' && headers.authorization === undefined && headers.cookie === undefined;
      if (isDigest) response.setHeader('www-authenticate', 'Digest realm="r", nonce="n", qop="auth"');
      response.statusCode = isDigest ? 401 : 200;
      response.end('{"ok":true}');
    });
  });
  await listen(server);
  plainPort = portOf(server);
  front = await startTlsFront({ host: IP, to: { host: IP, port: plainPort }, pair, ...(version && { version }) });
  transport = transportTo({ 80: plainPort, 443: front.port, 8080: plainPort, 4028: plainPort });
  onTestFinished(async () => {
    await transport.close();
    await front.close();
    server.closeAllConnections();
    server.close();
  });
}

beforeEach(() => start(a));

const refused = (link: MinerLink, request: MinerRequest) => peerErrorOf(link.send(request));
const NOT_SENT = { code: 'peer.tls-key', wasSent: false };

test('a look without a login tells the key, and none in the clear', async () => {
  expect(await transport.link(IP).look('/', { port: 443 })).toMatchObject({ status: 200, tlsKey: A });
  expect(await transport.link(IP).look('/')).not.toHaveProperty('tlsKey');
});

test.each([
  ['a digest', 'digest'],
  ['a session', session],
] as const)('what goes to the web of such a device goes over TLS: %s', async (_, auth) => {
  expect(await transport.link(IP, login, A).send(post(auth))).toEqual({ ok: true });
  expect(front.heard()).toContain('/set');
  expect(front.handshakes()).toBe(1);
});

describe('to another key nothing is written', () => {
  test.each([
    ['without a login', get('/'), false],
    ['an order with pools', post('digest'), true],
    ['a login by session', post(session), true],
    ['a login in the request', post(carried), true],
    ['a file', get('/up', { method: 'POST', auth: 'digest', octets: new Blob([SECRET]) }), true],
  ] as const)('%s', async (_, request, isLoggedIn) => {
    const error = await refused(transport.link(IP, isLoggedIn ? login : undefined, B), request);
    expect(error).toMatchObject(NOT_SENT);
    expect(error.message).toContain('pithead trust list');
    expect([await front.heardInTheEnd(), requests]).toEqual(['', []]);
  });

  test('that came between who it is and the login', async () => {
    const shown = (await transport.link(IP).look('/', { port: 443 })).tlsKey;
    await front.swap(b);
    front.listenAnew();
    expect(await refused(transport.link(IP, login, shown), post(session))).toMatchObject(NOT_SENT);
    expect(await front.heardInTheEnd()).toBe('');
  });

  test('that comes in the middle of a session', async () => {
    const link = transport.link(IP, login, A);
    await link.send(post(session));
    await front.swap(b);
    front.listenAnew();
    expect(await refused(link, post(session))).toMatchObject(NOT_SENT);
    expect(await front.heardInTheEnd()).toBe('');
  });

  test('on a connection that is kept alive', async () => {
    // Whoever asked without expecting a key left it open.
    await transport.link(IP).look('/', { port: 443 });
    expect(await refused(transport.link(IP, login, B), post('digest'))).toMatchObject(NOT_SENT);
    await transport.link(IP).look('/', { port: 443 });
    expect(await transport.link(IP, login, A).send(post('digest'))).toEqual({ ok: true });
    // The wrong expectation ended one, and the others shared the next.
    expect(front.handshakes()).toBe(2);
    expect(front.heard().match(/pool-secret/g)).toHaveLength(2);
  });
});

test('a session that one key has granted is not shown to the next', async () => {
  await transport.link(IP, login, A).send(post(session));
  await front.swap(b);
  front.listenAnew();
  await transport.link(IP, login, B).send(post(session));
  expect(front.heard()).not.toContain('sid=1\r\n');
  expect(requests.map(({ url, headers }) => [url, headers.cookie])).toEqual([
    ['/login', undefined],
    ['/set', 'sid=1'],
    ['/login', undefined],
    ['/set', 'sid=3'],
  ]);
});

describe('who is known by a key gets no login in the clear', () => {
  test.each([
    ['to another port', { ...post('digest'), port: 8080 }],
    ['to another port, in the request', { ...post(carried), port: 8080 }],
    ['that a session wants to open at another port', post(elsewhere)],
  ] as const)('%s', async (_, request) => {
    const error = await refused(transport.link(IP, login, A), request);
    expect(error).toMatchObject(NOT_SENT);
    expect(error.message).toContain('in the clear');
    expect(requests).toEqual([]);
  });
  test('in a command of the CGMiner kind', async () => {
    const request: MinerRequest = { via: 'cgminer', command: 'set', carry: ({ password }) => password };
    expect(await refused(transport.link(IP, login, A), request)).toMatchObject({ code: 'peer.auth' });
    expect(requests).toEqual([]);
  });
  test('what needs none may be asked there', async () => {
    expect(await transport.link(IP, login, A).send({ ...get('/'), port: 8080 })).toEqual({ ok: true });
  });
});

test('over TLS no login goes to a device that showed no key when it was asked who it is', async () => {
  expect(await refused(transport.link(IP, login), { ...post('digest'), port: 443 })).toMatchObject(NOT_SENT);
  expect(await front.heardInTheEnd()).toBe('');
});

test.each(['TLSv1.2', 'TLSv1.3'] as const)(
  'no session is resumed, each connection shows its key: %s',
  async (version) => {
    await front.close();
    await start(a, version);
    for (const count of [1, 2, 3]) {
      expect(await transport.link(IP).look('/', { port: 443 })).toMatchObject({ tlsKey: A });
      expect([front.handshakes(), front.resumed()]).toEqual([count, 0]);
      await front.drop();
    }
  },
);

// Logins by session and logins that are carried along, against real web servers on loopback.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { afterEach, describe, expect, test } from 'vitest';
import type { Clock } from '../../../../src/base/clock.ts';
import { renderError } from '../../../../src/base/errors.ts';
import { Secret } from '../../../../src/base/secrets.ts';
import type { HttpRequest, WebSession } from '../../../../src/transport/request.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { listen, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';

const PASSWORD = 'secret-word';
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

type Seen = {
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};

async function web(answer: (seen: Seen, response: ServerResponse) => void, clock?: Clock) {
  const requests: Seen[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { method = '', url = '', headers } = request;
      const seen = { method, url, headers, body: Buffer.concat(chunks).toString('utf8') };
      requests.push(seen);
      answer(seen, response);
    });
  });
  await listen(server);
  const transport = transportTo({ 80: portOf(server), 8080: portOf(server) }, {}, clock);
  open.push(transport, { close: () => server.closeAllConnections() }, { close: () => server.close() });
  const linkWith = (password: string) => transport.link('127.0.0.1', { user: 'root', password: new Secret(password) });
  return { requests, link: linkWith(PASSWORD), stranger: transport.link('127.0.0.1'), linkWith };
}

const bearer: WebSession = {
  name: 'bearer',
  open: ({ user, password }) => ({ via: 'http', method: 'POST', path: '/login', json: { user, password } }),
  grant({ status, body }) {
    const token = typeof body === 'object' && body !== null && 'token' in body ? body.token : undefined;
    return status < 400 && typeof token === 'string' ? { authorization: `Bearer ${token}` } : undefined;
  },
};

const ask = (auth: HttpRequest['auth'], more: Partial<HttpRequest> = {}): HttpRequest => ({
  via: 'http',
  method: 'GET',
  path: '/status',
  auth,
  as: 'json',
  ...more,
});

/** Gives out numbered tokens and takes only the newest, `lives` times each. */
async function tokenWeb(lives = Number.POSITIVE_INFINITY) {
  const state = { token: 0, used: 0, logins: 0 };
  const server = await web(({ url, headers, body }, response) => {
    if (url === '/login') {
      state.logins++;
      const isRight = JSON.parse(body).password === PASSWORD;
      if (isRight) {
        state.token++;
        state.used = 0;
      } else response.statusCode = 403;
      response.end(
        JSON.stringify(
          isRight ? { token: `t${state.token}` } : { error: `wrong password ${JSON.parse(body).password}` },
        ),
      );
      return;
    }
    const isGood = headers.authorization === `Bearer t${state.token}` && state.used < lives;
    state.used++;
    response.statusCode = isGood ? 200 : 401;
    response.end('{"ok":true}');
  });
  return { ...server, state };
}

describe('a session', () => {
  test('is opened once and serves all later requests', async () => {
    const { link, requests, state } = await tokenWeb();
    for (let i = 0; i < 4; i++) expect(await link.send(ask(bearer))).toEqual({ ok: true });
    expect(state.logins).toBe(1);
    expect(requests).toHaveLength(5);
  });
  test('is opened once for requests that come together', async () => {
    const { link, state } = await tokenWeb();
    const answers = await Promise.all(Array.from({ length: 6 }, () => link.send(ask(bearer))));
    expect(answers).toEqual(Array(6).fill({ ok: true }));
    expect(state.logins).toBe(1);
  });
  test('that has expired is opened anew, and the request repeated', async () => {
    const { link, state } = await tokenWeb(2);
    for (let i = 0; i < 5; i++) expect(await link.send(ask(bearer))).toEqual({ ok: true });
    expect(state.logins).toBe(3);
  });
  test('that is refused shows no password, however the device quotes it', async () => {
    const password = 'p"ss/ wörd';
    const { linkWith } = await web(({ body }, response) => {
      response.writeHead(401).end(JSON.stringify({ error: body, path: `/login?p=${encodeURIComponent(password)}` }));
    });
    const { message } = await peerErrorOf(linkWith(password).send(ask(bearer)));
    expect(message).toContain('[secret]');
    for (const part of ['ss/ w', 'ss%2F']) expect(message).not.toContain(part);
  });
  test('with a wrong password is tried once, even by requests that come together, and shows no secret', async () => {
    const { linkWith, state } = await tokenWeb();
    const link = linkWith('wrong-word');
    const errors = await Promise.all(Array.from({ length: 4 }, () => peerErrorOf(link.send(ask(bearer)))));
    expect(state.logins).toBe(1);
    for (const error of errors) {
      expect(error).toMatchObject({ code: 'peer.auth', retry: 'never', wasSent: false });
      expect(renderError(error) + JSON.stringify(error)).not.toContain('wrong-word');
      expect(error.message).toContain('wrong password [secret]');
    }
  });
  test('of one login is not used by another', async () => {
    const { link, linkWith, state } = await tokenWeb();
    await link.send(ask(bearer));
    expect(await peerErrorOf(linkWith('wrong-word').send(ask(bearer)))).toMatchObject({ code: 'peer.auth' });
    expect(await link.send(ask(bearer))).toEqual({ ok: true });
    expect(state.logins).toBe(2);
  });
  test('is not opened without a login: the request goes as it is', async () => {
    const { stranger, requests } = await tokenWeb();
    expect(await peerErrorOf(stranger.send(ask(bearer)))).toMatchObject({ code: 'peer.auth' });
    expect(requests.map(({ url }) => url)).toEqual(['/status']);
  });
  test('that is refused for one page only is a matter of permission, and stays for the others', async () => {
    let logins = 0;
    const { link } = await web(({ url }, response) => {
      if (url === '/login') logins++;
      response.statusCode = url === '/forbidden' ? 401 : 200;
      response.end('{"token":"t"}');
    });
    await link.send(ask(bearer));
    expect(await peerErrorOf(link.send(ask(bearer, { path: '/forbidden' })))).toMatchObject({
      code: 'peer.permission',
    });
    expect(logins).toBe(2);
    await link.send(ask(bearer));
    expect(logins).toBe(2);
  });
  test('that is refused as soon as it is open is a refused login', async () => {
    let logins = 0;
    const { link } = await web(({ url }, response) => {
      if (url === '/login') logins++;
      response.statusCode = url === '/login' ? 200 : 401;
      response.end('{"token":"t"}');
    });
    expect(await peerErrorOf(link.send(ask(bearer)))).toMatchObject({ code: 'peer.auth' });
    expect(logins).toBe(1);
  });
  test('that ends with status 200 is known by what the driver says of it', async () => {
    let isOver = true;
    const { link } = await web(({ url }, response) => {
      if (url === '/login') isOver = false;
      response.end(url === '/login' ? '{"token":"t"}' : isOver ? '<html>log in</html>' : '{"ok":true}');
    });
    const shy: WebSession = {
      ...bearer,
      isRefused: (answer) => typeof answer === 'string' && answer.includes('log in'),
    };
    expect(await link.send(ask(shy))).toEqual({ ok: true });
    isOver = true;
    expect(await link.send(ask(shy))).toEqual({ ok: true });
  });
  test.each([
    [429, 'peer.busy'],
    [500, 'peer.rejected'],
    [404, 'peer.unsupported'],
    [400, 'peer.auth'],
  ])('whose login is answered with %i is %s, in the words of the device', async (status, code) => {
    const { link, requests } = await web((_seen, response) => {
      response.statusCode = status;
      response.end('{"unlock_timeout":300}');
    });
    const error = await peerErrorOf(link.send(ask(bearer)));
    expect(error).toMatchObject({ code, wasSent: false });
    expect(error.message).toContain(`${status} {"unlock_timeout":300}`);
    expect(requests).toHaveLength(1);
  });
  test('that had too many logins is left alone for as long as the device says', async () => {
    const { link, requests } = await web(({ url }, response) => {
      response.writeHead(url === '/login' ? 429 : 200, { 'retry-after': '300' }).end('wait');
    });
    for (let i = 0; i < 3; i++) {
      const error = await peerErrorOf(link.send(ask(bearer)));
      expect(error).toMatchObject({ code: 'peer.busy', wasSent: false });
      expect(error.message).toContain('429 wait');
    }
    expect(requests).toHaveLength(1);
    expect(await link.send(ask('none', { as: 'text' }))).toBe('wait');
  });
  test('whose login is lost was not sent, and says so', async () => {
    const { link } = await web((_seen, response) => response.destroy());
    const error = await peerErrorOf(link.send(ask(bearer)));
    expect(error).toMatchObject({ code: 'peer.reset', wasSent: false });
  });
  test.each([
    ['as it is', (password: string) => password],
    ['in Base64', (password: string) => Buffer.from(password).toString('base64')],
    ['reversed', (password: string) => [...password].reverse().join('')],
  ])('whose login would put the password into an address, %s, is not sent', async (_, write) => {
    const { link, requests } = await web((_seen, response) => response.end('{"token":"t"}'));
    const inPath: WebSession = {
      ...bearer,
      open: ({ password }) => ({ via: 'http', method: 'GET', path: `/login?password=${write(password)}` }),
    };
    const error = await peerErrorOf(link.send(ask(inPath)));
    expect(error).toMatchObject({ code: 'peer.auth', wasSent: false });
    expect(renderError(error)).toContain('its address would hold the password');
    expect(renderError(error)).not.toContain(PASSWORD);
    expect(requests).toEqual([]);
  });
  test('whose request gets no answer says that it was sent', async () => {
    const clock = createVirtualClock();
    const { link, requests } = await web(({ url }, response) => {
      if (url === '/login') response.end('{"token":"t"}');
    }, clock);
    const error = peerErrorOf(link.send(ask(bearer, { method: 'POST' }), { deadlineMs: 400 }));
    await expect.poll(() => requests).toHaveLength(2);
    await clock.advance(500);
    expect(await error).toMatchObject({ code: 'peer.timeout', wasSent: true });
  });
  test('with a grant that fits no header is nonsense of the device', async () => {
    const { link } = await web((_seen, response) => response.end('{"token":"a\\nb"}'));
    expect(await peerErrorOf(link.send(ask(bearer)))).toMatchObject({ code: 'peer.unparsable' });
  });
  test('takes cookies, the last of each name', async () => {
    const cookies: WebSession = {
      name: 'cookie',
      open: ({ user, password }) => ({
        via: 'http',
        method: 'POST',
        path: '/login.php',
        form: { user, word: password },
        port: 8080,
      }),
      grant: ({ status, cookie }) => (status === 302 && cookie !== undefined ? { cookie } : undefined),
    };
    const { link, requests } = await web(({ url }, response) => {
      if (url === '/login.php') {
        response.writeHead(302, {
          'set-cookie': ['sid=old; Path=/', 'lang=en', 'sid=new; HttpOnly'],
          location: '/home',
        });
      }
      response.end('{}');
    });
    await link.send(ask(cookies));
    expect(requests.map(({ url }) => url)).toEqual(['/login.php', '/status']);
    expect(requests[0]?.body).toBe('user=root&word=secret-word');
    expect(requests[0]?.headers['content-type']).toBe('application/x-www-form-urlencoded');
    expect(requests[1]?.headers.cookie).toBe('sid=new; lang=en');
  });
  test('leaves out who was cancelled while waiting, and serves the others', async () => {
    const { link, requests } = await web(({ url }, response) => {
      if (url !== '/login') response.end('{"ok":true}');
      else if (requests.length > 1) response.end('{"token":"t"}');
    });
    const stop = new AbortController();
    const first = link.send(ask(bearer), { signal: stop.signal });
    const second = link.send(ask(bearer));
    await expect.poll(() => requests).toHaveLength(1);
    stop.abort();
    await expect(first).rejects.toMatchObject({ family: 'cancelled' });
    expect(await second).toEqual({ ok: true });
  });
});

describe('a login that is carried along', () => {
  const carried = {
    carry: ({ password }: { password: string }) => ({ json: { password }, headers: { 'x-user': 'it' } }),
    isRefused: (answer: unknown) => typeof answer === 'object' && answer !== null && 'error' in answer,
  };
  test('joins the body and the headers', async () => {
    const { link, requests } = await web((_seen, response) => response.end('{}'));
    await link.send(ask(carried, { method: 'POST', json: { param: 'on' }, headers: { 'x-fixed': '1' } }));
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ param: 'on', password: PASSWORD });
    expect(requests[0]?.headers).toMatchObject({ 'x-user': 'it', 'x-fixed': '1', 'content-type': 'application/json' });
  });
  test('is left out where there is none', async () => {
    const { stranger, requests } = await web((_seen, response) => response.end('{}'));
    await stranger.send(ask(carried, { method: 'POST', json: { param: 'on' } }));
    expect(JSON.parse(requests[0]?.body ?? '')).toEqual({ param: 'on' });
  });
  test('is refused in the words of the driver', async () => {
    const { link } = await web((_seen, response) => response.end('{"error":"bad password"}'));
    expect(await peerErrorOf(link.send(ask(carried, { method: 'POST' })))).toMatchObject({ code: 'peer.auth' });
  });
});

test.each(['PUT', 'DELETE', 'PATCH'] as const)('%s is sent with its body', async (method) => {
  const { stranger, requests } = await web((_seen, response) => response.end('{}'));
  await stranger.send(ask('none', { method, json: { a: 1 } }));
  expect(requests[0]).toMatchObject({ method, body: '{"a":1}' });
});

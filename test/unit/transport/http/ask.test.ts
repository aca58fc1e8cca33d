// HTTP to a device, against servers of every kind: what is an answer, how a connection fails, and what a hostile one
// may not do.
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { describe, expect, onTestFinished, test } from 'vitest';
import { unpackBody } from '../../../../src/transport/http/unpack.ts';
import type { Transport } from '../../../../src/transport/transport.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { closedPort, listen, pause, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';
import { get, rawWeb, web } from '../web-device.ts';

describe('an answer', () => {
  test('is JSON, repaired where needed, or text', async () => {
    const { stranger } = await web((request, response) =>
      response.end(request.url === '/broken' ? '{"a":nan,}' : '{"a":1}'),
    );
    expect(await stranger.send(get('/whole'))).toEqual({ a: 1 });
    expect(await stranger.send(get('/broken'))).toEqual({ a: null });
    expect(await stranger.send(get('/text', { as: 'text' }))).toBe('{"a":1}');
  });
  test('to a POST carries JSON both ways', async () => {
    const { stranger, requests } = await web((_request, response, body) => response.end(body));
    const request = get('/set', { method: 'POST', json: { blink: 'true' } });
    expect(await stranger.send(request)).toEqual({ blink: 'true' });
    expect(requests[0]?.headers['content-type']).toBe('application/json');
  });
  test.each([
    ['gzip', gzipSync],
    ['deflate', deflateSync],
    ['deflate', deflateRawSync],
    ['br', brotliCompressSync],
  ] as const)('may be packed with %s', async (encoding, pack) => {
    const { stranger } = await web((_request, response) => {
      response.setHeader('content-encoding', encoding);
      response.end(pack('{"a":"packed"}'));
    });
    expect(await stranger.send(get('/'))).toEqual({ a: 'packed' });
  });
  test('of a redirect is not followed', async () => {
    const { stranger, requests } = await web((_request, response) => {
      response.writeHead(307, { location: '/elsewhere' });
      response.end('moved');
    });
    expect(await stranger.send(get('/', { as: 'text' }))).toBe('moved');
    expect(requests).toHaveLength(1);
  });
  test.each([
    [400, 'peer.rejected'],
    [401, 'peer.auth'],
    [403, 'peer.permission'],
    [404, 'peer.unsupported'],
    [429, 'peer.busy'],
    [500, 'peer.rejected'],
    [503, 'peer.busy'],
  ])('with status %i is %s, with the words of the device', async (status, code) => {
    const { stranger } = await web((_request, response) => {
      response.statusCode = status;
      response.end('the reason');
    });
    const error = await peerErrorOf(stranger.send(get('/')));
    expect(error.code).toBe(code);
    expect(error.message).toContain(`${status} the reason`);
  });
  test('that is no JSON is unparsable', async () => {
    const { stranger } = await web((_request, response) => response.end('<html>'));
    expect(await peerErrorOf(stranger.send(get('/')))).toMatchObject({ code: 'peer.unparsable' });
  });
});

describe('looking at a web page', () => {
  test('gives status, redirect, challenge and text, whatever the status', async () => {
    const { stranger } = await web((request, response) => {
      if (request.url === '/')
        response.writeHead(401, { 'www-authenticate': 'Digest realm="antMiner Configuration", nonce="n"' });
      else response.writeHead(307, { location: 'https://127.0.0.1/' });
      response.end('用户界面');
    });
    expect(await stranger.look('/')).toEqual({
      status: 401,
      authenticate: 'Digest realm="antMiner Configuration", nonce="n"',
      body: '用户界面',
    });
    expect(await stranger.look('/other')).toEqual({ status: 307, location: 'https://127.0.0.1/', body: '用户界面' });
  });
  test('keeps the first 64 KB, of a plain page and of a packed one', async () => {
    const page = 'x'.repeat(1_000_000);
    const { stranger } = await web((request, response) => {
      if (request.url === '/packed') response.setHeader('content-encoding', 'gzip');
      response.end(request.url === '/packed' ? gzipSync(page) : page);
    });
    expect((await stranger.look('/')).body).toHaveLength(65_536);
    expect((await stranger.look('/packed')).body).toHaveLength(65_536);
  });
});

describe('failures of the connection', () => {
  test('a closed port is refused and nothing was sent', async () => {
    const transport = transportTo({ 80: await closedPort() });
    onTestFinished(() => transport.close());
    const error = await peerErrorOf(transport.link('127.0.0.1').send(get('/')));
    expect(error).toMatchObject({ code: 'peer.refused', wasSent: false });
  });
  test.each<[string, string]>([
    ['in the headers', 'HTTP/1.1 200 OK\r\nx'],
    ['in the body', 'HTTP/1.1 200 OK\r\ncontent-length: 100000\r\n\r\n'],
    ['in an endless chunked body', 'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n'],
  ])('a slow drip %s is ended by the total deadline', async (_name, head) => {
    let dripped = 0;
    const clock = createVirtualClock();
    const { link } = await rawWeb(async (socket) => {
      socket.write(head);
      while (!socket.destroyed) {
        socket.write(head.includes('chunked') ? '1\r\nx\r\n' : 'x');
        dripped++;
        await pause(5);
      }
    }, clock);
    const error = peerErrorOf(link.send(get('/'), { deadlineMs: 300 }));
    await expect.poll(() => dripped).toBeGreaterThan(5);
    await clock.advance(400);
    expect(await error).toMatchObject({ code: 'peer.timeout', wasSent: true });
  });
  test('a reset in the middle is retryable and says that the request was sent', async () => {
    const { link } = await rawWeb((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":');
      setTimeout(() => socket.resetAndDestroy(), 30);
    });
    expect(await peerErrorOf(link.send(get('/')))).toMatchObject({ code: 'peer.reset', retry: 'soon', wasSent: true });
  });
  test('an end before the announced length is retryable', async () => {
    const { link } = await rawWeb((socket) => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"a":1}'));
    expect(await peerErrorOf(link.send(get('/')))).toMatchObject({ code: 'peer.reset', wasSent: true });
  });
  test('a body cut by its end alone is not taken for whole', async () => {
    const { link } = await rawWeb((socket) => socket.end('HTTP/1.0 200 OK\r\n\r\n{"a":1,"b":[1,2'));
    expect(await peerErrorOf(link.send(get('/')))).toMatchObject({ code: 'peer.reset', wasSent: true });
  });
  test('an abort while it waits is a cancellation', async () => {
    const { link } = await rawWeb(() => {});
    const stop = new AbortController();
    const sent = link.send(get('/'), { signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(sent).rejects.toMatchObject({ family: 'cancelled' });
  });
});

describe('hostile servers', () => {
  test('a body larger than the cap is cut off', async () => {
    const { stranger } = await web((_request, response) => response.end('x'.repeat(300_000)));
    expect(await peerErrorOf(stranger.send(get('/', { as: 'text' })))).toMatchObject({ code: 'peer.too-large' });
    expect(await stranger.send(get('/', { as: 'text' }), { maxBytes: 400_000 })).toHaveLength(300_000);
  });
  test('an endless body is cut off', async () => {
    const { link } = await rawWeb((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 1073741824\r\n\r\n');
      const block = Buffer.alloc(64 * 1024, 'x');
      const pump = () => {
        while (!socket.destroyed && socket.write(block));
      };
      socket.on('drain', pump);
      pump();
    });
    expect(await peerErrorOf(link.send(get('/')))).toMatchObject({ code: 'peer.too-large' });
  });
  test('a bomb of 100 MB in 100 KB stays small', async () => {
    const bomb = gzipSync(Buffer.alloc(100 * 1024 * 1024));
    const { stranger } = await web((_request, response) => {
      response.setHeader('content-encoding', 'gzip');
      response.end(bomb);
    });
    expect(await peerErrorOf(stranger.send(get('/')))).toMatchObject({ code: 'peer.too-large' });
    const unpacked = await unpackBody(bomb, 'gzip', 1024 * 1024);
    // The whole of what was unpacked, not the part that is handed out.
    expect(unpacked?.bytes.buffer.byteLength).toBeLessThan(1.1 * 1024 * 1024);
  });
  test('endless headers are cut off', async () => {
    const { link } = await rawWeb((socket) => {
      socket.write('HTTP/1.1 200 OK\r\n');
      const pump = () => {
        while (!socket.destroyed && socket.write(`x-more: ${'y'.repeat(1_000)}\r\n`));
      };
      socket.on('drain', pump);
      pump();
    });
    expect(await peerErrorOf(link.send(get('/')))).toMatchObject({ code: 'peer.too-large' });
  });
  test.each([
    'garbage\r\n\r\n',
    'HTTP/9.9 abc\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-length: -5\r\n\r\n',
    'HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\n\r\nnot gzip at all',
    'HTTP/1.1 200 OK\r\ncontent-encoding: unheard-of\r\n\r\n{}',
    'HTTP/1.1 101 Switching Protocols\r\nupgrade: x\r\nconnection: upgrade\r\n\r\n',
    'HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n',
    '\0\0\0\0',
    '',
  ])('%j is a PeerError', async (bytes) => {
    const { link } = await rawWeb((socket) => socket.end(bytes));
    const { code } = await peerErrorOf(link.send(get('/'), { deadlineMs: 20_000 }));
    expect(['peer.unparsable', 'peer.reset']).toContain(code);
  });
});

test('a self-signed certificate is accepted on port 443', async () => {
  const { createServer: createTlsServer } = await import('node:https');
  const { key, cert } = await import('../self-signed.data.ts');
  const server = createTlsServer({ key, cert }, (_request, response) => response.end('{"tls":true}'));
  await listen(server);
  const transport = transportTo({ 443: portOf(server) });
  onTestFinished(async () => {
    await transport.close();
    server.closeAllConnections();
    server.close();
  });
  expect(await transport.link('127.0.0.1').send(get('/', { port: 443 }))).toEqual({ tls: true });
});

test('a path that cannot be sent is our own mistake, and says so', async () => {
  const { stranger, requests } = await web((_request, response) => response.end('{}'));
  await expect(stranger.send(get('/a b\r\nx: y'))).rejects.toMatchObject({ family: 'bug' });
  expect(requests).toHaveLength(0);
});

test('one connection serves the requests of a visit', async () => {
  const { stranger, sockets } = await web((_request, response) => response.end('{}'));
  for (let i = 0; i < 5; i++) await stranger.send(get('/'));
  expect(sockets.size).toBe(1);
});

test('a closed transport sends nothing', async () => {
  const { transport, stranger, requests } = await web((_request, response) => response.end('{}'));
  await (transport satisfies Transport).close();
  await expect(stranger.send(get('/'))).rejects.toMatchObject({ family: 'cancelled' });
  expect(requests).toHaveLength(0);
});

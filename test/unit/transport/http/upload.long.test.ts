// Files that go to a device: every byte, its length beforehand, read as it is sent; and what becomes of an upload that
// goes wrong.
import { randomBytes } from 'node:crypto';
import { mkdtempSync, openAsBlob, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, test } from 'vitest';
import { Secret } from '../../../../src/base/secrets.ts';
import type { HttpRequest } from '../../../../src/transport/request.ts';
import { listen, peerErrorOf, portOf, transportTo } from '../loopback-device.ts';

const MIB = 1024 ** 2;
const open: { close(): unknown }[] = [];
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
});

const login = { user: 'root', password: new Secret('secret-word') };

async function web(answer: (request: IncomingMessage, response: ServerResponse) => void) {
  const server = createServer(answer);
  await listen(server);
  const transport = transportTo({ 80: portOf(server) });
  open.push(transport, { close: () => server.closeAllConnections() }, { close: () => server.close() });
  return transport.link('127.0.0.1', login);
}

async function imageOf(bytes: Buffer): Promise<{ path: string; blob: Blob }> {
  const dir = mkdtempSync(join(tmpdir(), 'pithead-upload-'));
  open.push({ close: () => rmSync(dir, { recursive: true, force: true }) });
  const path = join(dir, 'image.bin');
  writeFileSync(path, bytes);
  return { path, blob: await openAsBlob(path) };
}

const upload = (bytes: Blob, more: Partial<HttpRequest> = {}): HttpRequest => ({
  via: 'http',
  method: 'POST',
  path: '/upgrade',
  auth: 'none',
  upload: { fields: { keep: 'true' }, file: { field: 'fi"le', name: 'im"a\r\nge.bin', bytes } },
  as: 'json',
  ...more,
});

/** Boundary, header lines and bytes of each part, cut by hand as a small device does. */
function partsOf(body: Buffer, contentType: string) {
  const boundary = `--${/boundary=(.+)$/.exec(contentType)?.[1]}`;
  const parts: { head: string; bytes: Buffer }[] = [];
  for (let at = body.indexOf(boundary); at >= 0; ) {
    const next = body.indexOf(boundary, at + boundary.length);
    if (next < 0) break;
    const headEnd = body.indexOf('\r\n\r\n', at);
    parts.push({
      head: body.subarray(at + boundary.length + 2, headEnd).toString('utf8'),
      bytes: body.subarray(headEnd + 4, next - 2),
    });
    at = next;
  }
  return parts;
}

describe('an upload', () => {
  test('arrives whole, with its length and its fields', async () => {
    const image = randomBytes(3 * MIB + 17);
    const { blob } = await imageOf(image);
    let parts: ReturnType<typeof partsOf> = [];
    let headers: IncomingMessage['headers'] = {};
    const link = await web((request, response) => {
      headers = request.headers;
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        const body = Buffer.concat(chunks);
        parts = partsOf(body, request.headers['content-type'] ?? '');
        response.end(JSON.stringify({ length: body.length }));
      });
    });
    const answer = await link.send(upload(blob));
    expect(headers['transfer-encoding']).toBeUndefined();
    expect(answer).toEqual({ length: Number(headers['content-length']) });
    expect(parts.map(({ head }) => head.split('\r\n')[0])).toEqual([
      'content-disposition: form-data; name="keep"',
      'content-disposition: form-data; name="fi%22le"; filename="im%22a%0D%0Age.bin"',
    ]);
    expect(parts[0]?.bytes.toString()).toBe('true');
    expect(parts[1]?.bytes.equals(image)).toBe(true);
  });
  test('of a large file is read no faster than the device takes it', async () => {
    const { blob } = await imageOf(Buffer.alloc(160 * MIB, 7));
    const open = blob.stream.bind(blob);
    let readBytes = 0;
    const count = (chunk: Uint8Array, controller: TransformStreamDefaultController<Uint8Array>) => {
      readBytes += chunk.length;
      controller.enqueue(chunk);
    };
    Object.assign(blob, { stream: () => open().pipeThrough(new TransformStream({ transform: count })) });
    let mostAhead = 0;
    const link = await web((request, response) => {
      let bytes = 0;
      request.on('data', (chunk: Buffer) => {
        bytes += chunk.length;
        mostAhead = Math.max(mostAhead, readBytes - bytes);
      });
      request.on('end', () => response.end(JSON.stringify({ bytes })));
    });
    expect(await link.send(upload(blob))).toEqual({ bytes: expect.closeTo(blob.size + 500, -3) });
    expect(readBytes).toBe(blob.size);
    // What the kernel holds for a connection, and the buffers of both ends.
    expect(mostAhead).toBeLessThan(16 * MIB);
  });
  test('that gets no answer says that it was sent', async () => {
    const { blob } = await imageOf(randomBytes(MIB));
    const link = await web((request) => {
      request.resume();
      request.on('end', () => request.socket.destroy());
    });
    expect(await peerErrorOf(link.send(upload(blob)))).toMatchObject({ code: 'peer.reset', wasSent: true });
  });
  test('that was cut in the middle says that it was not sent', async () => {
    const { blob } = await imageOf(randomBytes(24 * MIB));
    const link = await web((request) => {
      request.once('data', () => request.socket.resetAndDestroy());
    });
    expect(await peerErrorOf(link.send(upload(blob)))).toMatchObject({ code: 'peer.reset', wasSent: false });
  });
  test('is ended by its total deadline when the device takes no more of it', async () => {
    const { blob } = await imageOf(randomBytes(24 * MIB));
    const link = await web((request) => request.pause());
    const error = await peerErrorOf(link.send(upload(blob), { deadlineMs: 600 }));
    expect(error).toMatchObject({ code: 'peer.timeout', wasSent: false });
  });
  test('may take longer than an ordinary request', async () => {
    const { blob } = await imageOf(randomBytes(MIB));
    const link = await web((request, response) => {
      request.resume();
      request.on('end', () => setTimeout(() => response.end('{"ok":true}'), 5_600));
    });
    expect(await link.send(upload(blob))).toEqual({ ok: true });
  });
  test('is refused at once by a device that does not read it to the end', async () => {
    const { blob } = await imageOf(randomBytes(24 * MIB));
    const link = await web((request, response) => {
      response.statusCode = 413;
      response.end('too large for me');
      request.pause();
    });
    const error = await peerErrorOf(link.send(upload(blob), { deadlineMs: 60_000 }));
    expect(error).toMatchObject({ code: 'peer.rejected' });
    expect(error.message).toContain('413 too large for me');
  });
  test('of a file that changed on the way is our own refusal', async () => {
    const { blob, path } = await imageOf(randomBytes(MIB));
    truncateSync(path, 100);
    const link = await web((request, response) => {
      request.resume();
      request.on('end', () => response.end('{}'));
    });
    await expect(link.send(upload(blob))).rejects.toMatchObject({ family: 'refused', code: 'upload.unreadable' });
  });
});

test('under a digest login the file goes once, after a challenge that was asked for without it', async () => {
  const image = randomBytes(MIB);
  const { blob } = await imageOf(image);
  const seen: { method: string; bytes: number; isAuthorized: boolean }[] = [];
  const link = await web((request, response) => {
    let bytes = 0;
    request.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    request.on('end', () => {
      const isAuthorized = request.headers.authorization !== undefined;
      seen.push({ method: request.method ?? '', bytes, isAuthorized });
      if (!isAuthorized) response.writeHead(401, { 'www-authenticate': 'Digest realm="r", nonce="n", qop="auth"' });
      response.end('{"ok":true}');
    });
  });
  await link.send(upload(blob, { auth: 'digest' }));
  await link.send(upload(blob, { auth: 'digest' }));
  const challenge = { method: 'GET', bytes: 0, isAuthorized: false };
  const sent = { method: 'POST', bytes: expect.closeTo(MIB + 500, -3), isAuthorized: true };
  expect(seen).toEqual([challenge, sent, challenge, sent]);
});

test('a login in the fields of an upload is put there', async () => {
  const { blob } = await imageOf(randomBytes(100));
  let body = '';
  const link = await web((request, response) => {
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('latin1');
    });
    request.on('end', () => response.end('{}'));
  });
  await link.send(upload(blob, { auth: { carry: ({ password }) => ({ fields: { password } }) } }));
  expect(body).toContain('name="password"\r\n\r\nsecret-word\r\n');
});

test('octets go out as they are, with their length, and a deadline that fits a file', async () => {
  const bytes = randomBytes(300_000);
  const seen: { type: string | undefined; length: string | undefined; body: Buffer }[] = [];
  const link = await web((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const { 'content-type': type, 'content-length': length } = request.headers;
      seen.push({ type, length, body: Buffer.concat(chunks) });
      response.end('done');
    });
  });
  const { blob } = await imageOf(bytes);
  const request = { via: 'http', method: 'POST', path: '/ota', auth: 'none', octets: blob, as: 'text' } as const;
  expect(await link.send(request)).toBe('done');
  expect(seen).toMatchObject([{ type: 'application/octet-stream', length: '300000' }]);
  expect(seen[0]?.body.equals(bytes)).toBe(true);
});

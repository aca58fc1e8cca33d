// Images are found by their hash, fetched only from where the configuration allows, and refused before anything reaches
// a miner otherwise.
import { createHash, randomBytes } from 'node:crypto';
import { mkdtempSync, readdirSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createFetch } from '../../../../src/agent/firmware/fetch.ts';
import { FirmwareStore } from '../../../../src/agent/firmware/store.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { listen, portOf } from '../../transport/loopback-device.ts';
import * as stranger from '../../transport/self-signed.data.ts';
import * as localhost from './localhost.data.ts';

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const IMAGE = randomBytes(300_000);
const HASH = sha256(IMAGE);
const never = new AbortController().signal;
let dir: string;
let folder: string;
const open: { close(): unknown }[] = [];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'pithead-firmware-'));
  folder = join(dir, 'images');
});
afterEach(async () => {
  for (const each of open.splice(0)) await each.close();
  rmSync(dir, { recursive: true, force: true });
});

async function host(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  { key, cert }: { key: string; cert: string } = localhost,
) {
  const requests: string[] = [];
  const server = createServer({ key, cert }, (request, response) => {
    requests.push(request.url ?? '');
    answer(request, response);
  });
  await listen(server);
  open.push({ close: () => server.closeAllConnections() }, { close: () => server.close() });
  return { requests, name: `localhost:${portOf(server)}` };
}

function storeFor(allowedHosts: string[], limits = { deadlineMs: 60_000, maxBytes: 10_000_000 }) {
  const fetchTo = createFetch(systemClock, limits, localhost.cert);
  return new FirmwareStore({ folder, allowedHosts, clock: systemClock, log: silentLog, fetchTo });
}

const put = (name: string, bytes: Buffer) => writeFileSync(join(folder, name), bytes);

describe('an image in the folder', () => {
  test('is found by its name, without a hash; a hash that is given must be its own', async () => {
    folder = dir;
    put('S21 release.bmu', IMAGE);
    const store = storeFor([]);
    const found = await store.find({ file: 'S21 release.bmu' }, never);
    expect(found).toMatchObject({ name: 'S21 release.bmu', sha256: HASH });
    expect(Buffer.from(await found.bytes.arrayBuffer()).equals(IMAGE)).toBe(true);
    expect(await store.find({ file: 'S21 release.bmu', sha256: HASH.toUpperCase() }, never)).toMatchObject({
      sha256: HASH,
    });
    const other = store.find({ file: 'S21 release.bmu', sha256: 'ab'.repeat(32) }, never);
    await expect(other).rejects.toMatchObject({ code: 'firmware.wrong', message: expect.stringContaining(HASH) });
    await expect(store.find({ file: 'S22.bmu' }, never)).rejects.toMatchObject({ code: 'firmware.missing' });
    await expect(store.find({ file: '../S21 release.bmu' }, never)).rejects.toMatchObject({ code: 'firmware.params' });
  });

  test('is found by its hash, whatever its name, and read from disk', async () => {
    folder = dir;
    put('other.bin', randomBytes(100));
    put('S21 release.bmu', IMAGE);
    const image = await storeFor([]).find({ sha256: HASH.toUpperCase() }, never);
    expect(image).toMatchObject({ name: 'S21 release.bmu', sha256: HASH });
    expect(Buffer.from(await image.bytes.arrayBuffer()).equals(IMAGE)).toBe(true);
    expect(await storeFor([]).size()).toEqual({ files: 2, bytes: 300_100 });
  });
  test('is not taken for what it was when it has changed', async () => {
    folder = dir;
    put('a.bin', IMAGE);
    const store = storeFor([]);
    await store.find({ sha256: HASH }, never);
    const other = randomBytes(IMAGE.length);
    put('a.bin', other);
    utimesSync(join(folder, 'a.bin'), new Date(), new Date(Date.UTC(2020, 1, 1)));
    await expect(store.find({ sha256: HASH }, never)).rejects.toMatchObject({ code: 'firmware.missing' });
    expect((await store.find({ sha256: sha256(other) }, never)).name).toBe('a.bin');
  });
  test('that is missing is refused with what to do', async () => {
    const store = storeFor([]);
    const params = { sha256: HASH, url: 'https://files.example/fw/x.bin' };
    await expect(store.find(params, never)).rejects.toMatchObject({
      family: 'refused',
      message: `no image with SHA-256 ${HASH} on the agent's host: put the file into ${folder}, or allow files.example in firmware.allowedHosts`,
    });
    await expect(store.find({ sha256: 'abc' }, never)).rejects.toMatchObject({ code: 'firmware.params' });
  });
});

describe('an image elsewhere', () => {
  test('is fetched once, kept under its hash for its owner only, and used from then on', async () => {
    const { name, requests } = await host((_request, response) => response.end(IMAGE));
    const store = storeFor([name]);
    const params = { sha256: HASH, url: `https://${name}/fw/new%20one.bin?x=1` };
    const images = await Promise.all([store.find(params, never), store.find(params, never)]);
    expect(requests).toEqual(['/fw/new%20one.bin?x=1']);
    expect(images.map((image) => image.bytes.size)).toEqual([IMAGE.length, IMAGE.length]);
    expect(readdirSync(folder)).toEqual([`${HASH}-new_20one.bin`]);
    if (process.platform !== 'win32') expect(statSync(join(folder, `${HASH}-new_20one.bin`)).mode & 0o077).toBe(0);
  });
  test.each([
    ['http', (name: string) => `http://${name}/x`],
    ['a login in it', (name: string) => `https://a:b@${name}/x`],
    ['another port', (name: string) => `https://${name.split(':')[0]}:1/x`],
    ['a longer name', (name: string) => `https://${name.replace('localhost', 'localhost.evil.example')}/x`],
    ['no address', () => 'file:///etc/passwd'],
  ])('is not fetched from an address with %s', async (_what, urlOf) => {
    const { name, requests } = await host((_request, response) => response.end(IMAGE));
    await expect(storeFor([name]).find({ sha256: HASH, url: urlOf(name) }, never)).rejects.toMatchObject({
      code: 'firmware.missing',
    });
    expect(requests).toEqual([]);
  });
  test('is not taken from a host that cannot prove its name', async () => {
    const { name, requests } = await host((_request, response) => response.end(IMAGE), stranger);
    const find = storeFor([name]).find({ sha256: HASH, url: `https://${name}/x` }, never);
    await expect(find).rejects.toMatchObject({ code: 'fetch.failed' });
    expect(requests).toEqual([]);
  });
  test('with other content is refused and not kept', async () => {
    const { name } = await host((_request, response) => response.end('another file'));
    const find = storeFor([name]).find({ sha256: HASH, url: `https://${name}/x` }, never);
    await expect(find).rejects.toMatchObject({ code: 'firmware.wrong' });
    expect(readdirSync(folder)).toEqual([]);
  });
  test('follows a redirect to an allowed host, and to no other', async () => {
    const other = await host((_request, response) => response.end(IMAGE));
    const first = await host((request, response) => {
      const location = request.url === '/in' ? '/there' : `https://${other.name}/x`;
      if (request.url === '/there') response.end(IMAGE);
      else response.writeHead(302, { location }).end();
    });
    const store = storeFor([first.name]);
    await expect(store.find({ sha256: HASH, url: `https://${first.name}/out` }, never)).rejects.toMatchObject({
      code: 'fetch.host',
    });
    expect(other.requests).toEqual([]);
    expect((await store.find({ sha256: HASH, url: `https://${first.name}/in` }, never)).sha256).toBe(HASH);
  });
  test('that is too large, refused, cut or endless leaves nothing behind', async () => {
    const { name } = await host((request, response) => {
      if (request.url === '/404') response.writeHead(404).end();
      else if (request.url === '/cut')
        response.writeHead(200, { 'content-length': '500000' }).write(IMAGE, () => response.destroy());
      else if (request.url === '/large') response.end(Buffer.alloc(2_000_000));
      else if (request.url === '/loop') response.writeHead(302, { location: '/loop' }).end();
      else response.write('x');
    });
    const maxBytes = 1_000_000;
    const patient = storeFor([name], { deadlineMs: 60_000, maxBytes });
    const hasty = storeFor([name], { deadlineMs: 300, maxBytes });
    const codes: unknown[] = [];
    for (const path of ['404', 'cut', 'large', 'loop', 'endless']) {
      const store = path === 'endless' ? hasty : patient;
      const find = store.find({ sha256: HASH, url: `https://${name}/${path}` }, never);
      codes.push(await find.catch((error: { code: unknown }) => error.code));
    }
    expect(codes).toEqual(['fetch.status', 'fetch.failed', 'fetch.too-large', 'fetch.redirect', 'fetch.slow']);
    expect(readdirSync(folder)).toEqual([]);
  });
  test('is not waited for any longer when the task is given up', async () => {
    const { name } = await host((_request, response) => response.write('x'));
    const stop = new AbortController();
    const find = storeFor([name]).find({ sha256: HASH, url: `https://${name}/x` }, stop.signal);
    setTimeout(() => stop.abort(), 100);
    await expect(find).rejects.toMatchObject({ family: 'cancelled' });
  });
});

// TLS by certificate and key: what is served, what is not spoken, and wrong files told at the start.
import { writeFileSync } from 'node:fs';
import { Agent as HttpsAgent } from 'node:https';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { Agent, request } from 'undici';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { ConfigError } from '../../../src/base/errors.ts';
import { createService } from '../../../src/service/service.ts';
import { UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { boardOf } from './board-readers.ts';
import { PASSWORD, SESSION } from './browser.ts';
import { authority, elsewhere, expired, good } from './certificates.data.ts';
import { recordingLog, startRig, steppedClock, temporaryFolder } from './rig.ts';

function filesOf({ cert, key }: { cert: string; key: string }) {
  const folder = temporaryFolder();
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

test('serves over TLS to who trusts it, uplinks too, and plain to nobody', async () => {
  const rig = await startRig({ tls: filesOf(good) });
  expect(rig.url).toMatch(/^https:/);
  const dispatcher = new Agent({ connect: { ca: authority } });
  const answer = await request(`${rig.url}/healthz`, { dispatcher });
  expect([answer.statusCode, await answer.body.json()]).toEqual([200, { status: 'ok' }]);
  await dispatcher.close();
  const refused = await new Promise<number | undefined>((resolve, reject) => {
    const socket = new WebSocket(rig.url.replace('https', 'wss') + UPLINK_PATH, {
      agent: new HttpsAgent({ ca: authority }),
    });
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('error', reject);
  });
  expect(refused).toBe(401);
  await expect(request(`${rig.url}/healthz`)).rejects.toThrow();
  await expect(request(`${rig.url.replace('https', 'http')}/healthz`)).rejects.toThrow();
});

test('streams of boards go over TLS, to a page of its own origin too', async () => {
  const rig = await startRig({ tls: filesOf(good) });
  const open = (origin: string) =>
    new Promise<string>((resolve) => {
      const socket = new WebSocket(rig.url.replace('https', 'wss') + boardOf(rig, '/stream'), {
        ...{ agent: new HttpsAgent({ ca: authority }), headers: { 'x-api-key': rig.key, origin } },
      });
      socket.on('unexpected-response', (_request, response) => resolve(String(response.statusCode)));
      socket.on('message', (data) => resolve(String(data)));
      socket.on('error', (error) => resolve(error.message));
    });
  expect(await open(rig.url)).toBe('{"type":"snapshot"}');
  expect(await open('https://evil.example')).toBe('403');
});

test.each(['TLSv1', 'TLSv1.1'] as const)('does not speak %s', async (version) => {
  const rig = await startRig({ tls: filesOf(good) });
  const { port } = new URL(rig.url);
  const spoken = await new Promise<string | null>((resolve) => {
    const socket = connectTls(
      {
        host: '127.0.0.1',
        port: Number(port),
        ca: authority,
        minVersion: version,
        maxVersion: version,
        ciphers: 'DEFAULT@SECLEVEL=0',
      },
      () => {
        resolve(socket.getProtocol());
        socket.destroy();
      },
    );
    socket.on('error', () => resolve(null));
  });
  expect(spoken).toBeNull();
});

const PEM = /-----BEGIN/;

test.each([
  ['no certificate', { cert: 'nonsense', key: good.key }, ['listen.tls.certFile']],
  ['no key', { cert: good.cert, key: '' }, ['listen.tls.keyFile']],
  ['both wrong', { cert: '', key: 'nonsense' }, ['listen.tls.certFile', 'listen.tls.keyFile']],
  ['the key of another', { cert: good.cert, key: elsewhere.key }, ['listen.tls.keyFile']],
  [
    'key and certificate the wrong way round',
    { cert: good.key, key: good.cert },
    ['listen.tls.certFile', 'listen.tls.keyFile'],
  ],
])('%s is told before anything is opened, without what is in the files', async (_name, pair, paths) => {
  const files = filesOf(pair);
  const error = await startRig({ tls: files }).catch((thrown: unknown) => thrown);
  if (!(error instanceof ConfigError)) throw new Error(`expected a ConfigError, got ${String(error)}`);
  expect(error.problems.map(({ path }) => path)).toEqual(paths);
  expect(JSON.stringify(error.problems)).not.toMatch(PEM);
});

test('files that are not there are told by name', async () => {
  const missing = { certFile: '/nowhere/cert.pem', keyFile: '/nowhere/key.pem' };
  await expect(startRig({ tls: missing })).rejects.toMatchObject({
    problems: [
      { message: expect.stringContaining('/nowhere/cert.pem') },
      { message: expect.stringContaining('/nowhere/key.pem') },
    ],
  });
});

test('an expired certificate is served with a warning: to stay away helps nobody', async () => {
  const log = recordingLog();
  const service = await createService({
    databasePath: join(temporaryFolder(), 'service.sqlite'),
    host: '127.0.0.1',
    port: 0,
    clock: steppedClock(),
    log,
    version: '0',
    tls: filesOf(expired),
  });
  await service.stop();
  expect(log.lines.map(({ message }) => message)).toContain('the certificate has expired: clients will refuse it');
});

test('a renewed certificate is taken without a restart, a broken one is not', async () => {
  const files = filesOf(good);
  const log = recordingLog();
  const rig = await startRig({ tls: files, log });
  const nameShown = () =>
    new Promise<string>((resolve, reject) => {
      const socket = connectTls(
        { host: '127.0.0.1', port: Number(new URL(rig.url).port), rejectUnauthorized: false },
        () => {
          resolve(String(socket.getPeerCertificate().subject.CN));
          socket.destroy();
        },
      );
      socket.on('error', reject);
    });
  expect(await nameShown()).toBe('good');
  writeFileSync(files.certFile, 'half a file');
  await expect.poll(() => log.lines.some(({ level }) => level === 'error')).toBe(true);
  expect(await nameShown()).toBe('good');
  writeFileSync(files.keyFile, elsewhere.key);
  writeFileSync(files.certFile, elsewhere.cert);
  await expect.poll(nameShown).toBe('elsewhere');
});

test('over TLS the session is in a cookie that no other host and no plain page can set', async () => {
  const rig = await startRig({ tls: filesOf(good) });
  const dispatcher = new Agent({ connect: { ca: authority } });
  const { code } = await rig.service.admin.people.claim(rig.workspaceId);
  const headers = { 'content-type': 'application/json', origin: rig.url };
  const body = JSON.stringify({ code, name: 'Ada', password: PASSWORD });
  const plain = { ...headers, origin: rig.url.replace('https', 'http') };
  const claim = `${rig.url}${SESSION}/claim`;
  expect((await request(claim, { method: 'POST', headers: plain, body, dispatcher })).statusCode).toBe(403);
  const claimed = await request(claim, { method: 'POST', headers, body, dispatcher });
  const cookie = String(claimed.headers['set-cookie']);
  expect(cookie).toMatch(/^__Host-pithead=[\w-]{43}; Path=\/; HttpOnly; Secure; SameSite=Strict$/);
  const [pair = ''] = cookie.split(';');
  const status = async (sent: string) =>
    (await request(`${rig.url}${SESSION}`, { headers: { cookie: sent }, dispatcher })).statusCode;
  expect([await status(pair), await status(pair.replace('__Host-', ''))]).toEqual([200, 401]);
  await dispatcher.close();
});

// The line to the service: no token and no code goes to anybody who is not proven to be the service, nor over a line
// that others can read, unless the operator says so, and then it shows.

import { writeFileSync } from 'node:fs';
import { createServer as createPlain, type RequestListener, type Server } from 'node:http';
import { createServer as createSecure } from 'node:https';
import { createServer as createTcp, type Socket } from 'node:net';
import { join } from 'node:path';
import { connect as connectTls, getCACertificates, setDefaultCACertificates } from 'node:tls';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { enrol } from '../../src/agent/uplink/enrolment/enrol.ts';
import { ConfigError, PeerError } from '../../src/base/errors.ts';
import { Secret } from '../../src/base/secrets.ts';
import { runPithead } from '../e2e/process.ts';
import { until } from '../e2e/until.ts';
import { loopback } from '../support/loopback.ts';
import { uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { authority, elsewhere, expired, good, selfSigned } from '../unit/service-http/certificates.data.ts';
import { recordingLog, startRig, temporaryFolder } from '../unit/service-http/rig.ts';
import { identityKey, prove } from '../unit/service-http/wire-agent.ts';
import { report } from './table.ts';

const CODE = 'CANARY-OF-A-CODE';
const TOKEN = 'canary-of-a-token-that-is-long-enough';
const AGENT = '0198a7a2-0000-7000-8000-00000000000a';

const usual = getCACertificates('default');
beforeAll(() => {
  setDefaultCACertificates([...usual, authority]);
  // What an operator may have set to get something else to work.
  process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
});
afterAll(() => {
  setDefaultCACertificates(usual);
  delete process.env.NODE_TLS_REJECT_UNAUTHORIZED;
});

/** A listener on the loopback; `heard` = requests and upgrades that got as far as to be understood. */
async function listen(make: (handler: RequestListener) => Server, answer?: RequestListener) {
  const heard: string[] = [];
  const server = make((request, reply) => {
    heard.push(`${request.method} ${request.url}`);
    if (answer === undefined) reply.end();
    else answer(request, reply);
  });
  server.on('upgrade', (request, socket) => {
    heard.push(`upgrade ${request.url}`);
    if (answer === undefined) socket.destroy();
    else socket.end(`HTTP/1.1 302 Found\r\nlocation: ${location(request.url)}\r\ncontent-length: 0\r\n\r\n`);
  });
  server.on('tlsClientError', () => {});
  server.on('clientError', (_error, socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  return { port: typeof address === 'object' ? address?.port : undefined, heard };
}

let plainPort = 0;
const location = (path = '/') => `http://127.0.0.1:${plainPort}${path}`;

const OLD = { ciphers: 'DEFAULT@SECLEVEL=0' } as const;

const BAD: Readonly<Record<string, (handler: RequestListener) => Server>> = {
  'an expired certificate': (handler) => createSecure(expired, handler),
  'a certificate that signed itself': (handler) => createSecure(selfSigned, handler),
  'a certificate of another host': (handler) => createSecure(elsewhere, handler),
  'TLS 1.1': (handler) => createSecure({ ...good, ...OLD, minVersion: 'TLSv1.1', maxVersion: 'TLSv1.1' }, handler),
  'TLS 1.0': (handler) => createSecure({ ...good, ...OLD, minVersion: 'TLSv1', maxVersion: 'TLSv1' }, handler),
  'no TLS': (handler) => createPlain(handler),
};

/** How an exchange of the code ends. */
async function enrolAt(url: string): Promise<string> {
  try {
    await enrol({ url, code: CODE, name: 'north', version: '1.0.0', identity_key: identityKey, deadlineMs: 20_000 });
    return 'done';
  } catch (error) {
    return error instanceof PeerError || error instanceof ConfigError ? error.code : String(error);
  }
}

/** How often an uplink was welcomed, after it has tried three times. */
async function linkAt(url: string): Promise<number> {
  let [welcomes, tries] = [0, 0];
  const uplink = uplinkTo(url, {
    credentials: { agentId: AGENT, token: new Secret(TOKEN), prove },
    onState({ phase }) {
      if (phase === 'online') welcomes++;
      if (phase === 'waiting' || phase === 'refused') tries++;
    },
    timing: { backoff: { baseMs: 5, capMs: 10 }, refusedMs: 10 },
  });
  uplink.start();
  await until(
    () => tries + welcomes,
    (count) => count >= 3,
    60_000,
  );
  await uplink.stop();
  return welcomes;
}

test('nobody without a good certificate, and nothing older than TLS 1.2, is told the code or the token', async () => {
  const told: string[] = [];
  const reasons: string[] = [];
  for (const [name, make] of Object.entries(BAD)) {
    const { port, heard } = await listen(make);
    reasons.push(await enrolAt(`https://127.0.0.1:${port}`));
    const welcomes = await linkAt(`https://127.0.0.1:${port}`);
    if (welcomes > 0 || heard.length > 0) told.push(`${name}: ${heard.join()}`);
  }
  expect(told).toEqual([]);
  expect(new Set(reasons)).toEqual(new Set(['peer.unreachable']));
  // The same with a good one gets through, so that the others failed for what is wrong with them.
  const fine = await listen((handler) =>
    createSecure({ ...good, minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' }, handler),
  );
  expect(await enrolAt(`https://127.0.0.1:${fine.port}`)).toBe('peer.unparsable');
  await linkAt(`https://127.0.0.1:${fine.port}`);
  expect(fine.heard.length).toBeGreaterThan(1);
  report({
    id: 'S10',
    value: `${Object.keys(BAD).join(', ')}: at enrolment and uplink ${told.length} of ${2 * Object.keys(BAD).length} not refused`,
    bar: '100 % refused, TLS >= 1.2',
    isMet: told.length === 0,
  });
});

test('a service that sends the agent elsewhere, to a plain server, is not followed', async () => {
  let strangers = 0;
  const elsewherePlain = createTcp((socket: Socket) => {
    strangers++;
    socket.destroy();
  });
  await new Promise<void>((resolve) => elsewherePlain.listen(0, '127.0.0.1', () => resolve()));
  onTestFinished(() => void elsewherePlain.close());
  const address = elsewherePlain.address();
  plainPort = typeof address === 'object' ? (address?.port ?? 0) : 0;
  const redirects = [301, 302, 303, 307, 308];
  for (const status of redirects) {
    const { port, heard } = await listen(
      (handler) => createSecure(good, handler),
      (request, reply) => {
        reply.writeHead(status, { location: location(request.url), 'strict-transport-security': 'max-age=0' });
        reply.end();
      },
    );
    expect(await enrolAt(`https://127.0.0.1:${port}`)).toBe('peer.rejected');
    expect(await linkAt(`https://127.0.0.1:${port}`)).toBe(0);
    expect(heard.length).toBeGreaterThan(1);
  }
  report({
    id: 'S10',
    value: `${redirects.length} ways to send it to a plain server: ${strangers} connections there`,
    bar: 'no downgrade',
    isMet: strangers === 0,
  });
});

test('plain is refused unless the operator says so, and then the log, the doctor and setup show it', async () => {
  // Not of those that mean this machine, and still nothing leaves it.
  const url = 'http://0.0.0.0:9';
  expect(await enrolAt(url)).toBe('config.invalid');
  await expect(linkAt(url)).rejects.toThrow(ConfigError);
  await expect(linkAt('ws://0.0.0.0:9')).rejects.toThrow(ConfigError);

  const folder = temporaryFolder();
  const config = join(folder, 'pithead.yaml');
  const write = (service: object) =>
    writeFileSync(config, JSON.stringify({ stateDir: folder, service }), { mode: 0o600 });
  write({ url, enrolmentCode: CODE });
  const refused = await runPithead(['agent', '-c', config], { cwd: folder });
  expect(refused.code).toBe(78);
  expect(refused.stderr).toContain('is not encrypted');

  const log = recordingLog();
  const uplink = uplinkTo(url, {
    allowPlain: true,
    credentials: { agentId: AGENT, token: new Secret(TOKEN), prove },
    log,
  });
  uplink.start();
  await uplink.stop();
  const isLogged = log.lines.some(({ level, message }) => level === 'warn' && message.includes('not encrypted'));
  const doctor = async () => {
    write({ url, enrolmentCode: CODE, allowPlain: true });
    return (await runPithead(['doctor', '-c', config], { cwd: folder })).stdout;
  };
  const isDiagnosed = (await doctor()).includes(`${url} is not encrypted`);
  const fresh = join(folder, 'new.yaml');
  const setup = await runPithead(
    [
      'setup',
      '--yes',
      '--no-scan',
      '--config',
      fresh,
      '--network',
      loopback(30).network,
      '--service',
      url,
      '--code',
      CODE,
      '--allow-plain',
    ],
    { cwd: folder },
  );
  const isSetup = setup.stderr.includes(`${url} is not encrypted`);
  report({
    id: 'S10',
    value: `plain: refused without allowPlain; with it shown by the log ${isLogged}, the doctor ${isDiagnosed}, setup ${isSetup}`,
    bar: 'plain only with an explicit flag that shows',
    isMet: isLogged && isDiagnosed && isSetup,
  });
});

function filesOf({ cert, key }: { readonly cert: string; readonly key: string }) {
  const folder = temporaryFolder();
  const files = { certFile: join(folder, 'cert.pem'), keyFile: join(folder, 'key.pem') };
  writeFileSync(files.certFile, cert);
  writeFileSync(files.keyFile, key, { mode: 0o600 });
  return files;
}

/** The version that a real service speaks with one that offers this one alone; undefined = none. */
function spokenWith(port: number, version: 'TLSv1' | 'TLSv1.1' | 'TLSv1.2'): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connectTls({ host: '127.0.0.1', port, ...OLD, minVersion: version, maxVersion: version }, () => {
      resolve(socket.getProtocol() ?? undefined);
      socket.destroy();
    });
    socket.on('error', () => resolve(undefined));
  });
}

test('a real service with a bad certificate gets no agent, and none speaks what is old or plain', async () => {
  const joined: string[] = [];
  const joinAt = async (url: string, code: string) => {
    const identity = { name: 'north', version: '1.0.0', identity_key: identityKey };
    return enrol({ url, code, ...identity }).then(
      () => 'done',
      (error: unknown) => (error instanceof PeerError || error instanceof ConfigError ? error.code : String(error)),
    );
  };
  const bad = { expired, 'signed by itself': selfSigned, 'of another host': elsewhere };
  for (const [name, certificate] of Object.entries(bad)) {
    const { service, url, farmId } = await startRig({ tls: filesOf(certificate) });
    const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000 });
    const outcome = await joinAt(url, code);
    if (outcome !== 'peer.unreachable' || (await linkAt(url)) > 0) joined.push(`${name}: ${outcome}`);
  }
  const { service, url, farmId } = await startRig({ tls: filesOf(good) });
  const { code } = await service.admin.createEnrolmentCode({ farmId, ttlMs: 60_000 });
  const port = Number(new URL(url).port);
  // The last one shows that the others are refused for their age.
  const versions = ['TLSv1', 'TLSv1.1', 'TLSv1.2'] as const;
  const spoken = await Promise.all(versions.map((version) => spokenWith(port, version)));
  expect(spoken.at(-1)).toBe('TLSv1.2');
  const old = spoken.slice(0, -1).filter((version) => version !== undefined);
  const plain = await joinAt(url.replace('https:', 'http:'), code);
  // The code is as good as before, and over TLS it works.
  expect(await joinAt(url, code)).toBe('done');
  report({
    id: 'S10',
    value: `the service's own listener: agents that joined with a certificate ${Object.keys(bad).join(', ')}: ${joined.length}; spoken of TLS 1.0 and 1.1: ${old.length}; plain: ${plain}`,
    bar: '100 % refused, TLS >= 1.2',
    isMet: joined.length + old.length === 0 && plain !== 'done',
  });
});

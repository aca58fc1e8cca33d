// Who opens the web page, from the question of setup to a browser of the LAN: certificates are made, the service serves
// them at the address that was named and plain HTTP at 127.0.0.1, and doctor says how long that is good.
import { X509Certificate } from 'node:crypto';
import { createSocket } from 'node:dgram';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect as connectTls } from 'node:tls';
import { decode, encode } from 'dns-packet';
import { Agent, request } from 'undici';
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { loadConfig } from '../../src/agent/config/config.ts';
import { loopback } from '../support/loopback.ts';
import { startPithead } from './process.ts';
import { untilSoon } from './until.ts';

const lan = loopback(28);
const address = lan.ip(5);
/** Free at 127.0.0.1, which all files share. */
let port: number;

beforeAll(async () => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const found = server.address();
  port = typeof found === 'object' && found !== null ? found.port : 0;
  await new Promise((resolve) => server.close(resolve));
});

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-page-'));
  return () => rmSync(folder, { recursive: true, force: true });
});

const options = () => ({ cwd: folder, environment: { HOME: folder, XDG_CONFIG_HOME: folder } });
const pithead = (...args: string[]) => startPithead(args, options()).end();
const setup = (...args: string[]) => pithead('setup', '--yes', '--no-scan', '--network', lan.network, ...args);
const pageSchema = z.strictObject({
  access: z.enum(['off', 'host', 'network']),
  url: z.string().nullable(),
  nameUrl: z.string().nullable(),
  fingerprint: z.string().nullable(),
  isNewAuthority: z.boolean(),
  firewall: z.string().nullable(),
});
async function pageOf(...args: string[]) {
  const { code, stdout, stderr } = await setup('--json', ...args);
  expect(code, stderr).toBe(0);
  return z.looseObject({ page: pageSchema }).parse(JSON.parse(stdout)).page;
}
const config = () => loadConfig(join(folder, 'pithead.yaml'), {});
const authorityPem = () => {
  const text = readFileSync(join(folder, 'pithead-state', 'farm-authority.json'), 'utf8');
  return z.looseObject({ certificate: z.string() }).parse(JSON.parse(text)).certificate;
};
const findingsSchema = z.object({
  findings: z.array(z.object({ about: z.string(), level: z.string(), text: z.string() })),
});
const doctor = async () => {
  const { findings } = findingsSchema.parse(JSON.parse((await pithead('doctor', '--json')).stdout));
  return (about: string) => findings.filter((finding) => finding.about === about);
};

/** As a phone asks for a name, here from the address of the service itself: its network is this one address. */
async function addressOf(name: string): Promise<unknown> {
  const socket = createSocket('udp4');
  onTestFinished(() => void socket.close());
  socket.bind(0, address);
  await once(socket, 'listening');
  socket.setMulticastInterface(address);
  const answers: unknown[] = [];
  socket.on('message', (bytes) => answers.push(...(decode(bytes).answers ?? [])));
  const question = encode({ type: 'query', questions: [{ type: 'A', name }] });
  await untilSoon(
    () => {
      if (answers.length === 0) socket.send(question, 5353, '224.0.0.251');
      return answers.length;
    },
    (count) => count > 0,
  );
  return z.looseObject({ type: z.literal('A'), data: z.string() }).parse(answers[0]).data;
}

test('this network: certificates are made, served at the address, and the next setup keeps them', async () => {
  writeFileSync(join(folder, 'pithead.key'), `${Buffer.alloc(32, 7).toString('base64')}\n`, { mode: 0o600 });
  const listen = ['--page', 'network', '--listen', `${address}:${port}`];
  const page = await pageOf(...listen);
  expect(page).toMatchObject({ access: 'network', url: `https://${address}:${port}`, isNewAuthority: true });
  expect(page.nameUrl).toMatch(/^https:\/\/pithead(-[a-z0-9-]+)?\.local:\d+$/);
  expect(page.fingerprint).toBe(new X509Certificate(authorityPem()).fingerprint256);
  for (const name of ['farm-authority.json', 'farm-certificate.json']) {
    const file = join(folder, 'pithead-state', name);
    expect(readFileSync(file, 'utf8')).not.toContain('PRIVATE KEY');
    if (process.platform !== 'win32') expect(statSync(file).mode & 0o777).toBe(0o600);
  }
  expect(await pageOf(...listen)).toEqual({ ...page, isNewAuthority: false });

  const up = startPithead(['run', '--config', 'pithead.yaml'], options());
  onTestFinished(() => up.kill('SIGKILL'));
  expect(await up.untilPrinted('stderr', /service on \S+,/)).toContain(`service on https://${address}:${port},`);
  const dispatcher = new Agent({ connect: { ca: authorityPem() } });
  onTestFinished(() => dispatcher.close());
  const statusAt = async (url: string) => {
    const { statusCode, headers, body } = await request(`${url}/readyz`, { dispatcher });
    await body.dump();
    return [statusCode, headers.location];
  };
  expect(await statusAt(`https://${address}:${port}`)).toEqual([200, undefined]);
  expect(await statusAt(`http://127.0.0.1:${port}`)).toEqual([200, undefined]);
  expect(await statusAt(`http://${address}:${port}`)).toEqual([308, `https://${address}:${port}/readyz`]);
  const asked = (servername: string) =>
    new Promise<string>((resolve) => {
      const socket = connectTls({ host: address, port, ca: authorityPem(), servername }, () => resolve('content'));
      socket.on('error', ({ message }) => resolve(message));
      onTestFinished(() => void socket.destroy());
    });
  expect(await asked(new URL(page.nameUrl ?? '').hostname)).toBe('content');
  expect(await addressOf(new URL(page.nameUrl ?? '').hostname)).toBe(address);
  expect(await asked('pithead-other.local')).toMatch(/does not match certificate/);
  const about = await doctor();
  expect(about('certificate').map(({ level }) => level)).toEqual(['ok', 'ok']);
  expect(about('certificate')[1]?.text).toContain(`IP Address:${address}`);
  expect([...about('page'), ...about('service')].map(({ level }) => level)).toEqual(['ok', 'ok']);
  up.kill('SIGTERM');
  const { code, stdout } = await up.end();
  expect(code).toBe(0);
  expect(stdout).not.toMatch(/PRIVATE KEY|sealed:/);
});

test('an address outside what the authority is good for: doctor says so, and setup makes another', async () => {
  const elsewhere = loopback(28);
  const first = await pageOf('--page', 'network', '--listen', `${address}:${port}`);
  const moved = JSON.stringify({
    networks: [elsewhere.network],
    listen: { host: elsewhere.ip(1), port, tls: 'farm' },
  });
  writeFileSync(join(folder, 'pithead.yaml'), moved);
  expect((await doctor())('certificate')[0]).toMatchObject({
    level: 'warning',
    text: expect.stringContaining(`it is not good for ${elsewhere.ip(1)}`),
  });
  const { code, stdout } = await pithead(
    'setup',
    '--yes',
    '--no-scan',
    '--network',
    elsewhere.network,
    '--page',
    'network',
    '--listen',
    `${elsewhere.ip(1)}:${port}`,
  );
  expect(code).toBe(0);
  expect(stdout).toContain('It is new: devices that trusted an earlier one have to trust this one.');
  expect(stdout).not.toContain(first.fingerprint);
  expect((await doctor())('certificate').map(({ level }) => level)).toEqual(['ok', 'ok']);
});

test('only this host, and off: no certificates, and those of before are served no more', async () => {
  expect(await pageOf('--page', 'host')).toMatchObject({
    url: 'http://127.0.0.1:8420',
    fingerprint: null,
    firewall: null,
  });
  expect(config().listen).toMatchObject({ host: '127.0.0.1', tls: undefined });
  expect(readdirSync(folder)).not.toContain('pithead-state');
  await pageOf('--page', 'network', '--listen', `${address}:${port}`);
  expect(config().listen).toMatchObject({ host: address, port, tls: 'farm' });
  await pageOf('--page', 'host');
  expect(config().listen).toMatchObject({ host: '127.0.0.1', port, tls: undefined });
  await pageOf('--page', 'network', '--listen', `${address}:${port}`);
  // The address that was chosen before stays.
  expect((await pageOf('--page', 'network')).url).toBe(`https://${address}:${port}`);
  expect(await pageOf('--page', 'off')).toMatchObject({ access: 'off', url: null });
  expect(config().page).toEqual({ enabled: false, allowPlain: false, hosts: [] });
  expect((await doctor())('page')).toMatchObject([{ level: 'ok', text: expect.stringContaining('off') }]);
  expect((await setup('--page', 'network')).stdout).toContain('pithead people claim --config pithead.yaml');
  expect(config().page.enabled).toBe(true);
});

test('certificates that a person has named stay, and what else is under listen too', async () => {
  writeFileSync(
    join(folder, 'pithead.yaml'),
    `# ours\nlisten:\n  tls: { certFile: a.pem, keyFile: b.pem } # of the office\n  drain: 5s\n`,
  );
  expect(await pageOf('--page', 'network', '--listen', `${address}:${port}`)).toMatchObject({
    url: `https://${address}:${port}`,
    fingerprint: null,
  });
  expect(config().listen).toMatchObject({ host: address, drain: 5_000, tls: { certFile: join(folder, 'a.pem') } });
  expect(readFileSync(join(folder, 'pithead.yaml'), 'utf8')).toContain('# of the office');
  expect((await doctor())('certificate')).toMatchObject([
    { level: 'wrong', text: expect.stringContaining('a.pem cannot be read') },
  ]);
});

test.each([
  [['--page', 'everyone'], "--page: 'everyone' is none of: off, host, network"],
  [['--page', 'network', '--listen', '127.0.0.1:8420'], '--listen: 127.0.0.1 is this host alone'],
  [['--page', 'network', '--listen', '203.0.113.9:8420'], '--listen: 203.0.113.9 is no private address'],
  [['--page', 'host', '--service', 'https://s.example', '--code', 'X'], '--page: is for this host'],
])('%j ends with 78 and a sentence that helps', async (args, sentence) => {
  const { code, stderr } = await setup(...args);
  expect(code).toBe(78);
  expect(stderr).toContain(sentence);
  expect(readdirSync(folder)).not.toContain('pithead.yaml');
  expect(readdirSync(folder)).not.toContain('pithead-state');
});

test('people may log in without TLS where the configuration says so, and doctor warns', async () => {
  const listen = { host: address, port };
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify({ networks: [lan.network], listen }));
  // What stands at a loopback address does not leave this host.
  expect((await doctor())('page')).toMatchObject([{ level: 'ok', text: 'it is on' }]);
  const everywhere = { networks: [lan.network], listen: { host: '0.0.0.0', port } };
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(everywhere));
  expect((await doctor())('page')).toMatchObject([{ level: 'ok', text: expect.stringContaining('on this host only') }]);
  writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify({ ...everywhere, page: { allowPlain: true } }));
  expect((await doctor())('page')).toMatchObject([
    { level: 'warning', text: expect.stringContaining('people may log in without TLS') },
  ]);
});

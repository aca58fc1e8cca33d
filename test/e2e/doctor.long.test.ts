// What `doctor` finds on a host: each fault that can be made here without touching the system is made, and is named
// with what to do about it.
import { chmodSync, closeSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync, writeSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { loopback } from '../support/loopback.ts';
import { selfSigned } from '../unit/service-http/certificates.data.ts';
import { startPithead } from './process.ts';

const networks = [loopback(28).network];
const reportSchema = z.strictObject({
  findings: z.array(
    z.strictObject({
      about: z.string(),
      level: z.enum(['ok', 'warning', 'wrong']),
      text: z.string(),
      remedy: z.string().optional(),
    }),
  ),
});

let folder: string;
let server: Server | undefined;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-doctor-'));
});
afterEach(() => {
  server?.close();
  server = undefined;
  rmSync(folder, { recursive: true, force: true });
});

async function doctor(config?: object, environment: Record<string, string> = {}) {
  if (config !== undefined) writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(config));
  const { code, stdout, stderr } = await startPithead(['doctor', '--json'], {
    cwd: folder,
    environment: { HOME: folder, ...environment },
  }).end();
  const { findings } = reportSchema.parse(JSON.parse(stdout));
  return { code, stderr, findings, about: (name: string) => findings.filter(({ about }) => about === name) };
}

/** Answers every request like this. */
async function serve(status: number, headers: Record<string, string> = {}): Promise<number> {
  const started = createServer((_request, response) => response.writeHead(status, headers).end('{}'));
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  return typeof address === 'object' && address !== null ? address.port : 0;
}

test('a host whose clock is not set is told so', async () => {
  const file = join(folder, 'clock');
  writeFileSync(file, String(60_000 - Date.now()));
  const preload = pathToFileURL(join(import.meta.dirname, '../fault/settable-clock.ts')).href;
  const { about } = await doctor(undefined, { PITHEAD_CLOCK_FILE: file, NODE_OPTIONS: `--import=${preload}` });
  expect(about('clock')).toEqual([expect.objectContaining({ level: 'wrong', text: 'says 1970-01-01: it is not set' })]);
});

test('a host without a configuration is told how to get one', async () => {
  const { code, about } = await doctor();
  expect(code).toBe(1);
  expect(about('configuration')).toEqual([
    expect.objectContaining({ level: 'wrong', remedy: expect.stringContaining('pithead setup') }),
  ]);
});

test('each mistake of a configuration is a finding', async () => {
  const { code, about } = await doctor({ networks: ['10.0.0.9-3'], pol: {}, exclude: ['x'] });
  expect(code).toBe(1);
  expect(
    about('configuration')
      .map(({ text }) => text)
      .join('\n'),
  ).toMatch(/pol:.*networks\[0\]/s);
});

test('a host where all is well says so and ends with 0', async () => {
  const port = await serve(200);
  const { code, findings } = await doctor({ networks, listen: { port } });
  expect(findings.filter(({ level }) => level === 'wrong')).toEqual([]);
  expect(findings).toContainEqual({ about: 'service', level: 'ok', text: `answers on http://127.0.0.1:${port}` });
  const text = '14 addresses in 1 ranges, all inside this host';
  expect(findings).toContainEqual({ about: 'networks', level: 'ok', text });
  expect(code).toBe(0);
});

test('a service that is there but cannot take requests is not taken for another program', async () => {
  const port = await serve(503);
  const { about } = await doctor({ networks, listen: { port } });
  expect(about('service')).toEqual([
    expect.objectContaining({ level: 'wrong', remedy: expect.stringContaining('its log') }),
  ]);
});

test('a service behind TLS is found, whoever has signed its certificate', async () => {
  const started = createSecureServer(selfSigned, (_request, response) => response.end());
  server = started;
  await new Promise<void>((resolve) => started.listen(0, '127.0.0.1', resolve));
  const address = started.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')];
  writeFileSync(certFile, selfSigned.cert);
  writeFileSync(keyFile, selfSigned.key);
  const { about } = await doctor({ networks, listen: { port, tls: { certFile, keyFile } } });
  expect(about('service')).toEqual([
    expect.objectContaining({ level: 'ok', text: `answers on https://127.0.0.1:${port}` }),
  ]);
});

test('no networks, a port that somebody else has, a damaged database: each is named', async () => {
  const port = await serve(404);
  mkdirSync(join(folder, 'pithead-state'));
  const path = join(folder, 'pithead-state', 'agent.sqlite');
  const database = new DatabaseSync(path);
  database.exec('CREATE TABLE t (x TEXT)');
  for (let i = 0; i < 200; i++) database.prepare('INSERT INTO t VALUES (?)').run('x'.repeat(500));
  database.close();
  const file = openSync(path, 'r+');
  writeSync(file, Buffer.alloc(4_096, 0xaa), 0, 4_096, 8_192);
  closeSync(file);

  const { code, about, stderr } = await doctor({ listen: { port } });
  expect(about('networks')).toEqual([expect.objectContaining({ level: 'wrong' })]);
  expect(about('service')).toEqual([
    expect.objectContaining({ level: 'wrong', remedy: expect.stringContaining('listen.port') }),
  ]);
  expect(about('database')).toEqual([
    expect.objectContaining({ level: 'wrong', text: expect.stringContaining('agent.sqlite') }),
  ]);
  expect(code).toBe(1);
  expect(stderr).toContain('3 things are wrong');
});

test("a company's service: unreachable, not encrypted, or with another time", async () => {
  const tasks = { control: false, allow: { log: false } };
  const plain = await doctor({ networks, tasks, service: { url: 'http://127.0.0.1:9' } });
  expect(plain.about('tasks')).toMatchObject([
    { level: 'ok', text: expect.stringMatching(/only reads.*tasks.allow.log/) },
  ]);
  expect(plain.about('service')).toEqual([
    expect.objectContaining({ level: 'wrong', text: expect.stringContaining('not encrypted') }),
  ]);
  const away = await doctor({ networks, service: { url: 'http://127.0.0.1:9', allowPlain: true } });
  expect(away.about('tasks')).toEqual([]);
  expect(away.about('service')).toEqual([
    expect.objectContaining({ level: 'wrong', text: expect.stringContaining('cannot be reached') }),
  ]);
  const port = await serve(200, { date: new Date(Date.now() + 3_600_000).toUTCString() });
  const both = await doctor({
    networks,
    listen: { port },
    service: { url: 'http://127.0.0.1:9', allowPlain: true, keepLocal: true },
  });
  expect(both.about('service').map(({ level }) => level)).toEqual(['ok', 'wrong']);
  const { about } = await doctor({ networks, service: { url: `http://127.0.0.1:${port}`, allowPlain: true } });
  expect(about('service')).toEqual([expect.objectContaining({ level: 'ok' })]);
  expect(about('clock')).toEqual([
    expect.objectContaining({ level: 'warning', text: expect.stringMatching(/s behind the service/) }),
  ]);
});

test('a schedule that the scan cannot keep is named with the settings that end it', async () => {
  const { about } = await doctor({ networks: ['127.0.0.0/16'], listen: { port: await serve(200) } });
  expect(about('scan')).toEqual([
    expect.objectContaining({ level: 'warning', remedy: expect.stringContaining('scan.maxPerSecond') }),
  ]);
});

test.skipIf(process.platform === 'win32')(
  'a code that others may read is named, by doctor and by config check',
  async () => {
    const service = { url: 'https://s.example', enrolmentCode: 'ABCD-EFGH' };
    writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify({ stateDir: 'state', service }), { mode: 0o644 });
    const open = {
      level: 'warning',
      text: expect.stringContaining('holds service.enrolmentCode and can be read by others'),
    };
    expect((await doctor()).about('configuration')).toContainEqual(expect.objectContaining(open));
    const check = () =>
      startPithead(['config', 'check', '--json'], { cwd: folder, environment: { HOME: folder } }).end();
    expect(JSON.parse((await check()).stdout).warnings).toEqual([expect.stringContaining('chmod 600')]);
    chmodSync(join(folder, 'pithead.yaml'), 0o600);
    expect(JSON.parse((await check()).stdout).warnings).toEqual([]);
    const kept = { stateDir: 'state', service: { ...service, enrolmentCode: 'secret:enrolment-code' } };
    writeFileSync(join(folder, 'pithead.yaml'), JSON.stringify(kept));
    chmodSync(join(folder, 'pithead.yaml'), 0o644);
    expect(JSON.parse((await check()).stdout)).toMatchObject({ ok: true, warnings: [] });
  },
);

test('what listens beyond this host without TLS is a warning; behind a proxy or with TLS it is none', async () => {
  const listen = { host: '0.0.0.0', port: 8_429 };
  const exposed = await doctor({ networks, listen, metrics: { host: '0.0.0.0', port: 9_477 } });
  expect(exposed.about('service')).toContainEqual(
    expect.objectContaining({ level: 'warning', text: expect.stringContaining('without TLS') }),
  );
  expect(exposed.about('metrics')).toEqual([
    expect.objectContaining({ level: 'warning', remedy: expect.stringContaining('metrics.host') }),
  ]);
  const hidden = await doctor({ networks, listen: { ...listen, trustProxy: ['10.0.0.1'] }, metrics: { port: 9_477 } });
  expect(hidden.about('service').filter(({ text }) => text.includes('without TLS'))).toEqual([]);
  expect(hidden.about('metrics')).toEqual([]);
});

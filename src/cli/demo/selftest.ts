// `pithead selftest`: runs every part of the program that packaging or an unusual host can break, on loopback and in a
// temporary folder. The farm is checked by `doctor`.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isSea } from 'node:sea';
import { DatabaseSync } from 'node:sqlite';
import { connect, createServer as createTlsServer, rootCertificates } from 'node:tls';
import type { Command } from 'commander';
import { request } from 'undici';
import { z } from 'zod';
import { systemClock } from '../../base/clock.ts';
import { PeerError, renderError } from '../../base/errors.ts';
import { silentLog } from '../../base/log.ts';
import { withDeadline } from '../../base/time/deadline.ts';
import { VERSION } from '../../base/version.ts';
import { agentV1Schema } from '../../model/host.ts';
import { listOf } from '../../wire/api/envelope.ts';
import { minerV2Schema } from '../../wire/api/miners.ts';
import { CommandFailed } from '../output/exit.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { type DemoFacts, DRIVER_NAMES, FAMILY_NAMES, withDemo } from './demo-farm.ts';

type Check = { readonly name: string; readonly ok: boolean; readonly detail: string; readonly elapsed_ms: number };
/** Gives what is worth knowing; throws when the part does not work. */
type Part = (signal: AbortSignal) => Promise<string>;

const PART_DEADLINE_MS = 90_000;
/** Two polls: what the first reports of a busy host leave open comes with the next. */
const SETTLE_MS = 30_000;
const TLS_KEY = Buffer.alloc(32, 7);

export function addSelftest(program: Command, context: CliContext): void {
  program
    .command('selftest')
    .description('check that every part of this program works on this host; reaches nothing but loopback addresses')
    .option('--json', 'one JSON object: version, node, platform, binary, checks')
    .option('--network <range>', 'loopback range for the simulated miners', '127.21.0.0/24')
    .addHelpText('after', '\nExamples:\n  $ pithead selftest\n  $ pithead selftest --json')
    .action(async (flags: { json?: boolean; network: string }) => {
      const checks: Check[] = [];
      const print = (check: Check) => {
        checks.push(check);
        if (!flags.json) context.stdout.write(`${lineOf(check, context)}\n`);
      };
      print(await run('sqlite', sqlite, context.signal));
      print(await run('tls', tls, context.signal));
      await checkStack(flags.network, context, print);
      const platform = `${process.platform}-${process.arch}`;
      const outcome = { version: VERSION, node: process.version, platform, binary: isSea(), checks };
      if (flags.json) context.stdout.write(`${JSON.stringify(outcome)}\n`);
      const broken = checks.filter(({ ok }) => !ok);
      if (broken.length > 0) throw new CommandFailed(`broken here: ${broken.map(({ name }) => name).join(', ')}`);
    });
}

function lineOf({ name, ok, detail }: Check, { stdout }: CliContext): string {
  const paint = painter(stdout);
  return `${ok ? paint('green', 'ok    ') : paint('red', 'BROKEN')}  ${name.padEnd(10)}  ${detail}`;
}

async function run(name: string, part: Part, signal: AbortSignal): Promise<Check> {
  const startMs = systemClock.monotonicMs();
  const outcome = await withDeadline(
    systemClock,
    { deadlineMs: PART_DEADLINE_MS, signal, onDeadline: () => new PeerError('peer.timeout', `check ${name}`, 'never') },
    part,
  ).then(
    (detail) => ({ ok: true, detail }),
    (error: unknown) => ({ ok: false, detail: renderError(error) }),
  );
  return { name, ...outcome, elapsed_ms: Math.round(systemClock.monotonicMs() - startMs) };
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new CommandFailed(otherwise);
}

const READ_BACK = `SELECT json_extract(fact, '$.hashrate') AS hashrate, sqlite_version() AS version,
  (SELECT synchronous FROM pragma_synchronous) AS synchronous,
  (SELECT journal_mode FROM pragma_journal_mode) AS mode FROM facts`;
const sqliteSchema = z.object({ hashrate: z.number(), version: z.string(), synchronous: z.number(), mode: z.string() });

/** A file with the settings that the outbox and the store rely on. */
async function sqlite(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-selftest-'));
  try {
    using database = new DatabaseSync(join(folder, 'check.sqlite'));
    database.exec(
      'PRAGMA journal_mode = WAL; CREATE TABLE facts (id INTEGER PRIMARY KEY, fact TEXT CHECK (json_valid(fact))) STRICT',
    );
    database.prepare('INSERT INTO facts (fact) VALUES (?)').run(JSON.stringify({ hashrate: 140e12 }));
    const { hashrate, version, synchronous, mode } = sqliteSchema.parse(database.prepare(READ_BACK).get());
    expectThat(hashrate === 140e12, 'a value came back as another one');
    const needed = `journal mode ${mode}, synchronous ${synchronous}: wal and 2 are needed`;
    expectThat(mode === 'wal' && synchronous === 2, needed);
    return `${version}, write-ahead log, full synchronisation`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A handshake with ourselves, and the certificates by which a company's service would be known. */
async function tls(signal: AbortSignal): Promise<string> {
  expectThat(rootCertificates.length > 50, 'the root certificates are missing');
  const ciphers = 'ECDHE-PSK-CHACHA20-POLY1305';
  const identity = { psk: TLS_KEY, identity: 'selftest' };
  const server = createTlsServer({ pskCallback: () => TLS_KEY, ciphers, minVersion: 'TLSv1.2' }, (socket) =>
    socket.end('hello'),
  );
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  server.on('tlsClientError', reject).on('error', reject);
  signal.addEventListener('abort', () => reject(signal.reason), { once: true });
  server.listen(0, '127.0.0.1', () => {
    const address = server.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const unnamed = { pskCallback: () => identity, checkServerIdentity: () => undefined };
    const socket = connect({ host: '127.0.0.1', port, ciphers, ...unnamed });
    socket
      .on('error', reject)
      .on('data', () => resolve(`${socket.getProtocol()}, ${rootCertificates.length} root certificates`));
  });
  try {
    return await promise;
  } finally {
    server.close();
  }
}

const documentSchema = z.object({ openapi: z.string(), paths: z.record(z.string(), z.unknown()) });
const minersSchema = listOf(minerV2Schema);
const agentsSchema = z.object({ data: z.tuple([agentV1Schema]) });

/** One simulated miner of each family, agent and service, asked through the interface. */
async function checkStack(network: string, context: CliContext, print: (check: Check) => void): Promise<void> {
  const rest: Check[] = [];
  const farm = { miners: FAMILY_NAMES.length, network, mix: FAMILY_NAMES.join(','), seed: 1, bootS: 1 };
  const quiet = { log: silentLog, onProgress() {} };
  const whole: Part = (signal) =>
    withDemo({ ...farm, ...quiet, port: 0, poll: '15s', signal }, async (facts) => {
      rest.push(await run('drivers', (stop) => settled(() => drivers(facts), stop), signal));
      rest.push(await run('host', (stop) => settled(() => host(facts), stop), signal));
      rest.push(await run('pages', (stop) => settled(() => pages(facts), stop), signal));
      rest.push(await run('openapi', () => openapi(facts), signal));
      return `${facts.miners} simulated miners scanned, polled and reported over a WebSocket`;
    });
  print(await run('miners', whole, context.signal));
  for (const check of rest) print(check);
}

async function ask<T>({ url, key }: DemoFacts, path: string, schema: z.ZodType<T>, body?: object): Promise<T> {
  const answer = await request(`${url}${path}`, {
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  });
  expectThat(answer.statusCode === 200, `${path} answers ${answer.statusCode}`);
  return schema.parse(await answer.body.json());
}

/** Tries again until it holds; throws what was wrong the last time. */
async function settled(part: () => Promise<string>, signal: AbortSignal): Promise<string> {
  const endMs = systemClock.monotonicMs() + SETTLE_MS;
  for (;;) {
    try {
      return await part();
    } catch (error) {
      if (systemClock.monotonicMs() > endMs) throw error;
      await systemClock.sleep(500, signal);
    }
  }
}

async function drivers(facts: DemoFacts): Promise<string> {
  const path = `/public-api/v2/workspaces/${facts.workspace_id}/farms/${facts.farm_id}/miners/search`;
  const { data } = await ask(facts, path, minersSchema, { page_size: 100 });
  const missing = DRIVER_NAMES.filter((name) => !data.some(({ firmware }) => firmware === name));
  expectThat(missing.length === 0, `no miner is known by: ${missing.join(', ')}`);
  const silent = data.filter(({ hashrate }) => hashrate === null);
  expectThat(silent.length === 0, `no hashrate from: ${silent.map(({ firmware }) => firmware).join(', ')}`);
  return `${DRIVER_NAMES.length} drivers recognise and read their own`;
}

/** A thread of its own makes large pages: it gives the same miners. */
async function pages(facts: DemoFacts): Promise<string> {
  const list = `/public-api/v2/workspaces/${facts.workspace_id}/farms/${facts.farm_id}/miners`;
  const idsOf = async (size: number) =>
    (await ask(facts, `${list}?page_size=${size}`, minersSchema)).data.map(({ id }) => id).join();
  const small = await idsOf(100);
  expectThat(small.length > 0 && small === (await idsOf(10_000)), 'a large page has other miners than a small one');
  return 'a large page is made beside the small ones';
}

async function host(facts: DemoFacts): Promise<string> {
  const { data } = await ask(facts, `/private-api/v1/${facts.workspace_id}/agents/search`, agentsSchema, {});
  const [{ host: about }] = data;
  expectThat(about.memory.total > 0, 'the agent reports no memory');
  return `${about.os}, ${Math.round(about.memory.total / 2 ** 30)} GiB`;
}

async function openapi(facts: DemoFacts): Promise<string> {
  const { openapi: version, paths } = await ask(facts, '/openapi.json', documentSchema);
  expectThat(Object.keys(paths).length > 10, 'the description of the interface is empty');
  const page = await textOf(`${facts.url}/docs`);
  const files = [...page.matchAll(/"(docs\/[^"]+)"/g)].map(([, file = '']) => file);
  expectThat(files.length > 0, 'the page /docs loads nothing');
  for (const file of files) await textOf(`${facts.url}/${file}`);
  return `${version}, ${Object.keys(paths).length} paths; the page /docs with ${files.length} files`;
}

async function textOf(url: string): Promise<string> {
  const answer = await request(url);
  expectThat(answer.statusCode === 200, `${url} answers ${answer.statusCode}`);
  return answer.body.text();
}

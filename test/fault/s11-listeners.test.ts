// Everything that listens on this host while `pithead up` runs: the interface with its page, the figures, the control
// socket. A page of the web, a neighbour on the network and idle connections get nothing, change nothing and stop
// nothing.
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { request as askHttp } from 'node:http';
import { connect, createServer, type NetConnectOpts, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished, test } from 'vitest';
import { socketAddress } from '../../src/agent/control/socket-address.ts';
import { openFileLimit } from '../../src/base/platform/fd-limit.ts';
import { RULES } from '../../src/service/auth/rules.data.ts';
import { UPLINK_PATH } from '../../src/wire/protocol.ts';
import { runPithead, startPithead } from '../e2e/process.ts';
import { queryDatabase } from '../support/database.ts';
import { loopback } from '../support/loopback.ts';
import { pause } from './agent-site.ts';
import { isFull, isWithin, report } from './table.ts';

const EVIL = 'rebound.attacker.example';
/** As many as the files of this process allow, at most 10,000. */
const IDLE = isFull ? Math.min(10_000, (openFileLimit() ?? 20_000) - 2_000) : 300;
const MIB = 1024 * 1024;

async function freePort(): Promise<number> {
  const holder = createServer().listen(0, '127.0.0.1');
  await once(holder, 'listening');
  const address = holder.address();
  await new Promise((resolve) => holder.close(resolve));
  return typeof address === 'object' && address !== null ? address.port : 0;
}

type Answer = { readonly status: number; readonly headers: NodeJS.Dict<string | string[]>; readonly text: string };

/** Exactly this path and these headers, as no client that is kind would send them. */
function ask(
  to: { host: string; port: number } | { socketPath: string },
  method: string,
  path: string,
  headers: Record<string, string>,
  body = '',
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const asked = askHttp({ ...to, method, path, headers, setHost: false }, (answer) => {
      let text = '';
      answer.setEncoding('utf8');
      answer.on('data', (part: string) => {
        text += part;
      });
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }));
    });
    asked.setTimeout(10_000, () => asked.destroy(new Error(`${method} ${path}: no answer`)));
    asked.on('error', reject);
    asked.end(body);
  });
}

async function startUp() {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-s11-'));
  const stateDir = join(folder, 'state');
  const config = join(folder, 'pithead.yaml');
  const metricsPort = await freePort();
  writeFileSync(
    config,
    JSON.stringify({ stateDir, networks: [loopback(30).network], metrics: { port: metricsPort } }),
    { mode: 0o600 },
  );
  const pithead = startPithead(['up', '--config', config, '--port', '0'], { cwd: folder });
  onTestFinished(async () => {
    pithead.kill('SIGKILL');
    await pithead.end();
    rmSync(folder, { recursive: true, force: true });
  });
  const said = await pithead.untilPrinted('stderr', /service on http:\S+\d/);
  const url = new URL(/service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '');
  const socket = socketAddress(stateDir) ?? '';
  const api = { host: url.hostname, port: Number(url.port) };
  return { pithead, config, folder, stateDir, api, metrics: { host: '127.0.0.1', port: metricsPort }, socket };
}

const rssBytes = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) * 1_024;

/** What a page of the web tries with its own name, by way of the browser of somebody on site. */
async function asAPageOfTheWeb({ api, metrics }: Awaited<ReturnType<typeof startUp>>) {
  const found: string[] = [];
  let tries = 0;
  const foreign = { host: EVIL, origin: `http://${EVIL}`, referer: `http://${EVIL}/` };
  for (const [route, rule] of Object.entries(RULES)) {
    const [method = '', path = ''] = route.split(' ');
    // What a form or a simple request can carry; a browser sends no header of ours without asking first.
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'application/json']) {
      tries += 2;
      const url = path.replaceAll(/:\w+/g, '01900000-0000-7000-8000-000000000000');
      const sent = method === 'GET' ? {} : { 'content-type': type, 'content-length': '2' };
      const answer = await ask(api, method, url, { ...foreign, ...sent }, method === 'GET' ? '' : '{}');
      if (Object.keys(answer.headers).some((name) => name.startsWith('access-control-')))
        found.push(`${route}: says who may read it`);
      if (rule.access === 'key' && answer.status !== 401) found.push(`${route}: ${answer.status} without a key`);
      if (rule.access === 'enrolment-code' && ![400, 401, 415].includes(answer.status))
        found.push(`${route}: ${answer.status}`);
      if (['session', 'login', 'claim'].includes(rule.access) && answer.status !== 403)
        found.push(`${route}: ${answer.status} to a page of another host`);
      const preflight = {
        ...foreign,
        'access-control-request-method': method,
        'access-control-request-headers': 'x-api-key',
      };
      const asked = await ask(api, 'OPTIONS', url, preflight);
      if (asked.status < 400 || Object.keys(asked.headers).some((name) => name.startsWith('access-control-')))
        found.push(`${route}: a page may ask with a key: ${asked.status}`);
    }
  }
  const upgrade = {
    connection: 'upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': Buffer.alloc(16).toString('base64'),
  };
  const socket = await ask(api, 'GET', UPLINK_PATH, { ...foreign, ...upgrade });
  if (socket.status !== 401) found.push(`the uplink: ${socket.status} to a page`);
  for (const host of [
    EVIL,
    `${EVIL}:${metrics.port}`,
    '',
    'localhost.attacker.example',
    '127.0.0.1.attacker.example',
  ]) {
    tries++;
    const answer = await ask(metrics, 'GET', '/metrics', {
      host,
      ...(host === '' ? {} : { origin: `http://${host}` }),
    });
    if (answer.status === 200 || answer.text.includes('pithead_'))
      found.push(`the figures under the name ${JSON.stringify(host)}: ${answer.status}`);
  }
  for (const host of ['localhost', `127.0.0.1:${metrics.port}`, `[::1]:${metrics.port}`]) {
    const answer = await ask(metrics, 'GET', '/metrics', { host });
    if (answer.status !== 200) found.push(`no figures under the own name ${host}: ${answer.status}`);
  }
  const page = await ask(api, 'GET', '/docs', { host: 'localhost' });
  const policy = String(page.headers['content-security-policy'] ?? '');
  const scripts = /script-src ([^;]*)/.exec(policy)?.[1] ?? '';
  if (!policy.includes("default-src 'none'") || /unsafe|\*|data:|http:/.test(scripts))
    found.push(`the page has the policy ${policy}`);
  return { found, tries };
}

const BEYOND = [
  '/../../../../etc/passwd',
  '/docs/../../../../etc/passwd',
  '/docs/..%2f..%2f..%2f..%2fetc%2fpasswd',
  '/docs/%2e%2e/%2e%2e/%2e%2e/etc/passwd',
  '/docs/....//....//etc/passwd',
  '/docs/..%5c..%5c..%5cetc%5cpasswd',
  '/docs/%00/etc/passwd',
  '/docs//etc/passwd',
  '/docs/package.json',
  '/metrics/../../etc/passwd',
  'http://127.0.0.1/etc/passwd',
  'file:///etc/passwd',
];

async function beyondTheRoot({ api, metrics, socket }: Awaited<ReturnType<typeof startUp>>): Promise<string[]> {
  const found: string[] = [];
  for (const to of [api, metrics, { socketPath: socket }])
    for (const path of BEYOND) {
      const answer = await ask(to, 'GET', path, { host: 'localhost' });
      if (answer.status < 400 || /root:|"name": "pithead"/.test(answer.text)) found.push(`${path}: ${answer.status}`);
    }
  return found;
}

/** Opens so many connections that say nothing; some may be refused. */
async function openIdle(to: NetConnectOpts, count: number): Promise<Socket[]> {
  const sockets: Socket[] = [];
  while (sockets.length < count) {
    const some = Array.from({ length: Math.min(500, count - sockets.length) }, () => connect(to).on('error', () => {}));
    sockets.push(...some);
    await Promise.all(
      some.map((socket) =>
        Promise.race([once(socket, 'connect'), once(socket, 'close'), pause(2_000)]).catch(() => {}),
      ),
    );
  }
  return sockets;
}

async function idleConnections(up: Awaited<ReturnType<typeof startUp>>) {
  const { api, metrics, socket, pithead, config } = up;
  const found: string[] = [];
  const before = rssBytes(pithead.pid);
  const kinds = [
    { name: 'the interface', to: api, count: IDLE, path: '/healthz' },
    { name: 'the figures', to: metrics, count: Math.min(IDLE, 1_000), path: '/metrics' },
    { name: 'the control socket', to: { path: socket }, count: Math.min(IDLE, 1_000), path: '/state' },
  ];
  let slowestMs = 0;
  let held = 0;
  for (const { name, to, count, path } of kinds) {
    const sockets = await openIdle(to, count);
    held += sockets.length;
    // While they are open: those that say nothing make room.
    const startMs = performance.now();
    const target = 'path' in to ? { socketPath: to.path } : to;
    let status = 0;
    while (status !== 200 && performance.now() - startMs < 30_000) {
      status = (await ask(target, 'GET', path, { host: 'localhost' }).catch(() => ({ status: 0 }))).status;
      if (status !== 200) await pause(200);
    }
    slowestMs = Math.max(slowestMs, performance.now() - startMs);
    if (status !== 200) found.push(`${name}: no answer beside ${count} idle connections`);
    for (const one of sockets) one.destroy();
  }
  const { code } = await runPithead(['status', '--config', config], { cwd: up.folder });
  if (code !== 0) found.push(`pithead status: ${code}`);
  return { found, held, slowestMs, grownMib: (rssBytes(pithead.pid) - before) / MIB };
}

test('what listens gives nothing to a page, a neighbour or an idle crowd', { timeout: 180_000 }, async () => {
  const up = await startUp();
  const database = join(up.stateDir, 'service.sqlite');
  const rows = async () =>
    Promise.all(
      ['workspaces', 'api_keys', 'farms', 'agents', 'miners', 'task_batches', 'enrolment_codes'].map((table) =>
        queryDatabase(database, `SELECT count(*) AS n FROM ${table}`),
      ),
    );
  await until(() => rows().then(() => true), 20_000);
  const before = JSON.stringify(await rows());
  const page = await asAPageOfTheWeb(up);
  const beyond = await beyondTheRoot(up);
  const idle = await idleConnections(up);
  const mode = statSync(up.socket).mode & 0o777;
  const isUnchanged = JSON.stringify(await rows()) === before;
  const problems = [...page.found, ...beyond, ...idle.found];
  for (const text of problems.slice(0, 20)) process.stdout.write(`S11: ${text}\n`);
  report({
    id: 'S11',
    value: `${page.tries} requests of a foreign page, ${BEYOND.length * 3} paths beyond the root, ${idle.held} idle connections: ${problems.length} got in, rows ${isUnchanged ? 'unchanged' : 'CHANGED'}, control socket ${mode.toString(8)}; answers beside them within ${Math.round(idle.slowestMs)} ms, ${idle.grownMib.toFixed(0)} MiB more`,
    bar: '0 effects, loopback, strict content policy, idle connections bounded (<= 200 MiB)',
    isMet:
      problems.length === 0 && isUnchanged && mode === 0o600 && isWithin(idle.slowestMs, 5_000) && idle.grownMib <= 200,
  });
});

async function until(isSo: () => Promise<boolean>, limitMs: number): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!(await isSo().catch(() => false)) && performance.now() < endMs) await pause(100);
}

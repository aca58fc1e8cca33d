// The control socket on real sockets: who may open it, what it refuses, and that it never stands in the agent's way.
import { once } from 'node:events';
import { chmodSync, existsSync, lstatSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Pool } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { findRunningAgent, mustBeAlone } from '../../../../src/agent/control/control-client.ts';
import { createControlSocket } from '../../../../src/agent/control/control-socket.ts';
import { socketAddress } from '../../../../src/agent/control/socket-address.ts';
import { systemClock } from '../../../../src/base/clock.ts';
import { type Log, silentLog } from '../../../../src/base/log.ts';
import { userName } from '../../../../src/base/platform/user-name.ts';
import { untilSoon } from '../../../e2e/until.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { CLIMBER, createTestHandlers, FLOOD, NOBODY, STATE } from './handlers.ts';

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-control-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  // As lax as a folder can be that somebody made by hand.
  chmodSync(folder, 0o755);
  return folder;
}

/** For a socket in it. */
function tooLong(): string {
  const stateDir = join(newFolder(), 'x'.repeat(90));
  mkdirSync(stateDir);
  return stateDir;
}

async function openSocket(stateDir = newFolder(), clock = systemClock) {
  const warnings: string[] = [];
  const log: Log = { ...silentLog, warn: (fields, message) => warnings.push(`${message} ${JSON.stringify(fields)}`) };
  const { handlers, asked, release } = createTestHandlers();
  let count = 0;
  const controlSocket = createControlSocket({ stateDir, clock, log, newId: () => `id-${++count}`, handlers });
  await controlSocket.start();
  onTestFinished(() => controlSocket.close());
  return { controlSocket, stateDir, path: join(stateDir, 'agent.sock'), warnings, asked, release };
}

async function running(stateDir: string) {
  const found = await findRunningAgent(stateDir);
  if (found.kind !== 'running') throw new Error(`the agent is ${found.kind}`);
  onTestFinished(() => found.agent.close());
  return found.agent;
}

function rawRequests(path: string) {
  const pool = new Pool('http://agent', { socketPath: path, connections: 8 });
  onTestFinished(() => pool.destroy());
  return async (method: 'GET' | 'POST', route: string, body?: string) => {
    const headers = body === undefined ? {} : { 'content-type': 'application/json' };
    const answer = await pool.request({ method, path: route, headers, body: body ?? null });
    const said: unknown = await answer.body.json();
    return { status: answer.statusCode, said };
  };
}

/** What a crash leaves: a socket that nobody listens at. */
async function leaveSocket(path: string): Promise<void> {
  const server = createServer().listen(`${path}.old`);
  await once(server, 'listening');
  renameSync(`${path}.old`, path);
  await new Promise((resolve) => server.close(resolve));
}

test('only the owner may open it, whatever the rights of the folder, and it is gone after the stop', async () => {
  const { controlSocket, path, stateDir } = await openSocket();
  expect(lstatSync(path).mode & 0o777).toBe(0o600);
  expect(await (await running(stateDir)).state()).toEqual(STATE);
  await controlSocket.stop();
  expect((await findRunningAgent(stateDir)).kind).toBe('silent');
  await controlSocket.close();
  expect(existsSync(path)).toBe(false);
  expect((await findRunningAgent(stateDir)).kind).toBe('none');
});

test('somebody who hangs up is there and cannot be asked', async () => {
  const stateDir = newFolder();
  const server = createServer((socket) => socket.destroy()).listen(join(stateDir, 'agent.sock'));
  await once(server, 'listening');
  expect((await findRunningAgent(stateDir)).kind).toBe('silent');
  server.close();
});

test('of two that start at once one gets the state directory, for as long as it lives, whether it has a control socket or not', async () => {
  for (const [stateDir, kind] of [
    [newFolder(), 'silent'],
    [tooLong(), 'unreachable'],
  ] as const) {
    const first = await mustBeAlone(stateDir);
    expect((await findRunningAgent(stateDir)).kind).toBe(kind);
    const second = mustBeAlone(stateDir);
    const early = await Promise.race([second, systemClock.sleep(50)]);
    expect(early).toBeUndefined();
    first();
    (await second)();
    expect((await findRunningAgent(stateDir)).kind).toBe('none');
  }
});

test('a socket that a crash left is replaced', async () => {
  const stateDir = newFolder();
  await leaveSocket(join(stateDir, 'agent.sock'));
  expect((await findRunningAgent(stateDir)).kind).toBe('none');
  const release = await mustBeAlone(stateDir);
  onTestFinished(release);
  const { warnings } = await openSocket(stateDir);
  expect((await findRunningAgent(stateDir)).kind).toBe('running');
  await expect(mustBeAlone(stateDir)).rejects.toThrow('another one runs there');
  expect(warnings).toEqual([]);
});

test('where another agent answers, or something else lies, nothing is touched and the agent goes on without one', async () => {
  const first = await openSocket();
  const second = await openSocket(first.stateDir);
  expect(second.warnings.join()).toContain('another agent runs on this state directory');
  await second.controlSocket.close();
  expect((await findRunningAgent(first.stateDir)).kind).toBe('running');

  const stateDir = newFolder();
  writeFileSync(join(stateDir, 'agent.sock'), 'mine');
  const { warnings, controlSocket } = await openSocket(stateDir);
  expect(warnings.join()).toContain('no socket');
  await controlSocket.close();
  expect(existsSync(join(stateDir, 'agent.sock'))).toBe(true);
});

test('it is tried again: after the other agent has gone, and when somebody has removed the socket', async () => {
  const clock = createVirtualClock();
  const other = await openSocket();
  const { stateDir, path } = await openSocket(other.stateDir, clock);
  await other.controlSocket.close();
  await clock.advance(31_000);
  await untilSoon(
    () => findRunningAgent(stateDir),
    ({ kind }) => kind === 'running',
  );
  rmSync(path);
  await clock.advance(31_000);
  await untilSoon(
    () => findRunningAgent(stateDir),
    ({ kind }) => kind === 'running',
  );
});

test('a state directory whose path is too long for a socket gets a warning and no control socket', async () => {
  const stateDir = tooLong();
  const { warnings, controlSocket } = await openSocket(stateDir);
  expect(warnings).toEqual([expect.stringContaining('too long')]);
  expect((await findRunningAgent(stateDir)).kind).toBe('none');
  await controlSocket.close();
});

test('on Windows it is a pipe whose name follows from the folder, however that is written', () => {
  const name = socketAddress('C:\\ProgramData\\Pithead\\state', 'win32');
  expect(name).toMatch(/^\\\\\.\\pipe\\pithead-[0-9a-f]{32}$/);
  expect(socketAddress('c:\\programdata\\pithead\\STATE', 'win32')).toBe(name);
  expect(socketAddress('C:\\ProgramData\\Pithead\\other', 'win32')).not.toBe(name);
});

test('what it does not know, what does not fit and what is too large is refused with a reason', async () => {
  const { path, asked } = await openSocket();
  const request = rawRequests(path);
  expect(await request('GET', '/secrets')).toMatchObject({ status: 404, said: { code: 'not-found' } });
  expect(await request('POST', '/tasks/abort', '{"reason":"x","all":true}')).toMatchObject({ status: 400 });
  expect(await request('POST', '/tasks/abort', '{"reason":')).toMatchObject({ status: 400 });
  expect(await request('POST', '/tasks/abort', `{"reason":"${'x'.repeat(1_100_000)}"}`)).toMatchObject({ status: 413 });
  expect(await request('POST', '/tasks/run', '{"name":"agent.self.update","miners":["10.0.0.5"]}')).toMatchObject({
    status: 400,
  });
  expect(await request('POST', '/log', '{"ip":"10.0.0.5"}')).toMatchObject({
    status: 409,
    said: { code: 'look.outside' },
  });
  expect(asked).toMatchObject({ runs: [], reasons: [] });
});

test('a configuration that is wrong is refused with its problems, as if it had been read here', async () => {
  const agent = await running((await openSocket()).stateDir);
  await expect(agent.reload()).rejects.toMatchObject({
    message: 'check config pithead.yaml',
    problems: [{ path: 'networks[0]', message: 'is wrong' }],
  });
});

test('two callers are served side by side; one that goes away gives its tasks up, the other is not touched', async () => {
  const { stateDir, asked, release } = await openSocket();
  const [a, b] = [await running(stateDir), await running(stateDir)];
  const steps: string[] = [];
  const request = { name: 'miner.system.reboot', miners: ['10.0.0.5'], params: { force: true } } as const;
  const gone = a.run(request, () => {}, new AbortController().signal);
  gone.catch(() => {});
  const stays = b.run(request, ({ status }) => steps.push(status), new AbortController().signal);
  await untilSoon(
    () => asked.runs.length,
    (count) => count === 2,
  );
  await a.close();
  await expect(gone).rejects.toThrow();
  await untilSoon(
    () => asked.stopped,
    (count) => count === 1,
  );
  release();
  expect(await stays).toMatchObject({ total: 1, succeeded: 1, batch_id: 'b1' });
  expect(steps).toEqual(['pending', 'succeeded']);
  expect(asked).toMatchObject({ stopped: 1, runs: [request, request], users: [userName(), userName()] });
});

test('Ctrl-C stops what was asked and still hears how it ended', async () => {
  const { stateDir, asked } = await openSocket();
  const agent = await running(stateDir);
  const ctrlC = new AbortController();
  const steps: string[] = [];
  const request = { name: 'miner.system.reboot', miners: ['10.0.0.5'], params: {} } as const;
  const onStep = ({ status }: { status: string }) => {
    steps.push(status);
    ctrlC.abort();
  };
  expect(await agent.run(request, onStep, ctrlC.signal)).toMatchObject({ total: 1, succeeded: 0 });
  expect(steps).toEqual(['pending', 'cancelled']);
  expect(asked.stopped).toBe(1);
});

test('when the agent stops, whoever waits for what cannot be called back is told so', async () => {
  const { controlSocket, stateDir } = await openSocket();
  const agent = await running(stateDir);
  const request = { ranges: ['10.0.0.0/24'], exclude: [] };
  const hearer = { onUnderstood() {}, onFound() {}, onProgress() {} };
  const scan = agent.scan(request, hearer, new AbortController().signal);
  scan.catch(() => {});
  await agent.tasks(1, false);
  await controlSocket.stop();
  await expect(scan).rejects.toThrow('the agent stops');
});

test('a caller that does not read is let go, and what it asked for is stopped', async () => {
  const { path, asked } = await openSocket();
  const socket = connect({ path }).pause();
  const body = JSON.stringify({ ranges: [FLOOD] });
  socket.write(
    `POST /scan HTTP/1.1\r\nhost: agent\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
  );
  await untilSoon(
    () => asked.stopped,
    (count) => count === 1,
  );
  socket.destroy();
});

test('callers that ask nothing make room for those that ask', async () => {
  const { path } = await openSocket();
  const request = rawRequests(path);
  let closed = 0;
  const idle = Array.from({ length: 200 }, () => connect({ path }).on('error', () => {}));
  for (const socket of idle) socket.on('close', () => closed++);
  await Promise.all(idle.map((socket) => once(socket, 'connect')));
  expect((await request('GET', '/state')).status).toBe(200);
  await expect.poll(() => closed).toBeGreaterThanOrEqual(200 - 128);
  for (const socket of idle) socket.destroy();
});

test('a recording comes through with its files, as far as their names lead nowhere else', async () => {
  const { stateDir } = await openSocket();
  const agent = await running(stateDir);
  const asked: string[] = [];
  const capture = (ip: string) =>
    agent.capture({ ip }, (done, total, note) => asked.push(`${done}/${total} ${note}`), new AbortController().signal);
  expect(await capture('10.0.0.7')).toEqual({
    case: { id: 'bitmain-s19-1.0', responses: [{ ask: 'version' }, { ask: 'stats', failure: 'peer.auth' }] },
    files: new Map([['tcp-4028.version.json', '{"a":"\u00ff"}']]),
    driver: undefined,
    isLoginRefused: true,
  });
  expect(asked).toEqual(['1/2 version']);
  expect(await capture(NOBODY)).toBeUndefined();
  expect((await capture(CLIMBER))?.files).toEqual(new Map());
  const login = { user: 'root', password: 'of-this-device' };
  const named = { ip: '10.0.0.7', also: ['/api/status', 'tcp:devs'], login };
  await agent.capture(named, (_done, _total, note) => asked.push(note), new AbortController().signal);
  expect(asked.slice(-2)).toEqual(['/api/status for root', 'tcp:devs for root']);
});

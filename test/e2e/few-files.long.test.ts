// A process that may open 64 files and sockets: its own scans and polls leave room for those who ask it, and when
// others have taken all that is left, it answers again as soon as they have gone.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { loopback } from '../support/loopback.ts';
import { MAIN, runPithead } from './process.ts';
import { until } from './until.ts';

const HOST = loopback().ip(1);
const URL = `http://${HOST}:18429`;

/**
 * Devices at every address of this host that take connections and never say a word: each holds what asks it for as long
 * as it is let.
 */
async function silentDevices(): Promise<{ port: number; held(): number }> {
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {});
    socket.on('close', () => sockets.delete(socket));
  });
  server.listen(0, '0.0.0.0');
  await once(server, 'listening');
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('a port');
  return { port: address.port, held: () => sockets.size };
}

async function startWithFewFiles(config: string): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'pithead-few-files-'));
  writeFileSync(join(folder, 'pithead.yaml'), config);
  const child = spawn('sh', ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, MAIN, 'up'], {
    cwd: folder,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  onTestFinished(async () => {
    child.kill('SIGTERM');
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit');
    rmSync(folder, { recursive: true, force: true });
  });
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text) => {
    printed += text;
  });
  await until(
    () => printed,
    (text) => text.includes('service on') || child.exitCode !== null,
  );
  expect(printed).toContain('service on');
  folders.push(folder);
}
const folders: string[] = [];

const healthz = async (): Promise<number> => {
  const { statusCode, body } = await request(`${URL}/healthz`, { headersTimeout: 20_000 });
  await body.dump();
  return statusCode;
};

const status = async () => {
  const { code, stdout, stderr } = await runPithead(['status', '--json'], { cwd: folders.at(-1) ?? '' });
  return { code, stderr, stdout };
};

/** So long the crowd holds what it got. */
const CROWD_MS = 3_000;

/** Connections that ask nothing; ended by the function that it gives. */
function crowd(count: number, open: () => Socket): () => void {
  const sockets = Array.from({ length: count }, () => open().on('error', () => {}));
  return () => {
    for (const socket of sockets) socket.destroy();
  };
}

test.runIf(process.platform === 'linux')(
  'with 64 descriptors everybody is answered, during a scan and after a crowd has gone',
  async () => {
    const devices = await silentDevices();
    await startWithFewFiles(`stateDir: state
networks: [{ name: c, range: ${loopback(26).network} }]
portMap: { 4028: ${devices.port}, 80: ${devices.port} }
listen: { host: ${HOST}, port: 18429 }
`);
    await until(devices.held, (held) => held > 0);
    // While a scan is under way.
    for (let round = 0; round < 3; round++) expect([(await status()).code, await healthz()]).toEqual([0, 200]);

    const path = join(folders.at(-1) ?? '', 'state', 'agent.sock');
    const leave = [crowd(80, () => connect(path)), crowd(80, () => connect(18_429, HOST))];
    await new Promise((resolve) => setTimeout(resolve, CROWD_MS));
    for (const end of leave) end();
    await until(status, ({ code }) => code === 0, 60_000);
    await until(
      () => healthz().catch(() => 0),
      (code) => code === 200,
      60_000,
    );
  },
);

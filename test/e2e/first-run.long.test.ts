// The first minute of somebody who has configured nothing: nothing is scanned, and the next step is one line to copy.
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Started, startPithead } from './process.ts';

let folder: string;
let pithead: Started;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-first-'));
  pithead = startPithead(['up', '--port', '0'], {
    cwd: folder,
    environment: { XDG_STATE_HOME: folder, LOCALAPPDATA: folder },
  });
  await pithead.untilPrinted('stderr', 'so nothing is scanned');
});
afterAll(() => {
  pithead.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

test('says that nothing is scanned, and the name of the file where networks are named', async () => {
  expect(await pithead.untilPrinted('stderr', 'pithead.yaml')).toContain('networks:');
});

/** A host with two legs: an ordinary /22 and a network that it carries inside itself. */
const TWO_LEGS = `ip link set lo up
ip link add lan0 type veth peer name docker0
ip addr add 10.77.4.9/22 dev lan0
ip addr add 172.17.0.1/16 dev docker0
ip link set lan0 up
ip link set docker0 up`;

test('says which private network it is in, how many addresses it has, and the line that scans it', async (context) => {
  const allowed = spawnSync('unshare', ['--net', 'sh', '-c', `set -e\n${TWO_LEGS}`], { timeout: 20_000 });
  if (allowed.status !== 0) return context.skip('this user may not make a network to stand in');
  const place = join(folder, 'two-legs');
  const environment = { XDG_STATE_HOME: place, LOCALAPPDATA: place };
  const started = startPithead(['up', '--port', '0'], { cwd: folder, environment, network: TWO_LEGS });
  try {
    const said = await started.untilPrinted('stderr', 'networks: [');
    expect(said).toContain('nothing is scanned');
    expect(said).toMatch(/lan0: 10\.77\.4\.0\/22, 1022 addresses +pithead scan 10\.77\.4\.0\/22$/m);
    expect(said).toMatch(/^ {2}networks: \[10\.77\.4\.0\/22\]$/m);
    expect(said).not.toContain('172.17.');
    started.kill('SIGTERM');
    expect((await started.end()).code).toBe(0);
  } finally {
    started.kill('SIGKILL');
  }
});

test('serves, and has scanned nothing', async () => {
  const said = pithead.stderr();
  const [, stateDir = ''] = /state in (.+)$/m.exec(said) ?? [];
  const url = /service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1];
  expect(url).toBeDefined();
  const { statusCode, body } = await request(`${url}/openapi.json`);
  expect(statusCode).toBe(200);
  await body.dump();
  expect(pithead.stdout()).not.toContain('scan ended');
  const database = new DatabaseSync(join(stateDir, 'service.sqlite'), { readOnly: true });
  expect(database.prepare('SELECT count(*) AS miners FROM miners').get()).toEqual({ miners: 0 });
  database.close();
});

test('SIGTERM ends it in order, and its state is where it said', async () => {
  pithead.kill('SIGTERM');
  const { code, stderr } = await pithead.end();
  expect(code, stderr).toBe(0);
  const [, stateDir = ''] = /state in (.+)$/m.exec(stderr) ?? [];
  expect(stateDir.startsWith(folder)).toBe(true);
  expect(existsSync(stateDir)).toBe(true);
});

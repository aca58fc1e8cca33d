// New passwords for miners, from the command line and from an integrator, through a real agent: one goes first, each is
// proven by a login, what goes wrong leaves both passwords at hand, and no secret is seen anywhere.
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { type Device, type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { suitablePortMap } from '../../fixtures/farm/ports.ts';
import { filesBelow, sightingsOf, textOf } from '../fault/sightings.ts';
import { loopback } from '../support/loopback.ts';
import { runPithead, type Started, startPithead } from './process.ts';
import { minerListSchema } from './site.ts';
import { runOnTerminal } from './terminal.ts';
import { until } from './until.ts';

const { network: NETWORK } = loopback(26);
const MINERS = 9;
const FACTORY = 'root';
const NEW = {
  first: 'First-of-the-farm-77',
  kept: 'Kept-its-own-88a',
  lost: 'Lost-reply-99b',
  late: 'Late-taken-over-11c',
  restart: 'Restarted-22d',
  order: 'Ordered-33e',
} as const;

let folder: string;
let state: string;
let config: string;
let farm: Farm;
let agent: Started;
let url: string;
let key: string;
const answers: string[] = [];

const startUp = async () => {
  agent = startPithead(['up', '--config', config, '--port', '0'], { cwd: folder });
  const said = await agent.untilPrinted('stderr', /service on http:\S+\d/);
  url = /service on (http:\/\/[\d.]+:\d+)/.exec(said)?.[1] ?? '';
};
const pithead = async (...words: readonly string[]) => {
  const ended = await runPithead([...words, '--config', config], { cwd: folder });
  answers.push(`${ended.stdout}\n${ended.stderr}`);
  return ended;
};
/** With the new password in a file of its own, which is gone afterwards. */
const change = async (password: string, ...words: readonly string[]) => {
  const file = join(folder, `new-${answers.length}-${words[0]}`);
  writeFileSync(file, `${password}\n`, { mode: 0o600 });
  const ended = await pithead('password', ...words, '--password-file', file);
  rmSync(file);
  return ended;
};
const call = async (method: 'GET' | 'POST', path: string, body?: unknown): Promise<unknown> => {
  const headers = { 'x-api-key': key, ...(body === undefined ? {} : { 'content-type': 'application/json' }) };
  const answer = await request(url + path, {
    ...{ method, headers },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const text = await answer.body.text();
  answers.push(text);
  return JSON.parse(text);
};

const one = z.object({ data: z.tuple([z.looseObject({ id: z.string() })], z.unknown()) });
let v1: string;
let batches: string;
const miners = async () => minerListSchema.parse(await call('GET', `${v1}/miner/latest?pageSize=100`)).data;
/** Addresses of those that the agent logs in to with the login that they left the factory with. */
const v2Schema = z.object({
  data: z.array(z.looseObject({ ip: z.string(), default_password: z.boolean().optional() })),
});
const withFactoryLogin = async () =>
  v2Schema
    .parse(await call('GET', batches.replace('task-batches', 'miners?page_size=100')))
    .data.flatMap(({ ip, default_password }) => (default_password === true ? ip : []));
const minerAt = async ({ ip }: Device) => (await miners()).find((miner) => miner.ip === ip);

const stepSchema = z.looseObject({
  ip: z.string().optional(),
  status: z.string().optional(),
  message: z.string().nullish(),
  evidence: z.looseObject({ proof: z.string().optional() }).optional(),
});
const stepsOf = (stdout: string) =>
  stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => stepSchema.parse(JSON.parse(line)));
const passwordsOf = (devices: readonly Device[]) => devices.map(({ login }) => login?.password);

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-password-'));
  state = join(folder, 'state');
  mkdirSync(state, { mode: 0o700 });
  const portMap = await suitablePortMap();
  farm = await startFarm({
    ...{ network: NETWORK, miners: MINERS, mix: 'antminer-c', seed: 7, noise: 0, bootS: 1, warmUpS: 1, portMap },
  });
  config = join(folder, 'pithead.yaml');
  writeFileSync(
    config,
    JSON.stringify({
      ...{ stateDir: state, networks: [NETWORK], portMap, log: { level: 'debug' } },
      poll: { interval: '1s', slowEvery: 1, staticEvery: '5s', deadline: '3s' },
      tasks: { allow: { password: true } },
      credentials: { keyFile: join(folder, 'keys', 'pithead.key') },
    }),
    { mode: 0o600 },
  );
  await startUp();
  key = z
    .object({ key: z.string() })
    .parse(
      JSON.parse(
        (await runPithead(['key', 'create', '--name', 'x', '--role', 'admin', '--json', '--config', config])).stdout,
      ),
    ).key;
  const workspace = `/public-api/v2/workspaces/${one.parse(await call('GET', '/public-api/v2/workspaces')).data[0].id}`;
  const farmId = one.parse(await call('GET', `${workspace}/farms`)).data[0].id;
  v1 = `${workspace.replace('/public-api/v2/workspaces', '/private-api/v1')}/farms/${farmId}`;
  batches = `${workspace}/farms/${farmId}/task-batches`;
  await until(withFactoryLogin, (ips) => ips.length === MINERS);
});
afterAll(async () => {
  agent.kill('SIGKILL');
  await farm.stop();
  rmSync(folder, { recursive: true, force: true });
});

const at = (index: number): Device => {
  const device = farm.devices[index];
  if (device === undefined) throw new Error(`the farm has no device ${index}`);
  return device;
};

test('nothing is sent to miners that no person has accepted', async () => {
  const refused = await change(NEW.first, 'all', '--yes');
  expect(refused.code, refused.stderr).toBe(5);
  expect(refused.stderr).toContain(`${MINERS} left out: refused: no person has accepted it yet: pithead trust accept`);
  expect((await pithead('trust', 'accept', NETWORK)).code).toBe(0);
});

test('typed twice on a terminal, it is not on the screen, and two that differ send nothing', async () => {
  const type = (first: string, second: string) =>
    runOnTerminal(['password', at(0).ip, '--dry-run', '--config', config], {
      columns: 80,
      environment: { NO_COLOR: '1' },
      answers: [
        ['The new password', `${first}\r`],
        ['Once more', `${second}\r`],
      ],
    });
  const [same, other] = [await type(NEW.first, NEW.first), await type(NEW.first, NEW.kept)];
  answers.push(same.raw, other.raw);
  expect(same.code, same.lines.join('\n')).toBe(0);
  expect(same.lines.join('\n')).toContain('nothing was sent (--dry-run)');
  expect(other.code).toBe(2);
  expect(other.lines.join('\n')).toContain('the two are not the same');
});

test('one goes first, each is proven by a login, and the agent goes on with the new one', async () => {
  const three = [at(0), at(1), at(2)];
  const { code, stdout, stderr } = await change(
    NEW.first,
    ...three.map(({ ip }) => ip),
    ...['--canary', '3', '--yes', '--json'],
  );
  expect(code, stdout + stderr).toBe(0);
  expect(passwordsOf(three)).toEqual([NEW.first, NEW.first, NEW.first]);
  const steps = stepsOf(stdout);
  const proven = steps.filter(({ status }) => status === 'succeeded');
  expect(proven.map(({ evidence }) => evidence?.proof)).toEqual(['login', 'login', 'login']);
  const first = steps.findIndex(({ status }) => status === 'succeeded');
  const running = steps.slice(0, first).filter(({ status }) => status === 'running');
  expect(new Set(running.map(({ ip }) => ip))).toEqual(new Set([at(0).ip]));
  await until(withFactoryLogin, (ips) => ips.length === MINERS - 3);
  expect((await minerAt(at(0)))?.last_check_succeed).toBe(true);
  // With it they are changed again, and what has it already is proven all the same.
  const again = await change(NEW.first, at(0).ip, '--json');
  expect(again.code, again.stdout + again.stderr).toBe(0);
  const back = await change(FACTORY, at(2).ip, '--json');
  expect(back.code, back.stdout + back.stderr).toBe(0);
  expect(passwordsOf([at(2)])).toEqual([FACTORY]);
});

test('an old password that is not known, a lying device, a lost reply, a slow device', async () => {
  const firstLine = join(folder, 'first-line');
  writeFileSync(firstLine, 'Never-sent-44f\n');
  at(3).setFault('wrong-password', true);
  at(4).setFault('keeps-password', true);
  at(5).setFault('loses-password-reply', true);
  at(6).setFault('late-password', true, 15);
  await until(
    () => pithead('password', at(3).ip, '--dry-run', '--password-file', firstLine),
    ({ stderr }) => stderr.includes('no login that it accepts is known here'),
  );
  const [kept, lost, late] = await Promise.all([
    change(NEW.kept, at(4).ip, '--json'),
    change(NEW.lost, at(5).ip, '--json'),
    change(NEW.late, at(6).ip, '--json'),
  ]);
  expect(kept.code).toBe(1);
  expect(kept.stdout).toContain('the miner answered success but kept its password');
  expect(passwordsOf([at(4)])).toEqual([FACTORY]);
  expect((await minerAt(at(4)))?.last_check_succeed).toBe(true);
  expect(lost.code, lost.stdout).toBe(0);
  expect(passwordsOf([at(5)])).toEqual([NEW.lost]);
  expect(late.code, late.stdout).toBe(0);
  expect(passwordsOf([at(6)])).toEqual([NEW.late]);
  // The one that kept its own takes another one.
  at(4).setFault('keeps-password', false);
  const other = await change(NEW.first, at(4).ip, '--json');
  expect(other.code, other.stdout + other.stderr).toBe(0);
  expect(passwordsOf([at(4)])).toEqual([NEW.first]);
});

test('an agent that is killed on the way goes on with the proof, and sends nothing again', async () => {
  const device = at(7);
  const handed = await change(NEW.restart, device.ip, '--detach', '--json');
  expect(handed.code, handed.stderr).toBe(0);
  await until(
    async () => device.login?.password,
    (password) => password === NEW.restart,
  );
  agent.kill('SIGKILL');
  await agent.end();
  await startUp();
  const taskSchema = z.looseObject({
    ip: z.string().nullish(),
    name: z.string().nullish(),
    status: z.string().nullish(),
  });
  const ended = await until(
    async () =>
      (await pithead('tasks', '--json')).stdout
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => taskSchema.parse(JSON.parse(line)))
        .find(({ ip, name }) => ip === device.ip && name === 'miner.password.update'),
    (task) => task !== undefined && task.status !== 'running' && task.status !== 'pending',
  );
  expect(ended).toMatchObject({ status: 'succeeded' });
  await until(withFactoryLogin, (ips) => !ips.includes(device.ip));
  expect((await minerAt(device))?.last_check_succeed).toBe(true);
});

test('an integrator orders it: one first whatever is asked, and no answer shows the password', async () => {
  const ids = new Map((await miners()).map(({ ip, id }) => [ip, id]));
  const order = {
    task_name: 'miner.password.update',
    miner_ids: [at(8), at(2)].map(({ ip }) => ids.get(ip)),
    params: { password: NEW.order },
    rollout: { canary: 2 },
  };
  const created = one.parse(await call('POST', batches, order)).data[0];
  expect(created).toMatchObject({ task_params: { password: '***' } });
  const detail = z.object({
    data: z.looseObject({ status: z.string(), pending_count: z.int(), running_count: z.int(), metadata: z.unknown() }),
  });
  const { data } = await until(
    async () => detail.parse(await call('GET', `${batches}/${created.id}`)),
    (found) => found.data.pending_count + found.data.running_count === 0,
  );
  expect(data).toMatchObject({ status: 'succeeded', metadata: { rollout: { canary: 1 } } });
  expect(passwordsOf([at(8), at(2)])).toEqual([NEW.order, NEW.order]);
  await call('GET', `${batches}/${created.id}/tasks`);
  // A word too long is refused without being quoted.
  await call('POST', batches, { ...order, params: { password: NEW.order.repeat(9) } });
});

test('a command without an agent logs in with it, and no secret is seen anywhere', async () => {
  for (const words of [
    ['status'],
    ['tasks', '--json'],
    ['doctor'],
    ['miner', at(0).ip],
    ['log', at(0).ip],
    ['changes'],
  ])
    await pithead(...words);
  await call('GET', batches);
  const onDisk = (when: string) =>
    Object.fromEntries(
      [...filesBelow(folder)]
        .filter((path) => !path.endsWith('pithead.key'))
        .map((path) => [`${path.slice(folder.length + 1)} ${when}`, textOf(path)]),
    );
  const whileItRuns = onDisk('while it runs');
  const log = agent.stdout() + agent.stderr();
  agent.kill('SIGTERM');
  await agent.end();
  const scanned = await pithead('scan', at(0).ip, '--json');
  expect(scanned.stdout).toContain('"login_refused":0');
  expect(scanned.stdout).toContain('"power":');
  const places = { ...whileItRuns, ...onDisk('afterwards'), log, answers: answers.join('\n') };
  expect(log).toContain('"level":20');
  expect(whileItRuns['state/trust.sqlite while it runs'] ?? '').toContain('sealed:1:');
  expect(sightingsOf(NEW, places)).toEqual([]);
});

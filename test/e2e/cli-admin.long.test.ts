// What an administrator types: configuration, keys, enrolment, help; and how wrong usage ends.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { VERSION } from '../../src/base/version.ts';
import { buildProgram } from '../../src/cli/program.ts';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../src/wire/protocol.ts';
import { newIdentityKey } from '../support/identity-key.ts';
import { runPithead, type Started, startPithead } from './process.ts';

let folder: string;
let service: Started;
let url: string;
let database: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'pithead-admin-'));
  database = join(folder, 'service.sqlite');
  const environment = { XDG_STATE_HOME: folder, LOCALAPPDATA: folder };
  service = startPithead(['service', '--database', database, '--port', '0'], { cwd: folder, environment });
  const said = await service.untilPrinted('stderr', /service on http:\S+/);
  url = /service on (http:\S+)/.exec(said)?.[1] ?? '';
});
afterAll(() => {
  service.kill('SIGKILL');
  rmSync(folder, { recursive: true, force: true });
});

const beside = (...args: string[]) => runPithead([...args, '--database', database], { cwd: folder });

function file(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}

test('config check names every problem of a file at once, by field', async () => {
  const path = file(
    'bad.yaml',
    `networks: [10.0.0.0/33, 10.1.0.0/24]
exclude: [nobody]
portMap: { "80": 99999 }
poll: { interval: soon, speed: 3 }
tasks: { reboot: { concurrency: 0 } }
credentials: { logins: [{ user: root, password: hunter2 }] }
service: { url: nowhere }
colour: blue
`,
  );
  const { code, stdout, stderr } = await runPithead(['config', 'check', path]);
  expect(code).toBe(78);
  expect(stdout).toBe('');
  for (const field of [
    'networks[0]',
    'exclude[0]',
    'portMap.80',
    'poll.interval',
    'poll.speed',
    'tasks.reboot.concurrency',
    'credentials.logins[0].password',
    'service.url',
    'colour',
  ])
    expect(stderr).toMatch(new RegExp(`^ {2}${field.replaceAll(/[.[\]]/g, '\\$&')}: .+`, 'm'));
  expect(stderr).not.toContain('networks[1]');
  expect(stderr).not.toContain('hunter2');
  expect(stderr).toMatch(/: 9 problems$/m);
});

test('config check says what it understood of a good file, and names the line of one that is no YAML', async () => {
  const good = await runPithead(['config', 'check', file('good.yaml', 'networks: [10.1.0.0/24]\n')]);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(good.stdout).toContain('10.1.0.0/24: 254 addresses');
  const broken = await runPithead(['config', 'check', file('broken.yaml', 'poll:\n  interval: [1s\nname: x\n')]);
  expect(broken.code).toBe(78);
  expect(broken.stderr).toMatch(/line \d+: /);
  const missing = await runPithead(['config', 'check', join(folder, 'nowhere.yaml')]);
  expect(missing.code).toBe(78);
  expect(missing.stderr).toContain('nowhere.yaml');
});

test('config check --json gives the same to programs, with what the service listens on, certificate and all', async () => {
  const good = await runPithead(['config', 'check', '--json', file('json.yaml', 'networks: [10.1.0.0/24]\n')]);
  expect(good).toMatchObject({ code: 0, stderr: '' });
  expect(JSON.parse(good.stdout)).toMatchObject({
    ok: true,
    problems: [],
    warnings: [],
    networks: expect.arrayContaining([expect.stringContaining('10.1.0.0/24')]),
    listen: { host: '127.0.0.1', port: 8420, trustProxy: [] },
  });
  const wrong = file(
    'wrong.yaml',
    'listen: {port: 0, trustProxy: [everybody], tls: {certFile: x}, publicUrl: ftp://x}\n',
  );
  const refused = await runPithead(['config', 'check', '--json', wrong]);
  expect(refused).toMatchObject({ code: 78, stderr: '' });
  const { ok, problems } = JSON.parse(refused.stdout);
  expect(ok).toBe(false);
  expect(problems.map(({ path }: { path: string }) => path).toSorted()).toEqual([
    'listen.port',
    'listen.publicUrl',
    'listen.tls.keyFile',
    'listen.trustProxy[0]',
  ]);
  const noFiles = await runPithead(['config', 'check', file('tls.yaml', 'listen: {tls: {certFile: c, keyFile: k}}\n')]);
  expect(noFiles.code).toBe(78);
  expect(noFiles.stderr).toMatch(/listen\.tls\.certFile: .*c cannot be read[\s\S]*listen\.tls\.keyFile: /);
});

test.each([
  [['scna', '10.0.0.0/24'], 'scna'],
  [['scan', '10.0.0.0/24', '--jsno'], '--jsno'],
  [['scan'], 'ranges'],
  [['key', 'create'], '--name'],
  [['key', 'mint'], 'mint'],
])('wrong usage (%j) exits 2 and names what is wrong', async (args, word) => {
  const { code, stdout, stderr } = await runPithead(args);
  expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
  expect(stderr).toContain(word);
});

/** A command and those below it, each with the words that call it. */
function walk(command: Command, words: readonly string[]): (readonly [string, Command])[] {
  const inner = command.commands.flatMap((one) => walk(one, [...words, one.name()]));
  return [[words.join(' '), command], ...inner];
}

test('the help of every command shows examples of that command', async () => {
  const { stdout, stderr } = process;
  const program = await buildProgram({ stdout, stderr, environment: {}, signal: new AbortController().signal });
  const all = walk(program, ['pithead']);
  expect(all.length).toBeGreaterThan(12);
  for (const [words, command] of all) {
    let shown = '';
    command.configureOutput({
      writeOut: (text) => {
        shown += text;
      },
    });
    command.outputHelp();
    expect(shown, words).toMatch(new RegExp(`Examples:\\n  \\$ ${words}`));
  }
});

test('--help and --version go to stdout and are no failure', async () => {
  const help = await runPithead(['key', 'create', '--help']);
  expect(help).toMatchObject({ code: 0, stderr: '' });
  expect(help.stdout).toContain('$ pithead key create --name dashboard');
  expect(await runPithead(['--version'])).toEqual({ code: 0, stderr: '', stdout: `${VERSION}\n` });
});

test('a key made beside the running service opens it, is listed without its secret, and ends when it is revoked', async () => {
  const made = await beside('key', 'create', '--name', 'dashboard', '--json');
  expect(made.code, made.stderr).toBe(0);
  const keySchema = z.strictObject({ id: z.string(), key: z.string(), workspace_id: z.string(), farm_id: z.uuid() });
  const { id, key, workspace_id, farm_id } = keySchema.parse(JSON.parse(made.stdout));
  const list = async () => {
    const address = `${url}/private-api/v1/${workspace_id}/farms/${farm_id}/miner/latest`;
    const { statusCode, body } = await request(address, { headers: { 'x-api-key': key } });
    await body.dump();
    return statusCode;
  };
  expect(await list()).toBe(200);
  const listed = await beside('key', 'list', '--json');
  expect(JSON.parse(listed.stdout)).toMatchObject([{ id, name: 'dashboard', role: 'viewer', revokedAt: null }]);
  const [{ expiresAt }] = z.tuple([z.object({ expiresAt: z.iso.datetime() })]).parse(JSON.parse(listed.stdout));
  expect(Math.round((Date.parse(expiresAt) - Date.now()) / 86_400_000)).toBe(365);
  expect(listed.stdout).not.toContain(key);
  const shown = await beside('key', 'list');
  expect(shown.stdout).toContain(id);
  expect(shown.stdout).not.toContain(key);
  expect(await beside('key', 'revoke', id)).toMatchObject({ code: 0 });
  expect(await list()).toBe(401);
  const again = await beside('key', 'revoke', 'nosuch');
  expect(again.code).toBe(1);
  expect(again.stderr).toContain('nosuch');
});

test('a key has its role in the running service, or what was listed', async () => {
  const use = async (...args: string[]) => {
    const made = await beside('key', 'create', '--name', 'x', ...args, '--json');
    expect(made.code, made.stderr).toBe(0);
    const { key, workspace_id, farm_id } = JSON.parse(made.stdout);
    const farm = `${url}/public-api/v2/workspaces/${workspace_id}/farms/${farm_id}`;
    const create = async (task_name: string, params: object) => {
      const { statusCode, body } = await request(`${farm}/task-batches`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({ task_name, miner_ids: ['01900000-0000-7000-8000-000000000000'], params }),
      });
      await body.dump();
      return statusCode;
    };
    const { statusCode, body } = await request(`${farm}/miners`, { headers: { 'x-api-key': key } });
    await body.dump();
    const pools = { pools: [{ url: 'stratum+tcp://pool.example:3333', user: 'w' }] };
    return {
      reads: statusCode,
      reboots: await create('miner.system.reboot', {}),
      setsPools: await create('miner.pool.update', pools),
    };
  };
  expect(await use()).toEqual({ reads: 200, reboots: 403, setsPools: 403 });
  expect(await use('--role', 'technician')).toEqual({ reads: 200, reboots: 200, setsPools: 403 });
  expect(await use('--role', 'manager', '--expires-in', 'never')).toEqual({ reads: 200, reboots: 200, setsPools: 200 });
  expect(await use('--permissions', 'tasks.pools')).toEqual({ reads: 403, reboots: 403, setsPools: 200 });
  expect(await use('--permissions', 'tasks.create')).toEqual({ reads: 403, reboots: 200, setsPools: 403 });
  const wrong = await beside('key', 'create', '--name', 'x', '--role', 'technican');
  expect([wrong.code, wrong.stderr]).toEqual([78, expect.stringContaining('do you mean technician')]);
});

test('a code made beside the running service lets one agent in, once', async () => {
  const made = await beside('enroll', '--json');
  expect(made.code, made.stderr).toBe(0);
  const { code, expires_at } = z
    .strictObject({ code: z.string(), expires_at: z.iso.datetime(), max_miners: z.literal(10_000) })
    .parse(JSON.parse(made.stdout));
  expect(Date.parse(expires_at)).toBeGreaterThan(Date.now());
  const identity_key = newIdentityKey().publicKey;
  const enrol = async () => {
    const { statusCode, body } = await request(`${url}${ENROL_PATH}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ code, name: 'shed 4', version: '0.1.0', protocol: PROTOCOL_VERSION, identity_key }),
    });
    await body.dump();
    return statusCode;
  };
  expect(await enrol()).toBeLessThan(300);
  expect(await enrol()).toBeGreaterThanOrEqual(400);
  const human = await beside('enroll', '--valid-for', '24h');
  expect(human).toMatchObject({ code: 0 });
  expect(human.stdout).toContain('service.enrolmentCode');
  const wrong = await beside('enroll', '--valid-for', 'soon');
  expect([2, 78]).toContain(wrong.code);
  expect(wrong.stderr).toContain('--valid-for');
});

test('SIGTERM ends the service in order', async () => {
  service.kill('SIGTERM');
  expect((await service.end()).code).toBe(0);
});

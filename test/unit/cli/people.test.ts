// `pithead people` on a database file: each command, with --json that parses, and the codes that it prints.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { collector, json, newDatabase } from './command-line.ts';

const CODE = /^[0-9A-HJKMNP-TV-Z]{5}-[0-9A-HJKMNP-TV-Z]{5}$/;

test('people are added, get other roles, are disabled, enabled and removed', async () => {
  const { run } = newDatabase();
  const farm = json(await run('farm', 'create', '--name', 'Hall 2', '--json'));
  const made = json(await run('people', 'add', 'Ada', '--role', 'technician', '--expires-in', '30d', '--json'));
  expect(made).toMatchObject({ name: 'Ada', code: expect.stringMatching(CODE), expires_at: expect.any(String) });
  expect(made.url).toBe(`http://127.0.0.1:8420/claim#reset:${made.code}`);
  expect((await run('people', 'add', 'ADA', '--role', 'viewer')).stderr).toContain(
    "'ADA' is the name of another person",
  );
  const list = async () => json(await run('people', 'list', '--json'));
  expect(await list()).toMatchObject([{ name: 'Ada', role: 'technician', farmRoles: [], hasPassword: false }]);
  await run('people', 'role', 'ada', '--farm-role', `${farm.id}=operator`);
  expect(await list()).toMatchObject([{ role: null, farmRoles: [{ farmId: farm.id, role: 'operator' }] }]);
  expect((await run('people', 'list')).stdout).toContain('operator in');
  expect(json(await run('people', 'disable', 'Ada', '--json'))).toEqual({ name: 'Ada', is_disabled: true });
  expect((await run('people', 'list')).stdout).toContain('disabled');
  expect((await run('people', 'enable', 'Ada')).stdout).toBe('Ada is enabled\n');
  for (const word of ['reset', 'pair'])
    expect(json(await run('people', word, 'Ada', '--json'))).toMatchObject({
      name: 'Ada',
      code: expect.stringMatching(CODE),
    });
  expect(json(await run('people', 'remove', 'Ada', '--json'))).toEqual({ name: 'Ada', removed: true });
  expect(await list()).toEqual([]);
  const unknown = await run('people', 'remove', 'Ada');
  expect([unknown.code, unknown.stderr]).toEqual([78, expect.stringContaining('`pithead people list` shows them')]);
});

test.each([
  [['add', 'Ada'], '--role: received none and no --farm-role'],
  [['add', 'Ada', '--role', 'oprator'], "'oprator' is no role: do you mean operator?"],
  [['add', 'Ada', '--farm-role', 'viewer'], "'viewer' is not <farm>=<role>"],
  [['add', 'Ada', '--farm-role', 'x=viewer'], "'x' is no farm of the workspace"],
  [['add', 'A\u200bda', '--role', 'viewer'], 'accepted: 1 to 64 characters that can be seen'],
  [['role', 'Ada'], 'no person of this service'],
  [['wall', '--farm', 'x'], "'x' is no farm of this service"],
])('people %j is refused and says what is accepted', async (args, message) => {
  const { run } = newDatabase();
  const { code, stderr } = await run('people', ...args);
  expect(code).not.toBe(0);
  expect(stderr).toContain(message);
});

test('a claim and a screen print where to go, with the address of the configuration', async () => {
  const { run, folder } = newDatabase();
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, 'listen: { publicUrl: "https://farm.example/" }\n', { mode: 0o600 });
  const claim = await run('people', 'claim', '-c', config);
  expect(claim.stdout).toMatch(
    / {2}https:\/\/farm\.example\/claim#claim:\w{5}-\w{5}\n {2}code \w{5}-\w{5}, once, until /,
  );
  const wall = json(await run('people', 'wall', '--json'));
  expect(wall).toMatchObject({ name: 'wall Default', url: expect.stringContaining('/claim#pair:') });
  expect(json(await run('people', 'wall', '--json')).name).toBe('wall Default 2');
  expect((await run('people', 'list')).stdout).toContain('screen');
  expect((await run('people', 'reset', 'wall Default')).stderr).toContain('a screen has no password');
});

test('only on a terminal a code is shown to be scanned as well', async () => {
  const { path } = newDatabase();
  const shown = async (isTTY: boolean) => {
    const stdout = collector();
    Object.defineProperty(stdout.stream, 'isTTY', { value: isTTY });
    const { signal } = new AbortController();
    const program = await buildProgram({ stdout: stdout.stream, stderr: collector().stream, environment: {}, signal });
    await program.parseAsync(['node', 'pithead', 'people', 'claim', '--database', path]);
    return stdout.text();
  };
  expect(await shown(true)).toMatch(/[█▀▄]{10}/);
  expect(await shown(false)).not.toMatch(/[█▀▄]/);
});

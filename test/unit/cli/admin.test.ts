// What an administrator does from the command line, on a database file: every resource made, listed and ended, with
// --json that parses.
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildProgram } from '../../../src/cli/program.ts';
import { PERMISSIONS, ROLES } from '../../../src/model/permissions/permissions.ts';
import { openStore } from '../../../src/service/store/store.ts';
import { minerRecord } from '../service-http/records.ts';
import { collector, json, newDatabase } from './command-line.ts';

test('workspaces, farms, keys and grants are made, listed and ended', async () => {
  const { run } = newDatabase();
  const own = json(await run('workspace', 'create', '--slug', 'north', '--name', 'North', '--json'));
  const other = json(await run('workspace', 'create', '--slug', 'south', '--json'));
  expect(json(await run('workspace', 'list', '--json'))).toEqual([
    { id: own.id, slug: 'north', name: 'North' },
    { id: other.id, slug: 'south', name: 'south' },
  ]);
  expect((await run('workspace', 'create', '--slug', 'north')).code).toBe(78);

  const farm = json(await run('farm', 'create', '--name', 'Hall 2', '--workspace', own.id, '--json'));
  expect(json(await run('farm', 'list', '--workspace', own.id, '--json'))).toEqual([farm]);
  expect((await run('farm', 'list')).stdout).toContain('Hall 2');
  expect(json(await run('farm', 'archive', farm.id, '--json'))).toEqual({ id: farm.id, changed: true });
  expect(json(await run('farm', 'list', '--workspace', own.id, '--json'))).toMatchObject([
    { id: farm.id, archivedAt: expect.stringContaining('T') },
  ]);
  expect((await run('farm', 'restore', farm.id)).stdout).toContain('is restored');
  expect((await run('farm', 'restore', farm.id)).stdout).toContain('was restored before');

  const keyArgs = ['--name', 'audit', '--workspace', own.id, '--permissions', 'miners.read,tasks.read'];
  const key = json(await run('key', 'create', ...keyArgs, '--expires-in', '30d', '--json'));
  expect(key).toMatchObject({ workspace_id: own.id, farm_id: farm.id });
  const [listed] = json(await run('key', 'list', '--json'));
  expect(listed).toMatchObject({
    id: key.id,
    role: null,
    permissions: ['miners.read', 'tasks.read'],
    revokedAt: null,
  });
  expect(json(await run('key', 'revoke', key.id, '--json'))).toEqual({ id: key.id, revoked: true });
  expect((await run('key', 'revoke', key.id)).code).toBe(1);

  const grantArgs = ['--from', own.id, '--to', other.id, '--permissions', 'miners.read', '--farms', farm.id];
  const grant = json(await run('grant', 'create', ...grantArgs, '--json'));
  expect(json(await run('grant', 'list', '--json'))).toMatchObject([
    { id: grant.id, grantorId: own.id, granteeId: other.id, farmIds: [farm.id], expiresAt: null, revokedAt: null },
  ]);
  expect((await run('grant', 'revoke', grant.id)).code).toBe(0);
  expect(json(await run('grant', 'list', '--json'))[0].revokedAt).not.toBeNull();
  expect((await run('grant', 'revoke', grant.id)).code).toBe(1);
});

test('a key or a grant that may do nothing is refused, as is a grant to oneself', async () => {
  const { run } = newDatabase();
  const own = json(await run('workspace', 'create', '--slug', 'north', '--json'));
  const other = json(await run('workspace', 'create', '--slug', 'south', '--json'));
  for (const args of [
    ['key', 'create', '--name', 'x', '--permissions', ''],
    ['grant', 'create', '--from', own.id, '--to', other.id, '--permissions', ''],
  ]) {
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([78, expect.stringContaining('accepted: at least one of farms.read')]);
  }
  const selfish = await run('grant', 'create', '--from', own.id, '--to', own.id, '--permissions', 'miners.read');
  expect([selfish.code, selfish.stderr]).toEqual([78, expect.stringContaining('what is its own')]);
  expect(json(await run('key', 'list', '--json'))).toEqual([]);
  expect(json(await run('grant', 'list', '--json'))).toEqual([]);
});

test('a key reads for a year, unless a role, permissions or another end are given', async () => {
  const { run } = newDatabase();
  const made = async (...args: string[]) => {
    const { id } = json(await run('key', 'create', '--name', 'x', ...args, '--json'));
    const keys: { id: string; expiresAt: string | null; createdAt: string }[] = json(
      await run('key', 'list', '--json'),
    );
    const found = keys.find((key) => key.id === id);
    const days = found?.expiresAt && (Date.parse(found.expiresAt) - Date.parse(found.createdAt)) / 86_400_000;
    return { ...found, days: typeof days === 'number' ? Math.round(days) : null };
  };
  expect(await made()).toMatchObject({ role: 'viewer', permissions: [], days: 365 });
  expect(await made('--role', 'technician', '--expires-in', '30d')).toMatchObject({ role: 'technician', days: 30 });
  expect(await made('--expires-in', 'never')).toMatchObject({ role: 'viewer', days: null });
  const listed = await made('--permissions', 'tasks.create', 'tasks.light,miners.read', 'tasks.reboot');
  expect(listed).toMatchObject({ role: null, permissions: ['miners.read', 'tasks.reboot', 'tasks.light'], days: 365 });
  const { stdout } = await run('key', 'list');
  expect(stdout).toContain('technician');
  expect(stdout).toContain('tasks.reboot');
});

test.each([
  [['--role', 'tecnician'], "--role: 'tecnician' is no role: do you mean technician?"],
  [['--role', 'god'], "--role: 'god' is no role: accepted: viewer, technician, operator, manager, admin"],
  [['--permissions', 'tasks.rebot'], "--permissions: 'tasks.rebot' is no permission: do you mean tasks.reboot or"],
  [
    ['--permissions', 'miners.read', '--role', 'viewer'],
    '--permissions: received it and --role, accepted: one of them',
  ],
  [['--expires-in', '1y'], "--expires-in: '1y' is not a duration"],
])('key create %s is refused and says what is accepted', async (args, message) => {
  const { run } = newDatabase();
  const { code, stderr } = await run('key', 'create', '--name', 'x', ...args);
  expect([code, stderr.replaceAll(/\s+/g, ' ')]).toEqual([78, expect.stringContaining(message)]);
  expect(json(await run('key', 'list', '--json'))).toEqual([]);
});

test('the help of key create names every role and every permission', async () => {
  const stdout = collector();
  const program = await buildProgram({
    ...{ stdout: stdout.stream, stderr: stdout.stream },
    ...{ environment: {}, signal: new AbortController().signal },
  });
  const create = program.commands.find((one) => one.name() === 'key')?.commands.find((one) => one.name() === 'create');
  let shown = '';
  create?.configureOutput({
    writeOut: (text) => {
      shown += text;
    },
  });
  create?.outputHelp();
  for (const name of [...ROLES, ...PERMISSIONS]) expect(shown).toContain(name);
});

test('a grant of an unknown permission is refused with the nearest one', async () => {
  const { run } = newDatabase();
  const own = json(await run('workspace', 'create', '--slug', 'north', '--json'));
  const other = json(await run('workspace', 'create', '--slug', 'south', '--json'));
  const from = ['grant', 'create', '--from', own.id, '--to', other.id, '--permissions'];
  const { code, stderr } = await run(...from, 'miners.reed');
  expect([code, stderr]).toEqual([
    78,
    expect.stringContaining("'miners.reed' is no permission: do you mean miners.read"),
  ]);
  expect((await run(...from, 'tasks.create', '--json')).code).toBe(0);
  expect(json(await run('grant', 'list', '--json'))).toMatchObject([
    { permissions: ['tasks.reboot'], expiresAt: null },
  ]);
});

test('an administrator needs none of the secrets that the configuration names', async () => {
  const { folder } = newDatabase();
  const config = join(folder, 'pithead.yaml');
  const login = { family: 'antminer-stock', user: 'root', password: 'env:UNSET_PASSWORD' };
  writeFileSync(config, JSON.stringify({ stateDir: 'state', credentials: { logins: [login] } }));
  mkdirSync(join(folder, 'state'));
  const [stdout, stderr] = [collector(), collector()];
  const program = await buildProgram({
    ...{ stdout: stdout.stream, stderr: stderr.stream },
    ...{ environment: {}, signal: new AbortController().signal },
  });
  await program.parseAsync(['node', 'pithead', 'key', 'create', '--name', 'x', '--config', config]);
  expect([stdout.text(), stderr.text()]).toEqual([expect.stringMatching(/^phk_\S+\n$/), '']);
  expect(existsSync(join(folder, 'state', 'service.sqlite'))).toBe(true);
});

test('agents are listed, limited and revoked under the command that also runs one', async () => {
  const { run, path } = newDatabase();
  expect(json(await run('agent', 'list', '--json'))).toEqual([]);
  const { id, farmId } = await joinFarm(path);
  expect(json(await run('agent', 'list', '--json'))).toMatchObject([{ id, farmId, name: 'shed', revokedAt: null }]);
  expect((await run('agent', 'list')).stdout).toMatch(/ \d+d ago +never [\s\S]* connected\n/);
  expect(json(await run('agent', 'limit', id, '25000', '--json'))).toEqual({ id, max_miners: 25_000 });
  expect(json(await run('agent', 'list', '--json'))).toMatchObject([{ id, maxMiners: 25_000 }]);
  for (const miners of ['0', 'many', '1e3.5', '1000001'])
    expect((await run('agent', 'limit', id, miners)).code, miners).toBe(78);
  expect(json(await run('enroll', '--farm', farmId, '--max-miners', '50', '--json'))).toMatchObject({ max_miners: 50 });
  expect(json(await run('agent', 'revoke', id, '--json'))).toEqual({ id, revoked: true });
  expect((await run('agent', 'limit', id, '10')).code).toBe(1);
  expect((await run('agent', 'revoke', id)).code).toBe(1);
  expect(json(await run('agent', 'list', '--json'))[0].revokedAt).not.toBeNull();
});

/** An agent that has joined the first farm. */
async function joinFarm(path: string): Promise<{ id: string; farmId: string }> {
  const store = await openStore(path);
  const id = '0198c0de-7a11-7000-8000-000000000001';
  const workspace = { id: '0198c0de-7a11-7000-8000-000000000002', name: 'D', slug: 'default' };
  const farm = await store.tenants.ensure(workspace, { id: '0198c0de-7a11-7000-8000-000000000003', name: 'F' }, 1);
  await store.agents.createCode({ hash: 'h', farmId: farm.id, nowMs: 1, expiresAtMs: 10 });
  await store.agents.enrol('h', { id, name: 'shed', tokenHash: 't', identityKey: 'k', version: '1', nowMs: 2 });
  const nowMs = 1_000_000;
  const records = [minerRecord(1, nowMs), minerRecord(2, nowMs)];
  const epoch = '0198c0de-7a11-7000-8000-000000000004';
  const slice = { agentId: id, farmId: farm.id, epoch, seq: 1, producedAtMs: nowMs, records, rejected: 0, nowMs };
  await store.ingest.storeSlice(slice);
  await store.close();
  return { id, farmId: farm.id };
}

test('the key that tasks are signed with is shown and replaced', async () => {
  const { run, path, folder } = newDatabase();
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ listen: { sealKeyFile: 'shared.key' } }));
  expect((await run('signing-key', 'show')).stdout).toContain('none yet');
  const store = await openStore(path);
  await store.taskKeys.current(() => ({ publicKey: 'first', privateKey: 'sealed:1:elsewhere' }), 1);
  await store.close();
  expect(json(await run('signing-key', 'show', '--json'))).toEqual({ key: 'first' });
  const refused = await run('signing-key', 'replace', '-c', config);
  expect([refused.code, refused.stderr]).toEqual([78, expect.stringContaining('signing-key replace --lost')]);
  const made = await run('signing-key', 'replace', '--lost', '-c', config);
  expect([made.code, made.stdout]).toEqual([0, expect.stringContaining('on each farm, remove the file')]);
  const next = json(await run('signing-key', 'replace', '-c', config, '--json'));
  expect(next).toEqual({ publicKey: expect.stringMatching(/^MCowBQ/), isEndorsed: true });
  expect((await run('signing-key', 'show')).stdout).toBe(`${next.publicKey}\n`);
});

// Bar S22: whatever is done to a service, by the interface, the command line or an agent, is in its audit trail; and
// whatever is done to the trail in the database file is found.
import { copyFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, test } from 'vitest';
import { readShownHead, shownHead } from '../../src/base/storage/hash-chain.ts';
import { openVault } from '../../src/base/storage/vault.ts';
import { openStore } from '../../src/service/store/store.ts';
import { runPithead } from '../e2e/process.ts';
import { createBrowser, PASSWORD, SESSION as PEOPLE_SESSION, peoplePath } from '../unit/service-http/browser.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { call, startOwnedRig, temporaryFolder } from '../unit/service-http/rig.ts';
import { cancel, create, outcome } from '../unit/service-http/v2-batches.ts';
import { connect } from '../unit/service-http/wire-agent.ts';
import { seeded } from './seeded.ts';
import { isFull, report } from './table.ts';
import { type EarlierHead, tamper, WAYS } from './tamper.ts';

const TRIALS = isFull ? 500 : 100;

/** A service with a key file, its configuration for commands, and an agent with miners. */
async function startSite() {
  const folder = temporaryFolder();
  const databasePath = join(folder, 'service.sqlite');
  const keyFile = join(folder, 'pithead.key');
  const config = join(folder, 'pithead.yaml');
  writeFileSync(config, JSON.stringify({ stateDir: '.', credentials: { keyFile } }), { mode: 0o600 });
  const { rig, stop } = await startOwnedRig({ databasePath, keyFiles: { own: keyFile } });
  const agent = await connect(rig);
  await agent.report(Array.from({ length: 4 }, (_, index) => minerRecord(index, rig.clock.nowMs())));
  const { body } = await rig.get(rig.farm('/miner/latest?pageSize=100'));
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  const run = async (...args: string[]) => {
    const { code, stdout, stderr } = await runPithead([...args, '-c', config, '--json'], { cwd: folder });
    expect([code, stderr]).toEqual([0, '']);
    return stdout === '' ? {} : JSON.parse(stdout);
  };
  const patch = (id: string, change: object) =>
    call(`${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miners/${id}`, {
      method: 'PATCH',
      headers: { 'content-type': 'application/json', 'x-api-key': rig.key },
      body: JSON.stringify(change),
    });
  const actions = () => {
    using db = new DatabaseSync(databasePath, { readOnly: true, timeout: 5_000 });
    return db
      .prepare('SELECT action FROM audit_entries ORDER BY seq')
      .all()
      .map(({ action }) => String(action));
  };
  return { folder, databasePath, keyFile, config, rig, stop, agent, ids, run, patch, actions };
}
type Site = Awaited<ReturnType<typeof startSite>>;

/** By the command line and in a browser. */
async function managePeople(rig: Site['rig'], run: Site['run']): Promise<void> {
  const admin = createBrowser(rig);
  const { code } = await run('people', 'claim');
  expect((await admin.claim(code, { name: 'Ada', password: PASSWORD })).status).toBe(200);
  const made = await run('people', 'add', 'Grace', '--role', 'viewer');
  await run('people', 'role', 'Grace', 'operator');
  const grace = createBrowser(rig);
  expect((await grace.claim(made.code, { password: PASSWORD })).status).toBe(200);
  const { code: pair } = await run('people', 'pair', 'Grace');
  expect((await createBrowser(rig).claim(pair)).status).toBe(200);
  const next = { current_password: PASSWORD, new_password: 'another long night' };
  expect((await grace.post(`${PEOPLE_SESSION}/password`, next)).status).toBe(200);
  expect((await admin.delete(peoplePath(rig, `/${made.id}/sessions`))).status).toBe(200);
  expect((await admin.delete(peoplePath(rig, `/${made.id}`))).status).toBe(200);
}

/** Each act as its users do it, with the entries that it has to leave. */
async function actAll({ rig, agent, ids, run, patch }: Site): Promise<string[]> {
  const due: string[] = ['service.started', 'key.created', 'code.created', 'agent.enrolled'];
  const done = (...actions: string[]) => void due.push(...actions);
  const { id: guest } = await run('workspace', 'create', '--slug', 'guest');
  const { id: hall } = await run('farm', 'create', '--name', 'Hall 2');
  await run('farm', 'archive', hall);
  await run('farm', 'restore', hall);
  done('workspace.created', 'farm.created', 'farm.archived', 'farm.restored');
  const { id: keyId, key: weak } = await run('key', 'create', '--name', 'weak', '--permissions', 'miners.read');
  const { id: grant } = await run(
    ...['grant', 'create', '--from', rig.workspaceId, '--to', guest, '--permissions', 'miners.read'],
  );
  await run('grant', 'revoke', grant);
  await run('enroll');
  await run('agent', 'limit', agent.identity.agentId, '77');
  await run('signing-key', 'replace');
  done('key.created', 'grant.created', 'grant.revoked', 'code.created', 'agent.limited', 'signing_key.replaced');

  const { data } = await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids.slice(0, 2) });
  const { task_id } = await agent.frame('task');
  await agent.report([outcome(rig, task_id, 'failed')]);
  await cancel(rig, data[0]?.id ?? '');
  done('batch.created', 'tasks.ended', 'batch.cancelled');
  await patch(ids[0] ?? '', { rack: 'R1', position: 1 });
  await patch(ids[1] ?? '', { ops_status: 'maintenance' });
  const positions = await call(
    `${rig.url}/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}/miner-positions`,
    {
      method: 'POST',
      headers: { 'content-type': 'text/csv', 'x-api-key': rig.key },
      body: `id,rack,position\n${ids[2]},R2,2\n`,
    },
  );
  expect(positions.status).toBe(200);
  done('miners.edited', 'miners.edited', 'miners.edited');

  await managePeople(rig, run);
  done('person.code_created', 'person.created', 'person.created', 'person.changed', 'person.code_created');
  done('person.password_set', 'session.begun', 'person.password_set', 'sessions.ended', 'person.removed');

  expect((await rig.post(rig.farm('/tasks/batches'), {}, { 'x-api-key': weak })).status).toBe(403);
  expect((await patch(ids[0] ?? '', { position: -1 })).status).toBe(400);
  await rig.get(rig.farm('/miner/latest'), { 'x-api-key': 'phk_00000000_wrong' });
  done('request.refused', 'request.refused', 'login.refused');
  await run('key', 'revoke', keyId);
  await run('agent', 'revoke', agent.identity.agentId);
  done('key.revoked', 'agent.revoked');
  return due;
}

const times = (list: readonly string[], one: string) => list.filter((each) => each === one).length;

test('every act is in the trail, and every tampering with it is found', async () => {
  const site = await startSite();
  const { databasePath, keyFile, config, folder, rig } = site;
  const due = await actAll(site);
  await expect.poll(site.actions, { timeout: 30_000 }).toContain('login.refused');
  const found = [...new Set(due)].map((action) => Math.min(times(site.actions(), action), times(due, action)));
  const present = found.reduce((sum, count) => sum + count, 0);
  const earlier = headRow(databasePath);
  for (let index = 0; index < 30; index++)
    await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: `later ${index}` });
  await site.stop();
  const noted = shownHead(headRow(databasePath).head);

  const verify = async (path: string, ...more: string[]) => {
    const args = ['audit', 'verify', '-c', config, '--database', path, '--json', ...more];
    const { code, stdout } = await runPithead(args, { cwd: folder });
    return { code, ...JSON.parse(stdout).trails[0] };
  };
  expect(await verify(databasePath)).toMatchObject({ code: 0, whole: true, unsigned: 0, problem: null });
  expect(await verify(databasePath, '--head', noted)).toMatchObject({ code: 0, whole: true });

  const random = seeded(22);
  const vault = openVault(keyFile);
  const copy = join(folder, 'copy.sqlite');
  const missed: string[] = [];
  const check = async () => {
    const store = await openStore(copy, undefined, () => vault, undefined, { isBeside: true });
    try {
      return (await store.checkTrail(readShownHead(noted))).problem;
    } finally {
      await store.close();
    }
  };
  for (let trial = 0; trial < TRIALS; trial++) {
    const way = WAYS[trial % WAYS.length] ?? 'a field changed';
    copyFileSync(databasePath, copy);
    if (trial < 5) expect(await check()).toBeUndefined();
    tamper(copy, way, random, earlier);
    if ((await check()) === undefined) missed.push(way);
  }
  for (const way of ['a field changed', 'all of it written anew'] as const) {
    copyFileSync(databasePath, copy);
    tamper(copy, way, random, earlier);
    expect(await verify(copy)).toMatchObject({ code: 1, whole: false });
  }
  expect(readFileSync(databasePath).includes('phk_')).toBe(false);
  report({
    id: 'S22',
    value: `${present} of ${due.length} acts of ${new Set(due).size} kinds in the trail of the service; ${TRIALS - missed.length} of ${TRIALS} tamperings of ${WAYS.length} kinds found${missed.length === 0 ? '' : `, missed: ${[...new Set(missed)].join('; ')}`}`,
    bar: '100 % present, tampering found in 100 of 100',
    isMet: present === due.length && missed.length === 0,
  });
});

function headRow(path: string): EarlierHead & { readonly head: { readonly seq: number; readonly hash: string } } {
  using db = new DatabaseSync(path, { readOnly: true, timeout: 5_000 });
  const row = db.prepare('SELECT * FROM audit_head').get();
  if (row === undefined) throw new Error('the trail has no head');
  const [seq, hash] = [Number(row.seq), String(row.hash)];
  return { seq, head: { seq, hash }, row: { seq, hash, key_id: String(row.key_id), mac: String(row.mac) } };
}

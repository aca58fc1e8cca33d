// The service signs what an agent carries out: with one key, whichever copy sends, for this agent and this connection
// only.
import { createPublicKey, verify } from 'node:crypto';
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { ConfigError } from '../../../src/base/errors.ts';
import { openOrCreateVault } from '../../../src/base/storage/vault.ts';
import { openAdmin } from '../../../src/service/admin.ts';
import { type KeyFiles, openServiceVault } from '../../../src/service/auth/key-file.ts';
import { isPostgresUrl } from '../../../src/service/store/postgres/postgres.ts';
import type { SignedTaskFrame } from '../../../src/wire/frames.ts';
import {
  keyChangeBytes,
  noticeBytes,
  signedNoticeSchema,
  signedTaskSchema,
  taskBytes,
} from '../../../src/wire/signed-messages.ts';
import { untilSoon } from '../../e2e/until.ts';
import { newDatabase } from '../../support/database.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, recordingLog, startOwnedRig, startRig, temporaryFolder } from './rig.ts';
import { connect, identityKey, type WireAgent } from './wire-agent.ts';

const NONCE = 'AAAAAAAAAAAAAAAAAAAAAA';
const PASSWORD = 'canary-of-a-pool';
const POOL = { url: 'stratum+tcp://pool.example:3333', user: 'w', password: PASSWORD };

const isSigned = (bytes: Buffer, signature: string, publicKey: string | undefined) =>
  verify(
    null,
    bytes,
    createPublicKey({ key: Buffer.from(publicKey ?? '', 'base64'), format: 'der', type: 'spki' }),
    Buffer.from(signature, 'base64'),
  );
const read = (frame: SignedTaskFrame) => signedTaskSchema.parse(JSON.parse(frame.text));
const signedOf = (agent: WireAgent) =>
  agent.frames.filter((frame): frame is SignedTaskFrame => frame.type === 'signed-task');

/** So many. */
async function signed(agent: WireAgent, count: number): Promise<readonly SignedTaskFrame[]> {
  await agent.frame('signed-task', () => signedOf(agent).length >= count);
  return signedOf(agent);
}

/** Orders one task for each of so many miners of the agent. */
async function order(rig: Rig, agent: WireAgent, count: number, name = 'miner.system.reboot', params = {}) {
  const abilities = ['miner.system.reboot', 'miner.pool.update'];
  await agent.report(Array.from({ length: count }, (_, n) => minerRecord(n, rig.clock.nowMs(), { abilities })));
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const { data } = (await rig.get(`${farm}/miners`)).body;
  const miner_ids = data.map(({ id }: { id: string }) => id);
  const made = await rig.post(`${farm}/task-batches`, { task_name: name, miner_ids, params });
  expect(made.status).toBe(200);
  return { farm, batch: `${farm}/task-batches/${made.body.data[0].id}` };
}

test('a task is signed for the agent, its connection and the next number after what it says it has', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { nonce: NONCE, taskSeq: 41 });
  const welcome = await agent.frame('welcome');
  await order(rig, agent, 3);
  const frames = await signed(agent, 3);
  // The list of ops statuses comes first.
  expect(frames.map((frame) => read(frame).seq)).toEqual([43, 44, 45]);
  for (const frame of frames) {
    expect(isSigned(taskBytes(frame.text), frame.signature, welcome.task_key)).toBe(true);
    expect(read(frame)).toMatchObject({
      agent_id: agent.identity.agentId,
      nonce: NONCE,
      welcomed_at: welcome.at,
      task: { type: 'task', name: 'miner.system.reboot' },
    });
  }
});

test('what cancels and what calls miners out of operation is signed too, in one row with the orders', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { nonce: NONCE, taskSeq: 7 });
  const welcome = await agent.frame('welcome');
  const { batch } = await order(rig, agent, 1);
  const { task_id } = read(await agent.frame('signed-task')).task;
  agent.send({ type: 'task-received', task_id });
  await untilSoon(
    () => query(rig, 'SELECT received_at FROM tasks'),
    ([task]) => typeof task?.received_at === 'number',
  );
  expect((await rig.post(`${batch}/cancel`, {})).status).toBe(200);
  const cancel = await agent.frame('signed-notice', ({ text }) => text.includes('"cancel"'));
  const told = await agent.frame('signed-notice', ({ text }) => text.includes('"ops-status"'));
  const notices = [told, cancel].map(({ text }) => signedNoticeSchema.parse(JSON.parse(text)));
  expect(notices.map(({ notice }) => notice)).toEqual([
    { type: 'ops-status', is_first: true, miners: [] },
    { type: 'cancel', task_id },
  ]);
  expect(notices.map(({ seq }) => seq)).toEqual([8, 10]);
  for (const frame of [cancel, told])
    expect(isSigned(noticeBytes(frame.text), frame.signature, welcome.task_key)).toBe(true);
  expect(notices[0]).toMatchObject({ agent_id: agent.identity.agentId, nonce: NONCE, welcomed_at: welcome.at });
});

test('what was sent before comes with the next connection, for that one, with numbers of its own', async () => {
  const rig = await startRig();
  const agent = await connect(rig, { nonce: NONCE });
  await order(rig, agent, 2);
  const ids = (await signed(agent, 2)).map((frame) => read(frame).task.task_id);
  await agent.close();
  // It had admitted the first when it lost the connection.
  const again = await connect(rig, { identity: agent.identity, nonce: 'BBBBBBBBBBBBBBBBBBBBBB', taskSeq: 1 });
  const resent = await signed(again, 2);
  expect(resent.map((frame) => read(frame).task.task_id)).toEqual(ids);
  expect(resent.every((frame) => read(frame).seq > 1)).toBe(true);
  expect(resent.map((frame) => read(frame).nonce)).toEqual(Array(2).fill('BBBBBBBBBBBBBBBBBBBBBB'));
});

test('every copy signs with the same key, and the enrolment shows it', async () => {
  const first = await startRig();
  const second = await startRig({ databasePath: first.databasePath });
  const keys = await Promise.all(
    [first, second].map(async (rig) => (await (await connect(rig, { nonce: NONCE })).frame('welcome')).task_key),
  );
  const { code } = await first.service.admin.createEnrolmentCode({ farmId: first.farmId, ttlMs: 60_000 });
  const enrolled = await call(`${second.url}/agent/v1/enrol`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ code, name: 'a', version: '1', protocol: 1, identity_key: identityKey }),
  });
  expect(new Set([...keys, enrolled.body.task_key]).size).toBe(1);
  expect(await query(first, 'SELECT id FROM task_keys')).toEqual([{ id: 1 }]);
});

test('with a key file the params and the private key lie sealed, also those from before; answers and orders do not change', async () => {
  const own = join(temporaryFolder(), 'service.key');
  const { rig, stop } = await startOwnedRig();
  try {
    const agent = await connect(rig, { nonce: NONCE });
    const { batch } = await order(rig, agent, 1, 'miner.pool.update', { pools: [POOL] });
    const stored = async () => JSON.stringify(await query(rig, 'SELECT params FROM task_batches ORDER BY id'));
    expect(await stored()).toContain(PASSWORD);
    const [open] = await query(rig, 'SELECT private_key FROM task_keys');
    const answered = (await rig.get(batch)).body;
    expect(JSON.stringify(answered)).not.toContain(PASSWORD);
    await agent.close();

    const sealed = await startRig({ databasePath: rig.databasePath, keyFiles: { own, shared: own } });
    expect(await stored()).not.toContain(PASSWORD);
    expect(await query(rig, 'SELECT private_key FROM task_keys')).toEqual([
      { private_key: expect.stringMatching(/^sealed:1:/) },
    ]);
    expect(open).toEqual({ private_key: expect.stringMatching(/^MC4CAQ/) });
    expect((await sealed.get(batch, { 'x-api-key': rig.key })).body).toEqual(answered);
    const back = await connect(sealed, { identity: agent.identity, nonce: NONCE });
    const again = await back.frame('signed-task');
    expect(read(again).task.params).toEqual({ pools: [POOL] });
    const { task_key } = await back.frame('welcome');
    expect(isSigned(taskBytes(again.text), again.signature, task_key)).toBe(true);
    expect(task_key).toBe((await agent.frame('welcome')).task_key);
    await query(rig, 'UPDATE tasks SET status = ?', 'failed');
    await order(sealed, back, 1, 'miner.pool.update', { pools: [POOL] });
    expect(await stored()).not.toContain(PASSWORD);
    if (!isPostgresUrl(rig.databasePath)) {
      await query(rig, 'PRAGMA wal_checkpoint(TRUNCATE)');
      expect(readFileSync(rig.databasePath, 'latin1')).not.toContain(PASSWORD);
    }

    for (const keyFile of [join(temporaryFolder(), 'another.key'), undefined]) {
      const keyFiles = keyFile === undefined ? undefined : { own: keyFile, shared: keyFile };
      const started = startOwnedRig({ databasePath: rig.databasePath, keyFiles });
      const error: unknown = await started.catch((reason: unknown) => reason);
      if (!(error instanceof ConfigError)) throw new Error('it must not start');
      expect(error.problems).toMatchObject([{ path: 'listen.sealKeyFile' }]);
      // A key that opens nothing would only hide that the file is missing.
      if (keyFile !== undefined) expect(existsSync(keyFile)).toBe(false);
    }
  } finally {
    await stop();
  }
});

test('a key that is replaced is signed by the one before, and in use with the next connection', async () => {
  const rig = await startRig();
  const before = await connect(rig, { nonce: NONCE });
  const old = (await before.frame('welcome')).task_key;
  const made = await rig.service.admin.replaceTaskKey({ isLost: false });
  expect(made).toEqual({ publicKey: await rig.service.admin.taskKey(), isEndorsed: true });
  await order(rig, before, 1);
  const signed = await before.frame('signed-task');
  expect(isSigned(taskBytes(signed.text), signed.signature, old)).toBe(true);
  const after = await connect(rig, { identity: before.identity, nonce: NONCE });
  const { task_key, task_key_changes: changes = [] } = await after.frame('welcome');
  expect(task_key).toBe(made.publicKey);
  expect(changes).toMatchObject([{ from: old, to: made.publicKey }]);
  for (const change of changes) expect(isSigned(keyChangeBytes(change), change.signature, old)).toBe(true);
  const again = await after.frame('signed-task');
  expect(isSigned(taskBytes(again.text), again.signature, task_key)).toBe(true);
});

test('a database from before there was a key gets the same one again, where the key file is the same', async () => {
  const shared = join(temporaryFolder(), 'shared.key');
  const keyFiles = { own: shared, shared };
  const { rig, stop } = await startOwnedRig({ keyFiles });
  const key = await rig.service.admin.taskKey();
  await query(rig, 'DELETE FROM task_keys');
  const again = await startRig({ databasePath: rig.databasePath, keyFiles });
  expect(await again.service.admin.taskKey()).toBe(key);
  const agent = await connect(again, { nonce: NONCE });
  await order(again, agent, 1);
  const { text, signature } = await agent.frame('signed-task');
  expect(isSigned(taskBytes(text), signature, key)).toBe(true);
  await stop();
});

test('a key whose key file is lost is replaced only when that is said, and nobody signs the new one', async () => {
  const shared = join(temporaryFolder(), 'shared.key');
  const { rig, stop } = await startOwnedRig({ keyFiles: { own: shared, shared } });
  try {
    const agent = await connect(rig, { nonce: NONCE });
    await order(rig, agent, 1, 'miner.pool.update', { pools: [POOL] });
    await agent.close();
    const other = join(temporaryFolder(), 'other.key');
    openOrCreateVault(other);
    const admin = await openAdmin(rig.databasePath, { clock: rig.clock, keyFiles: { own: other, shared: other } });
    onTestFinished(() => admin.close());
    await expect(admin.replaceTaskKey({ isLost: false })).rejects.toThrow(ConfigError);
    expect(await admin.replaceTaskKey({ isLost: true })).toMatchObject({ isEndorsed: false });
    const next = await startRig({ databasePath: rig.databasePath, keyFiles: { own: other, shared: other } });
    const back = await connect(next, { identity: agent.identity, nonce: NONCE });
    expect(await back.frame('welcome')).toMatchObject({ task_key: await admin.taskKey(), task_key_changes: [] });
    // What cannot be opened any more is not sent, and not shown: the order would be another one.
    const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
    const { data } = (await next.get(`${farm}/task-batches`)).body;
    expect(data).toMatchObject([{ task_params: {} }]);
    expect(signedOf(back)).toEqual([]);
  } finally {
    await stop();
  }
});

test('which key file is used, and that none is, is said', () => {
  const folder = temporaryFolder();
  const own = join(folder, 'own.key');
  const log = recordingLog();
  expect(openServiceVault('/x.sqlite', { own }, false, log)).toBeDefined();
  expect(log.lines).toEqual([]);
  expect(openServiceVault('postgres://db.example/x', { own }, false, log)).toBeUndefined();
  expect(log.lines).toMatchObject([{ level: 'warn', message: expect.stringContaining('listen.sealKeyFile') }]);
  const shared = join(folder, 'shared.key');
  expect(openServiceVault('postgres://db.example/x', { own, shared }, false, log)).toBeDefined();
  expect(existsSync(shared)).toBe(true);
  rmSync(own);
  expect(() => openServiceVault('/x.sqlite', { own, shared: folder }, false, log)).toThrow(ConfigError);
  expect(log.lines).toHaveLength(1);
});

test('a key that is gone is named, with the file that was tried, and none is made in its place', () => {
  const folder = temporaryFolder();
  const [own, shared] = [join(folder, 'own.key'), join(folder, 'shared.key')];
  const log = recordingLog();
  const problemsOf = (databasePath: string, files: KeyFiles | undefined) => {
    try {
      openServiceVault(databasePath, files, true, log);
    } catch (error) {
      if (error instanceof ConfigError) return error.problems;
    }
    throw new Error('it was opened');
  };
  const named = (path: string, file: string) => [{ path, message: expect.stringContaining(file) }];
  expect(problemsOf('/x.sqlite', { own })).toEqual(named('credentials.keyFile', own));
  expect(problemsOf('/x.sqlite', { own, shared })).toEqual(named('listen.sealKeyFile', shared));
  expect(problemsOf('postgres://db.example/x', { own, shared })).toEqual(named('listen.sealKeyFile', shared));
  expect(problemsOf('postgres://db.example/x', { own })).toEqual(named('listen.sealKeyFile', 'none is named'));
  expect([existsSync(own), existsSync(shared), log.lines]).toEqual([false, false, []]);
  openOrCreateVault(own);
  expect(openServiceVault('/x.sqlite', { own }, true, log)).toBeDefined();
});

test('an embedded database whose key file is gone does not start, says which one, and starts again with it', async () => {
  const own = join(temporaryFolder(), 'pithead.key');
  const database = await newDatabase({ isReady: true });
  const keyFiles = isPostgresUrl(database.target) ? { own, shared: own } : { own };
  const setting = isPostgresUrl(database.target) ? 'listen.sealKeyFile' : 'credentials.keyFile';
  const start = () => startOwnedRig({ databasePath: database.target, keyFiles });
  const problems = async () => {
    const error: unknown = await start().catch((reason: unknown) => reason);
    if (!(error instanceof ConfigError)) throw new Error('it must not start');
    return error.problems;
  };
  const named = [{ path: setting, message: expect.stringContaining(own) }];
  try {
    await (await start()).stop();
    renameSync(own, `${own}.away`);
    expect(await problems()).toEqual(named);
    expect(existsSync(own)).toBe(false);
    // Another one in its place is named too.
    openOrCreateVault(own);
    expect(await problems()).toEqual(named);
    rmSync(own);
    renameSync(`${own}.away`, own);
    await (await start()).stop();
    // Lost for good: what is made anew is sealed anew.
    rmSync(own);
    const admin = await openAdmin(database.target, { clock: systemClock, keyFiles });
    await expect(admin.replaceTaskKey({ isLost: false })).rejects.toThrow(ConfigError);
    await admin.replaceTaskKey({ isLost: true });
    await admin.close();
    await (await start()).stop();
    expect(existsSync(own)).toBe(true);
  } finally {
    await database.drop();
  }
});

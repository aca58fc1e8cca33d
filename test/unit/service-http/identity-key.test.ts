// Enrolment with a key of the agent's own: what is no key is refused before the code is used up, and the token alone
// opens nothing.
import { expect, test } from 'vitest';
import { ENROL_PATH, PROTOCOL_VERSION } from '../../../src/wire/protocol.ts';
import { newIdentityKey } from '../../support/identity-key.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { call, type Rig, startRig } from './rig.ts';
import { connect, helloOf, open } from './wire-agent.ts';

async function enrolWith(rig: Rig, code: string, identity_key?: string) {
  const body = { code, name: 'a', version: '1', protocol: PROTOCOL_VERSION, identity_key };
  const headers = { 'content-type': 'application/json' };
  const { status, body: answer } = await call(rig.url + ENROL_PATH, {
    method: 'POST',
    headers,
    body: JSON.stringify(body),
  });
  return { status, identity: { agentId: answer.agent_id, token: answer.token } };
}

test('a key that is none is refused, and the code is still good', async () => {
  const rig = await startRig();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  for (const key of [undefined, '', 'no key', Buffer.alloc(44, 1).toString('base64'), 'A'.repeat(300)])
    expect((await enrolWith(rig, code, key)).status).toBe(400);
  expect((await enrolWith(rig, code, newIdentityKey().publicKey)).status).toBe(200);
});

test('the token without a proof by the key is not let in', async () => {
  const rig = await startRig();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const { identity } = await enrolWith(rig, code, newIdentityKey().publicKey);
  const stranger = await open(rig, identity);
  stranger.send(helloOf(stranger, newIdentityKey().prove));
  expect(await stranger.closed).toMatchObject({ code: 1008, reason: expect.stringContaining("agent's key") });
  const silent = await open(rig, identity);
  silent.sendBytes(JSON.stringify({ ...helloOf(silent), proof: undefined }));
  expect(await silent.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('proof') });
  expect([stranger.frames, silent.frames]).toEqual([[], []]);
});

test('the token alone cannot say that orders have arrived: they come to the agent itself', async () => {
  const rig = await startRig();
  const key = newIdentityKey();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const { identity } = await enrolWith(rig, code, key.publicKey);
  const agent = await connect(rig, { identity, prove: key.prove });
  await agent.report([minerRecord(1, rig.clock.nowMs())]);
  await agent.close();
  const { body } = await rig.get(rig.farm('/miner/latest'));
  await rig.post(rig.farm('/tasks/batches'), { task_name: 'miner.system.reboot', miner_ids: [body.data[0].id] });
  const [task] = await query(rig, 'SELECT id FROM tasks');
  const task_id = String(task?.id);
  const thief = await open(rig, identity);
  thief.send({ type: 'task-received', task_id });
  expect(await thief.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('hello') });
  const again = await connect(rig, { identity, prove: key.prove, epoch: agent.epoch, nextSeq: 2 });
  expect(await again.frame('task')).toMatchObject({ task_id });
});

// A token in the wrong hands: without the key that the agent made at its enrolment it opens nothing and disturbs
// nobody; revoked, it ends the session too.
import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { enrolOnce, loadCredentials } from '../../src/agent/uplink/enrolment/credentials.ts';
import { systemClock } from '../../src/base/clock.ts';
import { CHALLENGE_HEADER, UPLINK_PATH } from '../../src/wire/protocol.ts';
import { until } from '../e2e/until.ts';
import { newIdentityKey } from '../support/identity-key.ts';
import { idleSource, uplinkTo } from '../unit/agent/uplink/uplink-to.ts';
import { minerRecord } from '../unit/service-http/records.ts';
import { startRig, temporaryFolder } from '../unit/service-http/rig.ts';
import { helloOf, slice } from '../unit/service-http/wire-agent.ts';
import { startAgentSite } from './agent-site.ts';
import { isFull, report } from './table.ts';

test('the token alone, used from elsewhere, is refused, and the agent itself notices nothing', async () => {
  const rig = await startRig({ clock: systemClock });
  const folder = temporaryFolder();
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const keyFile = join(folder, 'keys', 'key');
  const place = { stateDir: folder, keyFile, realm: rig.url };
  await enrolOnce({ ...place, url: rig.url, code, allowPlain: false });
  // As after a restart.
  const credentials = loadCredentials(folder, rig.url, keyFile);
  if (credentials === undefined) throw new Error('the agent is enrolled');
  const { agentId, token, prove } = credentials;
  const overheard: string[] = [];
  const phases: string[] = [];
  const epoch = randomUUID();
  const startAgent = (proof: typeof prove) => {
    const uplink = uplinkTo(rig.url, {
      credentials: { agentId, token, prove: proof },
      source: idleSource(epoch),
      onState: ({ phase }) => void phases.push(phase),
    });
    onTestFinished(() => uplink.stop());
    uplink.start();
    return uplink;
  };
  const agent = startAgent((id, challenge) => {
    const proof = prove(id, challenge);
    overheard.push(proof);
    return proof;
  });
  await until(
    () => agent.state().phase,
    (phase) => phase === 'online',
    30_000,
  );

  const stranger = newIdentityKey();
  const proofs: Readonly<Record<string, (challenge: string) => string | undefined>> = {
    none: () => undefined,
    'one that was overheard': () => overheard[0],
    'that of another key': (challenge) => stranger.prove(agentId, challenge),
    'that of another agent': (challenge) => prove(randomUUID(), challenge),
    'that of another challenge': () => prove(agentId, 'x'.repeat(32)),
    'that of no challenge': () => prove(agentId, ''),
    nonsense: () => Buffer.alloc(64, 7).toString('base64'),
  };
  const firstWords: Readonly<Record<string, object>> = {
    'a receipt, no hello': { type: 'task-received', task_id: randomUUID() },
    'an epoch, no hello': { type: 'epoch', epoch, next_seq: 1 },
    'what only newer agents say, no hello': { type: 'newer' },
  };
  const letIn: string[] = [];
  for (const name of [...Object.keys(proofs), ...Object.keys(firstWords)]) {
    const socket = new WebSocket(rig.url.replace('http', 'ws') + UPLINK_PATH, {
      headers: { authorization: `Bearer ${agentId}.${token.reveal()}` },
    });
    const epoch = randomUUID();
    let challenge = '';
    let heard = '';
    socket.on('upgrade', ({ headers }) => {
      challenge = String(headers[CHALLENGE_HEADER]);
    });
    socket.on('error', () => {});
    socket.on('message', (data) => {
      heard += String(data);
    });
    socket.on('open', () => {
      const identity = { agentId, token: token.reveal() };
      const hello = helloOf({ identity, epoch, challenge });
      socket.send(JSON.stringify(firstWords[name] ?? { ...hello, proof: proofs[name]?.(challenge) }));
      socket.send(slice(epoch, 1, [minerRecord(1, Date.now())]));
    });
    const ended = await new Promise<number>((resolve) => socket.on('close', resolve));
    if (ended !== 1008 || heard !== '') letIn.push(`${name}: ${ended} ${heard}`);
  }
  expect(letIn).toEqual([]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  expect(body.data).toEqual([]);
  expect(phases).toEqual(['connecting', 'online']);
  expect(overheard).toHaveLength(1);
  // With the key it is let in from anywhere, and takes over.
  await agent.stop();
  const moved = startAgent(prove);
  await until(
    () => moved.state().phase,
    (phase) => phase === 'online',
    30_000,
  );
  report({
    id: 'S9',
    value: `the token with ${Object.keys(proofs).length} kinds of proof that are none and ${Object.keys(firstWords).length} without a hello: ${letIn.length} let in, the agent stayed connected`,
    bar: 'refused without the identity key',
    isMet: letIn.length === 0,
  });
});

test.runIf(isFull)('an agent that is revoked is out within a minute, and stays out', async () => {
  const site = await startAgentSite({ miners: 4, mix: 'all' });
  onTestFinished(() => site.stop());
  const agent = site.startAgent();
  await until(
    () => site.miners(),
    (miners) => miners.length === 4,
    60_000,
  );
  const [row] = site.stored('SELECT id FROM agents');
  const startMs = performance.now();
  expect(await site.service.admin.revokeAgent(String(row?.id))).toBe(true);
  await agent.untilPrinted('stdout', /"phase":"refused"|revoked/, 65_000);
  const outMs = performance.now() - startMs;
  await agent.untilPrinted('stdout', /"phase":"refused"/, 65_000);
  agent.kill('SIGTERM');
  await agent.end();
  report({
    id: 'S9',
    value: `revoked: out after ${(outMs / 1_000).toFixed(1)} s, then refused`,
    bar: 'live session closed <= 60 s',
    isMet: outMs <= 60_000,
  });
});

// How long an agent may take to prove its key, on a virtual clock: our own database may take its time beside that.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { newIdentityKey } from '../../../src/agent/identity-key.ts';
import { silentLog } from '../../../src/base/log.ts';
import { newAgentToken } from '../../../src/service/auth/secrets.ts';
import { createUplinks } from '../../../src/service/ingest/uplink.ts';
import { CHALLENGE_HEADER } from '../../../src/wire/proof.ts';
import { PROTOCOL_VERSION, UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { createVirtualClock } from '../../virtual-clock.ts';

/** One agent with a key, connected to a service whose database answers when the test says so. */
async function startAgent() {
  const clock = createVirtualClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<number>();
  const key = newIdentityKey();
  const { text: token, hash: tokenHash } = newAgentToken();
  const id = randomUUID();
  const agent = {
    id,
    farmId: 'f',
    workspaceId: 'w',
    name: 'a',
    tokenHash,
    identityKey: key.publicKey,
    isRevoked: false,
  };
  const uplinks = createUplinks({
    agents: { find: async () => agent, touch: async () => {}, setVersion: async () => {}, listRevoked: async () => [] },
    ingest: {
      needOf: async () => ({ miners: 0, pollIntervalMs: null, lastStoredAtMs: null }),
      cursor() {
        asked.resolve();
        return answer.promise;
      },
      storeSlice: async () => ({ kind: 'stored', strangerTasks: 0 }),
    },
    links: { claim: async () => {}, current: async () => new Map() },
    beginSigning: () => Promise.reject(new Error('nobody asked for that')),
    newLinkId: () => randomUUID(),
    announceLink() {},
    clock,
    log: silentLog,
    onReady: async () => {},
    onTaskReceived: async () => {},
  });
  const server = createServer();
  uplinks.attach(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const socket = new WebSocket(`ws://127.0.0.1:${address.port}${UPLINK_PATH}`, {
    headers: { authorization: `Bearer ${id}.${token}` },
  });
  onTestFinished(async () => {
    socket.terminate();
    await clock.finish(uplinks.stop());
    server.close();
  });
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  await once(socket, 'open');
  return {
    clock,
    socket,
    asked: asked.promise,
    answer: () => answer.resolve(0),
    hello() {
      const at = new Date(clock.nowMs()).toISOString();
      const hello = { type: 'hello', protocol: PROTOCOL_VERSION, version: '1', epoch: randomUUID(), next_seq: 1, at };
      socket.send(JSON.stringify({ ...hello, proof: key.prove(id, challenge) }));
    },
  };
}

test('who proves nothing is let go', async () => {
  const { clock, socket } = await startAgent();
  const closed = once(socket, 'close');
  await clock.advance(15_000);
  expect((await closed)[0]).toBe(1006);
});

test('an agent that has proved its key is not let go because our database is slow', async () => {
  const { clock, socket, asked, answer, hello } = await startAgent();
  const heard = new Promise<string>((resolve) => {
    socket.on('message', (data) => resolve(JSON.parse(String(data)).type));
    socket.on('close', (code) => resolve(`closed with ${code}`));
  });
  hello();
  await asked;
  await clock.advance(60_000);
  answer();
  expect(await heard).toBe('welcome');
});

// The uplink socket with a database and a quota that the test plays: how long an agent may take to prove its key, what
// its frames cost it, and what it is told when the service stops.
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
import { WebSocket } from 'ws';
import { silentLog } from '../../../../src/base/log.ts';
import { newAgentToken } from '../../../../src/service/auth/secrets.ts';
import type { Work } from '../../../../src/service/ingest/quota.ts';
import { createUplinks } from '../../../../src/service/ingest/uplink.ts';
import { createAvailability } from '../../../../src/service/store/availability.ts';
import { encodeSlice } from '../../../../src/wire/frames.ts';
import { CHALLENGE_HEADER, MAX_SLICE_BYTES, UPLINK_PATH } from '../../../../src/wire/protocol.ts';
import { newIdentityKey } from '../../../support/identity-key.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { minerRecord } from '../../service-http/records.ts';
import { helloOf, slice } from '../../service-http/wire-agent.ts';

/** One agent with a key, connected to a service whose database and quota let it go on when the test says so. */
async function startAgent({ isWelcome = true, onFind = async () => {} } = {}) {
  const clock = createVirtualClock();
  const asked = Promise.withResolvers<void>();
  const answer = Promise.withResolvers<number>();
  const turn = Promise.withResolvers<void>();
  const rested = Promise.withResolvers<void>();
  const charges: Work[] = [];
  const welcomes: string[] = [];
  const cursors: string[] = [];
  const key = newIdentityKey();
  const { text: token, hash: tokenHash } = newAgentToken();
  const [id, epoch] = [randomUUID(), randomUUID()];
  const agent = {
    id,
    farmId: 'f',
    workspaceId: 'w',
    name: 'a',
    tokenHash,
    identityKey: key.publicKey,
    isRevoked: false,
    isArchived: false,
  };
  const uplinks = createUplinks({
    agents: {
      async find() {
        await onFind();
        return agent;
      },
      touch: async () => {},
      setHello: async () => {},
      findDismissed: async () => new Map(),
    },
    availability: createAvailability(),
    ingest: {
      needOf: async () => ({ miners: 0, pollIntervalMs: null, lastStoredAtMs: null }),
      cursor(_id, epoch) {
        cursors.push(epoch);
        asked.resolve();
        return answer.promise;
      },
      beginOutbox: async () => 1,
      showLive: async () => ({ disk: 'same', changed: [] }),
      storeSlice: async () => ({
        kind: 'stored',
        strangerTasks: 0,
        outdated: 0,
        refused: { miners: 0, isAnnounced: false },
        contested: 0,
        changed: [],
      }),
    },
    quota: {
      wait() {
        rested.resolve();
        return turn.promise;
      },
      charge: (_id, work) => void charges.push(work),
      mayWelcome(agentId) {
        welcomes.push(agentId);
        return isWelcome;
      },
    },
    links: { claim: async () => {}, current: async () => new Map() },
    beginSigning: async () => ({
      publicKey: key.publicKey,
      changes: [],
      sign() {
        throw new Error('not part of this test');
      },
    }),
    announceLink() {},
    noteClock: () => null,
    clock,
    log: silentLog,
    onReady: async () => {},
    onTaskReceived: async () => {},
    onOutlook: async () => {},
  });
  const server = createServer();
  uplinks.attach(server);
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const connect = () =>
    new WebSocket(`ws://127.0.0.1:${address.port}${UPLINK_PATH}`, {
      headers: { authorization: `Bearer ${id}.${token}` },
    });
  const socket = connect();
  onTestFinished(async () => {
    socket.terminate();
    await clock.finish(uplinks.stop());
    server.close();
  });
  const frames: string[] = [];
  const wakers = new Set<() => void>();
  socket.on('message', (data) => {
    const { type, seq } = JSON.parse(String(data));
    frames.push(seq === undefined ? type : `${type} ${seq}`);
    for (const wake of wakers) wake();
  });
  socket.on('close', (code) => {
    frames.push(`closed with ${code}`);
    for (const wake of wakers) wake();
  });
  let challenge = '';
  socket.on('upgrade', ({ headers }) => {
    challenge = String(headers[CHALLENGE_HEADER]);
  });
  await once(socket, 'open');
  return {
    clock,
    socket,
    /** Another connection of the same agent. */
    connect,
    stop: () => uplinks.stop(),
    epoch,
    asked: asked.promise,
    answer: () => answer.resolve(0),
    /** It has to wait for its turn. */
    rested: rested.promise,
    takeTurn: () => turn.resolve(),
    charges,
    welcomes,
    cursors,
    frames,
    /** The first so many of what came, and the end of the connection. */
    heard: (count: number) =>
      new Promise<readonly string[]>((resolve) => {
        const look = () => {
          if (frames.length >= count) resolve(frames.slice(0, count));
        };
        wakers.add(look);
        look();
      }),
    say: (frame: object) => socket.send(JSON.stringify(frame)),
    hello(prove = key.prove) {
      const identity = { agentId: id, token };
      const at = new Date(clock.nowMs()).toISOString();
      socket.send(JSON.stringify({ ...helloOf({ identity, epoch, challenge }, prove), at }));
    },
  };
}

test('who proves nothing is let go', async () => {
  const { clock, heard } = await startAgent();
  await clock.advance(15_000);
  expect(await heard(1)).toEqual(['closed with 1006']);
});

test('an agent that has proved its key is not let go because our database is slow', async () => {
  const { clock, asked, answer, hello, heard } = await startAgent();
  hello();
  await asked;
  await clock.advance(60_000);
  answer();
  expect(await heard(1)).toEqual(['welcome']);
});

test('an agent that connects too often is refused before any work is done for it, once it has proven its key', async () => {
  const { hello, heard, cursors, welcomes, socket } = await startAgent({ isWelcome: false });
  const closed = once(socket, 'close');
  hello();
  expect(await heard(1)).toEqual(['closed with 1008']);
  expect(String((await closed)[1])).toContain('it connects too often');
  expect([cursors, welcomes.length]).toEqual([[], 1]);
  const stranger = await startAgent();
  stranger.hello(newIdentityKey().prove);
  expect(await stranger.heard(1)).toEqual(['closed with 1008']);
  expect(stranger.welcomes).toEqual([]);
});

/** The agent, welcomed. */
async function startWelcomed() {
  const agent = await startAgent();
  agent.answer();
  agent.hello();
  await agent.heard(1);
  return agent;
}

test('of an agent that has to wait nothing is read and nothing is done', async () => {
  const { epoch, socket, say, rested, takeTurn, charges, cursors, frames, heard } = await startWelcomed();
  say({ type: 'epoch', epoch: randomUUID(), next_seq: 1 });
  socket.send(slice(epoch, 1, [minerRecord(1, 0)]));
  await rested;
  expect([charges, cursors, frames]).toEqual([[], [epoch], ['welcome']]);
  takeTurn();
  expect(await heard(3)).toEqual(['welcome', 'epoch', 'ack 1']);
});

test('a slice costs what it unpacks to, with the records that fit no schema; one that cannot be unpacked the most', async () => {
  const { epoch, socket, takeTurn, charges, heard } = await startWelcomed();
  takeTurn();
  const records = [minerRecord(1, 0), ...Array.from({ length: 9 }, () => ({ kind: 'x', of: 'x'.repeat(10_000) }))];
  socket.send(slice(epoch, 1, records));
  expect(await heard(2)).toEqual(['welcome', 'ack 1']);
  const bytes = Buffer.byteLength(JSON.stringify({ v: 1, records }));
  expect(charges).toEqual([{ frame: 'slice', records: 10, bytes }]);
  socket.send(encodeSlice({ epoch, seq: 2, produced_at: new Date(0).toISOString() }, Buffer.from('no zstd')));
  expect(await heard(3)).toEqual(['welcome', 'ack 1', 'closed with 1008']);
  expect(charges[1]).toEqual({ frame: 'slice', records: 0, bytes: MAX_SLICE_BYTES });
});

test('every text costs something, and an epoch is looked up and answered once', async () => {
  const { epoch, say, takeTurn, charges, cursors, heard } = await startWelcomed();
  takeTurn();
  const [first, second] = [randomUUID(), randomUUID()];
  const asked = [first, first, epoch, first, second];
  const epochs = asked.map((epoch) => ({ type: 'epoch', epoch, next_seq: 1 }));
  for (const frame of epochs) say(frame);
  expect(await heard(3)).toEqual(['welcome', 'epoch', 'epoch']);
  expect(cursors).toEqual([epoch, first, second]);
  say({ type: 'task-received', task_id: randomUUID() });
  say({ type: 'of a newer agent' });
  say({ type: 'epoch', epoch: randomUUID(), next_seq: 1 });
  await heard(4);
  expect(charges.map(({ frame }) => frame)).toEqual(Array(8).fill('text'));
  expect(charges[0]?.bytes).toBe(JSON.stringify(epochs[0]).length);
});

/** How the service ended the connection: the code of its goodbye, or the reason why there was no connection. */
const endOf = (socket: WebSocket) =>
  new Promise<number | string>((resolve) => {
    socket.on('unexpected-response', (_request, { statusCode }) => resolve(`answered with ${statusCode}`));
    socket.on('error', ({ message }) => resolve(message));
    socket.on('close', (code) => resolve(code));
  });

test('an agent that connects while the service stops is told that it restarts, and gets no error', async () => {
  const { socket, say, rested, takeTurn, connect, stop } = await startWelcomed();
  say({ type: 'task-received', task_id: randomUUID() });
  await rested;
  const stopped = stop();
  // It waits for the frame of the first connection.
  expect(await Promise.all([connect(), connect()].map(endOf))).toEqual([1012, 1012]);
  takeTurn();
  await stopped;
  expect(socket.readyState).toBe(WebSocket.CLOSED);
  // What comes in on a connection that was accepted long before.
  expect(await endOf(connect())).toBe('socket hang up');
});

test('an agent is told that the service restarts while it is looked up, and before it says hello', async () => {
  const lookedUp = Promise.withResolvers<void>();
  const database = Promise.withResolvers<void>();
  let lookups = 0;
  const { socket, connect, stop } = await startAgent({
    async onFind() {
      if (++lookups === 1) return;
      lookedUp.resolve();
      await database.promise;
    },
  });
  const ends = [socket, connect()].map(endOf);
  await lookedUp.promise;
  const stopped = stop();
  database.resolve();
  expect(await Promise.all(ends)).toEqual([1012, 1012]);
  await stopped;
});

// An agent that lies about who it is, or sends far more than its share: it changes nothing of another agent's, and the
// others go on.
import { randomUUID } from 'node:crypto';
import { zstdCompressSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { encodeSlice } from '../../../src/wire/frames.ts';
import { UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, enrol, helloOf, slice, type WireAgent } from './wire-agent.ts';

type Victim = {
  readonly rig: Rig;
  readonly agent: WireAgent;
  readonly taskId: string;
  readonly keys: readonly string[];
};

/** A farm with an agent that reports, and has a task. */
async function startVictim(): Promise<Victim> {
  const rig = await startRig();
  const agent = await connect(rig);
  const miners = Array.from({ length: 20 }, (_, n) => minerRecord(n, rig.clock.nowMs()));
  await agent.report([hostRecord(rig.clock.nowMs()), ...miners]);
  const { body } = await rig.get(rig.farm('/miner/latest'));
  await rig.post(rig.farm('/tasks/batches'), { task_name: 'miner.system.reboot', miner_ids: [body.data[0].id] });
  const { task_id: taskId } = await agent.frame('task');
  return { rig, agent, taskId, keys: miners.map(({ key }) => key) };
}

/** An agent of another farm: in another workspace, or in the same one. */
async function startAttacker({ rig }: Victim, where: 'other workspace' | 'same workspace') {
  const { admin } = rig.service;
  const workspaceId =
    where === 'same workspace' ? rig.workspaceId : (await admin.createWorkspace({ name: 'Other', slug: 'other' })).id;
  const farm = await admin.createFarm({ workspaceId, name: 'Attacker' });
  return { agent: await connect(rig, { identity: await enrol(rig, farm.id) }), farmId: farm.id };
}

/** Everything that is stored of the farm, but when its agent was last seen. */
async function rowsOf(rig: Rig): Promise<string> {
  const agents = await query(
    rig,
    'SELECT id, farm_id, name, version, host, token_hash FROM agents WHERE farm_id = ?',
    rig.farmId,
  );
  const rows = await Promise.all([
    query(rig, `SELECT * FROM miners WHERE farm_id = ? ORDER BY id`, rig.farmId),
    query(
      rig,
      `SELECT * FROM miner_documents WHERE row_id IN (SELECT row_id FROM miners WHERE farm_id = ?) ORDER BY row_id`,
      rig.farmId,
    ),
    query(
      rig,
      `SELECT * FROM tasks WHERE batch_id IN (SELECT id FROM task_batches WHERE farm_id = ?) ORDER BY id`,
      rig.farmId,
    ),
    ...agents.map(({ id }) => query(rig, 'SELECT * FROM ingest_cursors WHERE agent_id = ?', String(id))),
  ]);
  return JSON.stringify([agents, rows]);
}

test.each(['other workspace', 'same workspace'] as const)(
  'what an agent of another farm claims, in the %s, is its own or nothing',
  async (where) => {
    const victim = await startVictim();
    const { rig, keys, taskId } = victim;
    const { agent, farmId } = await startAttacker(victim, where);
    const before = await rowsOf(rig);
    const nowMs = rig.clock.nowMs();
    const claims = { agent_id: victim.agent.identity.agentId, farm_id: rig.farmId, workspace_id: rig.workspaceId };
    const stolen = keys.map((key, n) => ({
      ...claims,
      ...minerRecord(n, nowMs + 1_000, { key, document: { hashrate: 1 } }),
    }));
    const inside = stolen.map((record) => ({ ...record, document: { ...record.document, ...claims } }));
    const outcome = {
      kind: 'task',
      task_id: taskId,
      at: new Date(nowMs).toISOString(),
      status: 'succeeded',
      message: null,
      evidence: {},
    };
    await agent.report([hostRecord(nowMs), ...stolen]);
    agent.sendBytes(slice(agent.epoch, 2, [{ ...claims, ...outcome }]));
    agent.send({ type: 'task-received', task_id: taskId });
    const body = zstdCompressSync(JSON.stringify({ v: 1, ...claims, records: [...inside, ...stolen] }));
    const header = { epoch: agent.epoch, seq: 3, produced_at: new Date(nowMs).toISOString(), ...claims };
    agent.sendBytes(encodeSlice(header, body));
    await agent.frame('ack', ({ seq }) => seq === 3);
    expect(await rowsOf(rig)).toBe(before);
    expect(await query(rig, 'SELECT count(*) AS n FROM miners WHERE farm_id = ?', farmId)).toEqual([{ n: 20 }]);
  },
);

test('the epoch of another agent opens nothing', async () => {
  const victim = await startVictim();
  const { rig } = victim;
  const before = await rowsOf(rig);
  const { farmId } = await startAttacker(victim, 'other workspace');
  const agent = await connect(rig, { identity: await enrol(rig, farmId), epoch: victim.agent.epoch, nextSeq: 2 });
  expect(agent.frames[0]).toMatchObject({ type: 'welcome', acked_seq: 0 });
  agent.sendBytes(slice(victim.agent.epoch, 2, [minerRecord(1, rig.clock.nowMs())]));
  expect((await agent.closed).code).toBe(1008);
  expect(await rowsOf(rig)).toBe(before);
});

test.each([
  ['0', 0],
  ['a negative one', -1],
  ['one far ahead', 1_000_000],
  ['the largest', Number.MAX_SAFE_INTEGER],
  ['one that is no whole number', 1.5],
])('a forged sequence number (%s) stores nothing', async (_name, seq) => {
  const victim = await startVictim();
  const { agent, farmId } = await startAttacker(victim, 'other workspace');
  agent.sendBytes(slice(agent.epoch, seq, [minerRecord(1, victim.rig.clock.nowMs())]));
  expect((await agent.closed).code).toBe(1008);
  expect(await query(victim.rig, 'SELECT count(*) AS n FROM miners WHERE farm_id = ?', farmId)).toEqual([{ n: 0 }]);
});

test.each([
  ['the id of another with the own token', (_own: string, other: string, token: string) => `Bearer ${other}.${token}`],
  ['the own id with another token', (own: string) => `Bearer ${own}.${'x'.repeat(43)}`],
  ['an id that nobody has', (_own: string, _other: string, token: string) => `Bearer ${randomUUID()}.${token}`],
  ['no token', (own: string) => `Bearer ${own}`],
  ['text that breaks statements', (_own: string, _other: string, token: string) => `Bearer ' OR 1=1 --.${token}`],
])('%s is refused before the connection is upgraded', async (_name, write) => {
  const victim = await startVictim();
  const { agent } = await startAttacker(victim, 'same workspace');
  const authorization = write(agent.identity.agentId, victim.agent.identity.agentId, agent.identity.token);
  const socket = new WebSocket(victim.rig.url.replace('http', 'ws') + UPLINK_PATH, { headers: { authorization } });
  const status = await new Promise<number | undefined>((resolve, reject) => {
    socket.on('unexpected-response', (_request, response) => resolve(response.statusCode));
    socket.on('open', () => reject(new Error('it was let in')));
    socket.on('error', () => {});
  });
  expect(status).toBe(401);
  await victim.agent.report([hostRecord(victim.rig.clock.nowMs())]);
});

test('a second hello ends the connection: each would hand out every task again', async () => {
  const victim = await startVictim();
  victim.agent.send({ ...helloOf(victim.agent), epoch: randomUUID() });
  expect(await victim.agent.closed).toMatchObject({ code: 1008, reason: expect.stringContaining('hello') });
});

/** A body that is none of ours, as the next slice. */
const odd = ({ epoch }: WireAgent, body: Uint8Array) =>
  encodeSlice({ epoch, seq: 1, produced_at: new Date().toISOString() }, body);
const packed = (text: string) => zstdCompressSync(text);
const withRecords = (records: string) => packed(`{"v":1,"records":[${records}]}`);

test.each<[string, (agent: WireAgent) => Uint8Array]>([
  ['a bomb', (agent) => odd(agent, zstdCompressSync(Buffer.alloc(400 * 1024 ** 2)))],
  ['what is not packed', (agent) => odd(agent, Buffer.from('{"v":1,"records":[]}'))],
  ['brackets 200,000 deep', (agent) => odd(agent, packed('['.repeat(200_000) + ']'.repeat(200_000)))],
  ['more records than a slice has', (agent) => odd(agent, withRecords(Array(501).fill('{}').join()))],
  ['a header without end', () => Buffer.from([0xff, 0xff, 0xff, 0x7f, 0x7b])],
  ['nothing', () => Buffer.alloc(0)],
])('%s ends the connection that it came over, and no other', async (_name, bytesOf) => {
  const victim = await startVictim();
  const { agent } = await startAttacker(victim, 'same workspace');
  agent.sendBytes(bytesOf(agent));
  expect(await agent.closed).toMatchObject({ code: 1008 });
  await victim.agent.report([hostRecord(victim.rig.clock.nowMs())]);
  expect((await victim.rig.get('/healthz')).status).toBe(200);
});

test.each([
  ['a key that is a prototype', '{"__proto__":{"kind":"miner"},"constructor":{"prototype":{"isAdmin":true}}}'],
  ['numbers without end', '{"kind":"host","at":"2026-01-01T00:00:00Z","version":"1","uptime":1e999,"miners":-1e999}'],
  [
    'brackets within a record',
    `{"kind":"event","type":"x","key":"k","at":"2026-01-01T00:00:00Z","detail":${'{"a":'.repeat(5_000)}1${'}'.repeat(5_001)}`,
  ],
])('%s stores nothing but its gap, and the connection goes on', async (_name, record) => {
  const victim = await startVictim();
  const { rig } = victim;
  const { agent, farmId } = await startAttacker(victim, 'same workspace');
  const before = await rowsOf(rig);
  agent.sendBytes(odd(agent, withRecords(record)));
  await agent.frame('ack', ({ seq }) => seq === 1);
  await agent.report([hostRecord(rig.clock.nowMs())], 2);
  expect(await rowsOf(rig)).toBe(before);
  expect(await query(rig, 'SELECT count(*) AS n FROM miners WHERE farm_id = ?', farmId)).toEqual([{ n: 0 }]);
  expect(Object.hasOwn(Object.prototype, 'isAdmin') || Object.hasOwn(Object.prototype, 'kind')).toBe(false);
});

/** Milliseconds until each of the reports is stored, the middle and the slowest. */
async function latencies({ rig, agent, keys }: Victim, rounds: number) {
  const tookMs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const startedMs = performance.now();
    await agent.report(keys.map((key, n) => minerRecord(n, rig.clock.nowMs() + round, { key })));
    tookMs.push(performance.now() - startedMs);
  }
  const sorted = tookMs.toSorted((a, b) => a - b);
  return { middle: sorted[Math.floor(rounds / 2)] ?? 0, slowest: sorted.at(-1) ?? 0 };
}

test('while one agent sends a hundred times its share, every report of another is stored, and each under its own farm', async () => {
  const victim = await startVictim();
  const { rig } = victim;
  const { agent, farmId } = await startAttacker(victim, 'other workspace');
  const alone = await latencies(victim, 10);
  const keys = Array.from({ length: 200 }, () => randomUUID());
  const flood = Array.from({ length: 30 }, (_, n) =>
    slice(
      agent.epoch,
      n + 1,
      keys.map((key, i) => minerRecord(i, rig.clock.nowMs() + n, { key })),
    ),
  );
  for (const bytes of flood) agent.sendBytes(bytes);
  const beside = await latencies(victim, 10);
  await agent.frame('ack', ({ seq }) => seq === flood.length);
  process.stdout.write(
    `a report beside a flood: middle ${alone.middle.toFixed(1)} → ${beside.middle.toFixed(1)} ms, slowest ${alone.slowest.toFixed(1)} → ${beside.slowest.toFixed(1)} ms\n`,
  );
  const counts = await query(rig, 'SELECT farm_id, count(*) AS n FROM miners GROUP BY farm_id');
  expect(new Map(counts.map(({ farm_id, n }) => [farm_id, n]))).toEqual(
    new Map([
      [rig.farmId, 20],
      [farmId, 200],
    ]),
  );
});

// Secrets are planted everywhere the service takes one. None is seen again: not in the log at its finest, not in an
// answer, not in the metrics, not in clear in the database.
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { isPostgresUrl } from '../../../src/service/store/postgres/postgres.ts';
import { UPLINK_PATH } from '../../../src/wire/protocol.ts';
import { query } from './database.ts';
import { minerRecord } from './records.ts';
import { call, recordingLog, startOwnedRig, temporaryFolder } from './rig.ts';
import { connect, identityKey } from './wire-agent.ts';

const POOL_PASSWORD = 'canary-pool-password';
const GUESSED_KEY = 'phk_0badc0de_canary-guessed-key-canary-guessed-key-0';
const GUESSED_CODE = 'CANARY-GUESSED-CODE';
const GUESSED_TOKEN = 'canary-guessed-token-canary-guessed-token';
const IN_THE_ADDRESS = 'canary-in-the-address';

test('no secret is seen again, whatever goes right or wrong', async () => {
  const log = recordingLog();
  const keyFile = join(temporaryFolder(), 'service.key');
  const { rig, stop } = await startOwnedRig({ log, keyFiles: { own: keyFile, shared: keyFile } });
  const seen: string[] = [];
  const keep = <T extends { body: unknown }>(answer: T): T => {
    seen.push(JSON.stringify(answer.body ?? ''));
    return answer;
  };
  const { code } = await rig.service.admin.createEnrolmentCode({ farmId: rig.farmId, ttlMs: 60_000 });
  const identity_key = identityKey;
  const post = (path: string, body: unknown, headers?: Record<string, string>) =>
    rig.post(path, body, headers).then(keep);
  // An agent comes in with its code; the answer is the one place where its token is shown.
  const { body: identity } = await rig.post(
    '/agent/v1/enrol',
    { code, name: 'a', version: '1', protocol: 1, identity_key },
    {},
  );
  const agent = await connect(rig, { identity: { agentId: identity.agent_id, token: identity.token } });
  const abilities = ['miner.pool.update', 'miner.system.reboot'];
  await agent.report([minerRecord(1, rig.clock.nowMs(), { abilities })]);
  const farm = `/public-api/v2/workspaces/${rig.workspaceId}/farms/${rig.farmId}`;
  const miners = keep(await rig.get(`${farm}/miners`));
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'w', password: POOL_PASSWORD }];
  const order = { task_name: 'miner.pool.update', miner_ids: [miners.body.data[0].id], params: { pools } };
  const made = await post(`${farm}/task-batches`, order, { 'x-api-key': rig.key, 'idempotency-key': 'once' });
  expect(made.body.meta.summary.created_count).toBe(1);
  await agent.frame('task');
  const batch = `${farm}/task-batches/${made.body.data[0].id}`;
  for (const path of [batch, `${batch}/tasks`, `${farm}/task-batches`, rig.farm('/tasks/batches')])
    keep(await rig.get(path));

  // What goes wrong: every secret in a wrong place, broken bodies with secrets in them, the database away.
  await post('/agent/v1/enrol', { code: GUESSED_CODE, name: 'a', version: '1', protocol: 1, identity_key });
  await post('/agent/v1/enrol', { code, name: 'a', version: '1', protocol: 1, identity_key });
  await post('/agent/v1/enrol', { code: [GUESSED_CODE], name: 'a', version: '1', protocol: 1, identity_key }, {});
  keep(await rig.get(farm, { 'x-api-key': GUESSED_KEY }));
  keep(await rig.get(`${farm}/miners`, { authorization: `Bearer ${GUESSED_KEY}` }));
  keep(await rig.get(`/${IN_THE_ADDRESS}?key=${IN_THE_ADDRESS}`));
  const wrong = [
    { password: POOL_PASSWORD },
    { ...pools[0], url: 'x' },
    { ...pools[0], password: `${POOL_PASSWORD}\n` },
    { ...pools[0], password: [POOL_PASSWORD] },
  ];
  for (const pool of wrong) await post(`${farm}/task-batches`, { ...order, params: { pools: [pool] } });
  await post(`${farm}/task-batches`, { ...order, params: { pools: { password: POOL_PASSWORD } } });
  await post(`${farm}/task-batches`, { ...order, params: { pools: [{ ...pools[0], url: 'x' }] } });
  keep(
    await call(`${rig.url}${farm}/task-batches`, {
      method: 'POST',
      headers: { 'x-api-key': rig.key, 'content-type': 'application/json' },
      body: `{"pools":"${POOL_PASSWORD}"`,
    }),
  );
  for (const authorization of [`Bearer ${identity.agent_id}.${GUESSED_TOKEN}`, `Bearer ${GUESSED_TOKEN}`])
    await new Promise((resolve) => {
      const socket = new WebSocket(rig.url.replace('http', 'ws') + UPLINK_PATH, { headers: { authorization } });
      socket.on('error', resolve);
    });
  agent.sendBytes(`{"type":"hello","token":"${identity.token}"}`);
  await agent.closed;
  const metrics = await (await fetch(`${rig.url}/metrics`, { headers: { 'x-api-key': rig.key } })).text();
  const stored = await dump(rig.databasePath);
  await query(rig, 'DROP TABLE task_batches');
  await post(`${farm}/task-batches`, order);
  await post(`${farm}/task-batches`, order, { 'x-api-key': rig.key, 'idempotency-key': IN_THE_ADDRESS });
  keep(await rig.get('/readyz'));
  await stop();

  const shownOnce = { key: rig.key, code, token: String(identity.token) };
  const logged = JSON.stringify(log.lines);
  expect(log.lines.length).toBeGreaterThan(20);
  const guessed = { GUESSED_KEY, GUESSED_CODE, GUESSED_TOKEN };
  for (const [name, secret] of Object.entries({ ...shownOnce, ...guessed, POOL_PASSWORD, IN_THE_ADDRESS })) {
    expect(logged.includes(secret), `${name} is in the log`).toBe(false);
    expect(metrics.includes(secret), `${name} is in the metrics`).toBe(false);
  }
  // A value that is refused may be shown to who sent it, a password may not.
  for (const [name, secret] of Object.entries({ ...shownOnce, GUESSED_KEY, GUESSED_TOKEN, POOL_PASSWORD }))
    expect(
      seen.some((text) => text.includes(secret)),
      `${name} is in an answer`,
    ).toBe(false);
  for (const [name, secret] of Object.entries({ ...shownOnce, POOL_PASSWORD }))
    expect(stored.includes(secret), `${name} is in the database`).toBe(false);
});

/** Every byte of an embedded database, or every row of a served one. */
async function dump(target: string): Promise<string> {
  if (!isPostgresUrl(target)) {
    const folder = dirname(target);
    return readdirSync(folder)
      .map((name) => readFileSync(join(folder, name), 'latin1'))
      .join('');
  }
  const tables = await query({ databasePath: target }, `SELECT tablename FROM pg_tables WHERE schemaname = 'public'`);
  const rows = await Promise.all(
    tables.map(({ tablename }) => query({ databasePath: target }, `SELECT * FROM ${String(tablename)}`)),
  );
  return JSON.stringify(rows);
}

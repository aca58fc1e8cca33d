// Copies that never look by themselves in this time: only what PostgreSQL passes on can bring the one what the other
// was told.
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { queryDatabase } from '../../support/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { call, startRig, steppedClock } from '../service-http/rig.ts';
import { connect } from '../service-http/wire-agent.ts';

/** What is done every so often is done once and then not again. */
const still = () => {
  const clock = steppedClock();
  return {
    ...clock,
    sleep: (ms: number, signal?: AbortSignal) => systemClock.sleep(ms >= 1_000 ? 600_000 : ms, signal),
  };
};

const startPair = async () => {
  const first = await startRig({ clock: still() });
  const second = await startRig({ clock: still(), databasePath: first.databasePath });
  const agent = await connect(second, { takes: ['outlook'] });
  await agent.report([1, 2, 3].map((n) => minerRecord(n, first.clock.nowMs())));
  const { body } = await first.get(first.farm('/miner/latest'));
  const ids: string[] = body.data.map(({ id }: { id: string }) => id);
  const reboot = (minerIds: readonly string[]) =>
    first.post(first.farm('/tasks/batches'), { task_name: 'miner.system.reboot', miner_ids: minerIds });
  return { first, second, agent, ids, reboot };
};

const LISTENERS = `SELECT pid FROM pg_stat_activity
  WHERE (query LIKE 'LISTEN%' OR query LIKE '%/* beat */') AND query NOT LIKE '%activity%' AND datname = current_database()`;

test('tasks that are made on one copy reach the agent on the other, each once', async () => {
  const { agent, ids, reboot } = await startPair();
  for (const id of ids) expect((await reboot([id])).body.meta.summary.created_count).toBe(1);
  for (const [n] of ids.entries()) await agent.frame('task', () => tasks().length > n);
  function tasks() {
    return agent.frames.filter(({ type }) => type === 'task');
  }
  expect(tasks()).toHaveLength(3);
});

test('what operators say on one copy reaches the agent on the other', async () => {
  const { first, agent, ids } = await startPair();
  const url = `${first.url}/public-api/v2/workspaces/${first.workspaceId}/farms/${first.farmId}/miners/${ids[0]}`;
  await call(url, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', 'x-api-key': first.key },
    body: '{"ops_status":"maintenance"}',
  });
  await agent.frame('ops-status', ({ miners }) => miners.length === 1);
});

test('what a client asks on one copy the agent answers on the other, and nothing of it stays', async () => {
  const { first, agent, ids } = await startPair();
  const dryRun = () =>
    first.post(`/public-api/v2/workspaces/${first.workspaceId}/farms/${first.farmId}/task-batches`, {
      ...{ task_name: 'miner.system.reboot', miner_ids: ids, dry_run: true },
    });
  const asking = dryRun();
  const { question_id, miner_keys } = await agent.frame('outlook');
  expect(miner_keys).toHaveLength(3);
  agent.send({
    ...{ type: 'outlook', question_id, at_once: 2, draw_w: 9_750, eta_s: 40, is_eta_guessed: true, left_out: [] },
  });
  expect((await asking).body.meta.outlooks).toMatchObject([{ is_known: true, at_once: 2, kw: 9.8, eta_s: 40 }]);
  // One that is not answered is given up.
  expect((await dryRun()).body.meta.outlooks).toMatchObject([{ is_known: false, at_once: null }]);
  expect(await queryDatabase(first.databasePath, 'SELECT count(*) AS count FROM agent_questions')).toEqual([
    { count: 0 },
  ]);
});

test('an agent that comes to the other copy takes over at once', async () => {
  const { first, agent } = await startPair();
  await connect(first, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
  expect(await agent.closed).toMatchObject({ code: 4001 });
});

test('a copy that lost its ear hears again, and catches up on what it missed', async () => {
  const { first, agent, ids, reboot } = await startPair();
  await expect.poll(() => queryDatabase(first.databasePath, LISTENERS)).toHaveLength(2);
  await queryDatabase(first.databasePath, `SELECT pg_terminate_backend(pid) FROM (${LISTENERS}) AS ears`);
  expect((await reboot(ids)).status).toBe(200);
  await agent.frame('task');
  await expect.poll(() => queryDatabase(first.databasePath, LISTENERS)).toHaveLength(2);
});

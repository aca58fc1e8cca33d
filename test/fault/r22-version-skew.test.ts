// Agents of this version and of one to come, each with a service of each: what was frozen of them goes over real
// sockets to the code of today on both sides, and work gets done between every pair.
import { randomUUID } from 'node:crypto';
import { test } from 'vitest';
import { openOutbox } from '../../src/agent/outbox/open.ts';
import { pinOf } from '../../src/agent/uplink/signatures/key-pin.ts';
import { createMessageGuard, messageGuardMigrations } from '../../src/agent/uplink/signatures/message-guard.ts';
import { createUplink } from '../../src/agent/uplink/uplink.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { Secret } from '../../src/base/secrets.ts';
import { openSqlite } from '../../src/base/storage/sqlite.ts';
import { until } from '../e2e/until.ts';
import { emptyOutlook } from '../support/empty-outlook.ts';
import { makeDir, sample } from '../unit/agent/outbox/farm-records.ts';
import { query } from '../unit/service-http/database.ts';
import { startRig } from '../unit/service-http/rig.ts';
import { enrol, prove } from '../unit/service-http/wire-agent.ts';
import { goldenOf, startBetween, VERSIONS, type Version } from './speaks-as.ts';
import { report } from './table.ts';

const present = new Set(goldenOf('present').records.map(({ kind }) => kind));

/** What is wrong between the two, in words; and how many frozen messages were said. */
async function meet(agent: Version, service: Version): Promise<{ said: number; problems: string[] }> {
  const problems: string[] = [];
  const rig = await startRig();
  const identity = await enrol(rig);
  const dir = makeDir({ isQuick: true });
  const between = await startBetween(rig.url, { agent, service });
  const outbox = openOutbox(dir.path(''), { clock: systemClock, log: silentLog, newEpoch: randomUUID });
  await outbox.setUplinks(['farm']);
  const orders: string[] = [];
  const db = openSqlite(':memory:', [messageGuardMigrations]);
  const guard = createMessageGuard(db, {
    uplink: 'farm',
    agentId: identity.agentId,
    pin: pinOf(),
    clock: systemClock,
    log: silentLog,
    audit: () => {},
  });
  const uplink = createUplink({
    name: 'farm',
    url: between.url,
    allowPlain: true,
    credentials: { agentId: identity.agentId, token: new Secret(identity.token), prove },
    version: '1.2.3',
    instanceId: randomUUID(),
    source: outbox.source('farm'),
    messageGuard: guard,
    onOpsStatus: () => {},
    tasks: {
      onTasks(taken) {
        for (const { task_id } of taken) {
          orders.push(task_id);
          const at = new Date().toISOString();
          void outbox.append([{ kind: 'task', task_id, status: 'succeeded', at, message: null, evidence: {} }]);
        }
      },
      onCancel: () => {},
      outlook: emptyOutlook,
    },
    clock: systemClock,
    random: Math.random,
    log: silentLog,
  });
  try {
    const own = sample(1, Date.now());
    await outbox.append([own]);
    uplink.start();
    await until(
      () => outbox.state().backlog.farm,
      (backlog) => backlog === 0,
    );
    const { body } = await rig.get(rig.farm('/miner/latest'));
    const [miner] = body.data;
    if (miner?.serial_number !== 'SN-0001') problems.push('its miner is not served');
    const order = { task_name: 'miner.system.reboot', miner_ids: [miner?.id] };
    const made = await rig.post(rig.farm('/tasks/batches'), order);
    if (made.status !== 200) problems.push(`the service makes no task: ${made.status}`);
    const done = await until(
      () => query(rig, 'SELECT id, status FROM tasks'),
      ([task]) => task?.status === 'succeeded',
    ).catch(() => []);
    if (done.length !== 1) problems.push('its task is not done');
    if (!orders.includes(String(done[0]?.id))) problems.push('the agent has not had its order');
    // Said last: what came before has been read by then.
    await outbox.append([own]);
    await until(
      () => outbox.state().backlog.farm,
      (backlog) => backlog === 0,
    );
    const rejected = await query(rig, `SELECT sum(count) AS n FROM gaps WHERE reason = 'rejected'`);
    const strange = goldenOf(agent).records.filter(({ kind }) => !present.has(kind)).length;
    if (Number(rejected[0]?.n ?? 0) !== strange) problems.push(`${rejected[0]?.n} records were not read`);
    problems.push(...between.ends.map((what) => `ended: ${what}`));
    return { said: between.said(), problems };
  } finally {
    await uplink.stop();
    await outbox.close();
    guard.stop();
    db.close();
    await between.stop();
    dir.remove();
  }
}

test('every version of an agent works with every version of a service', async () => {
  let [pairs, said] = [0, 0];
  const problems: string[] = [];
  for (const agent of VERSIONS) {
    for (const service of VERSIONS) {
      const met = await meet(agent, service).catch((error: unknown) => ({ said: 0, problems: [String(error)] }));
      pairs++;
      said += met.said;
      for (const problem of met.problems) problems.push(`agent ${agent}, service ${service}: ${problem}`);
    }
  }
  for (const problem of problems) process.stdout.write(`R22: ${problem}\n`);
  report({
    id: 'R22',
    value: `${pairs} pairs, ${said} frozen messages said, ${problems.length} not read, not borne or without effect; in each pair a report and a task went through`,
    bar: 'agent N, N+1 x service N, N+1: 100 % read, unknown never fatal',
    isMet: problems.length === 0 && pairs === 4,
  });
});

// Bringing tasks to an agent while others give them up, and to one that does not read: whatever may have reached it, it
// is told to give up.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import { SYSTEM } from '../../../../src/model/audit/entry.ts';
import { newId, openStore, type Store } from '../../../../src/service/store/store.ts';
import { createTaskDispatcher } from '../../../../src/service/tasks/dispatcher.ts';
import { planBatches } from '../../../../src/service/tasks/plan.ts';
import type { Notice, TaskCommand } from '../../../../src/wire/frames.ts';
import { queryDatabase, temporaryDatabase } from '../../../support/database.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';
import { minerRecord } from '../../service-http/records.ts';

const MINERS = 150;

/**
 * A farm with an agent that knows many miners, on two copies of the service; `order` makes a batch of reboots for all
 * that have none.
 */
async function startFarm() {
  const clock = createVirtualClock();
  const nowMs = clock.nowMs();
  const target = await temporaryDatabase();
  const [store, copy] = [await openStore(target), await openStore(target)];
  onTestFinished(async () => {
    await store.close();
    await copy.close();
  });
  const workspace = { id: newId(nowMs), name: 'W', slug: 'w' };
  const { id: farmId } = await store.tenants.ensure(workspace, { id: newId(nowMs), name: 'F' }, nowMs);
  const [agentId, hash] = [newId(nowMs), randomUUID()];
  await store.agents.createCode({ hash, farmId, nowMs, expiresAtMs: nowMs + 1 });
  await store.agents.enrol(hash, { id: agentId, name: 'a', tokenHash: 'x', identityKey: 'k', version: '1', nowMs });
  const records = Array.from({ length: MINERS }, (_, n) => minerRecord(n, nowMs));
  const slice = { agentId, farmId, epoch: 'e', producedAtMs: nowMs, rejected: 0, nowMs };
  await store.ingest.storeSlice({ ...slice, seq: 1, records });
  const ids = (await queryDatabase(target, 'SELECT id FROM miners')).map(({ id }) => String(id));
  const name = 'miner.system.reboot';
  return {
    clock,
    store,
    copy,
    farmId,
    agentId,
    cancel: (from: Store, id: string) =>
      from.batchDetail.cancel(farmId, id, { ...SYSTEM, avatar: '', metadata: {} }, clock.nowMs()),
    say: (seq: number, task_id: string, status: 'succeeded') =>
      store.ingest.storeSlice({
        ...slice,
        seq,
        records: [{ kind: 'task', task_id, status, at: new Date(nowMs).toISOString(), message: null, evidence: {} }],
      }),
    async order(count = MINERS): Promise<string> {
      let made = '';
      await store.batches.create(
        {
          workspaceId: workspace.id,
          farmId,
          ids: ids.slice(0, count),
          name,
          params: {},
          actor: { type: 'api_key', id: 'k', name: 'k', avatar: '', metadata: {} },
          nowMs,
          expiresAtMs: nowMs + 600_000,
        },
        (candidates) => {
          const { batches } = planBatches(name, ids.slice(0, count), candidates, () => newId(nowMs));
          made = batches[0]?.id ?? '';
          return { batches, response: '' };
        },
      );
      return made;
    },
  };
}

/** An agent that takes what it is sent while there is room. */
function createListener(room = Number.POSITIVE_INFINITY) {
  const frames: (TaskCommand | Notice)[] = [];
  const ids = (type: 'task' | 'cancel') =>
    frames.flatMap((frame) => (frame.type === type && 'task_id' in frame ? [frame.task_id] : []));
  return {
    tasks: () => ids('task'),
    cancels: () => ids('cancel'),
    read: () => frames.splice(0),
    hasRoom: () => frames.length < room,
    send: (_agentId: string, frame: TaskCommand | Notice) => frames.push(frame) > 0,
  };
}

test('a task that is given up while it is on its way reaches the agent with a word to give it up, and what the agent says counts', async () => {
  const { clock, store, farmId, agentId, order, cancel, say } = await startFarm();
  const agent = createListener();
  const batchId = await order(1);
  const tasks: Store['tasks'] = {
    ...store.tasks,
    async claim(query) {
      const claimed = await store.tasks.claim(query);
      expect(await cancel(store, batchId)).toEqual(claimed.commands.length > 0 ? [agentId] : []);
      return claimed;
    },
  };
  const dispatcher = createTaskDispatcher({ ...agent, tasks, clock, log: silentLog });
  await dispatcher.deliver(agentId);
  const [taskId = ''] = agent.tasks();
  expect(agent.cancels()).toEqual([taskId]);
  await say(2, taskId, 'succeeded');
  expect(await store.batchDetail.find(farmId, batchId)).toMatchObject({ status: 'succeeded' });
});

test('whoever gives a batch up while another copy sends it: no agent keeps a task of it without knowing', async () => {
  const { clock, copy, store, agentId, order, cancel } = await startFarm();
  const agent = createListener();
  const dispatcher = createTaskDispatcher({ ...agent, tasks: store.tasks, clock, log: silentLog });
  for (let n = 0; n < 8; n++) {
    const batchId = await order();
    await Promise.all([dispatcher.deliver(agentId), cancel(copy, batchId)]);
    await dispatcher.deliver(agentId);
    expect(agent.cancels().toSorted()).toEqual(agent.tasks().toSorted());
    agent.read();
  }
});

test('what was claimed and could not be sent is sent by whoever looks next', async () => {
  const { clock, store, agentId, order } = await startFarm();
  const agent = createListener();
  await order(3);
  const parts = { ...agent, tasks: store.tasks, clock, log: silentLog };
  await createTaskDispatcher({ ...parts, send: () => false }).deliver(agentId);
  await createTaskDispatcher(parts).deliver(agentId);
  expect(agent.tasks()).toHaveLength(3);
});

test('an agent that does not read gets no more until it does', async () => {
  const { clock, store, agentId, order } = await startFarm();
  const agent = createListener(10);
  await order();
  const dispatcher = createTaskDispatcher({ ...agent, tasks: store.tasks, clock, log: silentLog });
  await dispatcher.deliver(agentId);
  const first = agent.tasks();
  expect(first).toHaveLength(100);
  await dispatcher.deliver(agentId);
  expect(agent.tasks()).toHaveLength(100);
  agent.read();
  await dispatcher.deliver(agentId);
  expect(new Set([...first, ...agent.tasks()]).size).toBe(MINERS);
});

// Giving batches of v2 up: what nobody has taken ends at once, what an agent holds ends as it says.
import { describe, expect, test } from 'vitest';
import { query } from './database.ts';
import { call, type Rig } from './rig.ts';
import { cancel, create, detail, MINUTE_MS, outcome, path, UNKNOWN, withMiners } from './v2-batches.ts';
import { connect, type WireAgent } from './wire-agent.ts';

describe('cancel', () => {
  const reboot = async (rig: Rig, ids: readonly string[]) =>
    (await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids })).data[0]?.id ?? '';
  const cancels = (agent: WireAgent) =>
    agent.frames.flatMap((frame) => (frame.type === 'cancel' ? [frame.task_id] : []));

  test('ends what no agent has taken at once, and that is never handed out', async () => {
    const { rig, agent, ids } = await withMiners(2);
    await agent.close();
    const id = await reboot(rig, ids);
    const cancelled = { status: 'cancelled', cancelled_count: 2, failed_count: 0, unsuccessful_count: 2 };
    expect(await cancel(rig, id)).toMatchObject(cancelled);
    expect(await cancel(rig, id)).toMatchObject(cancelled);
    const back = await connect(rig, { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 });
    await back.report([]);
    expect(back.frames.filter(({ type }) => type === 'task' || type === 'cancel')).toEqual([]);
    expect((await create(rig, { task_name: 'miner.system.reboot', miner_ids: ids })).meta.summary.created_count).toBe(
      2,
    );
  });

  test('asks the agent for what it has; its word decides', async () => {
    const { rig, agent, ids } = await withMiners(2);
    const id = await reboot(rig, ids);
    const first = await agent.frame('task');
    const second = await agent.frame('task', ({ task_id }) => task_id !== first.task_id);
    await agent.report([outcome(rig, first.task_id, 'running'), outcome(rig, second.task_id, 'pending')]);
    expect(await cancel(rig, id)).toMatchObject({ status: 'running', cancelled_count: 0 });
    await agent.frame('cancel', ({ task_id }) => task_id === first.task_id);
    await agent.frame('cancel', ({ task_id }) => task_id === second.task_id);
    await agent.report([outcome(rig, second.task_id, 'cancelled')]);
    expect(await detail(rig, id)).toMatchObject({ status: 'running', running_count: 1, cancelled_count: 1 });
    await agent.report([outcome(rig, first.task_id, 'succeeded')]);
    expect(await detail(rig, id)).toMatchObject({
      status: 'partially_succeeded',
      succeed_count: 1,
      cancelled_count: 1,
    });
    expect(cancels(agent).toSorted()).toEqual([first.task_id, second.task_id].toSorted());
  });

  test('is told with who cancelled, beside who ordered', async () => {
    const { rig, agent, ids } = await withMiners(2);
    const { key } = await rig.service.admin.createKey({
      workspaceId: rig.workspaceId,
      name: 'night',
      role: 'operator',
    });
    const id = await reboot(rig, ids);
    const first = await agent.frame('task');
    const second = await agent.frame('task', ({ task_id }) => task_id !== first.task_id);
    await agent.report([outcome(rig, first.task_id, 'running')]);
    const asked = await rig.post(path(rig, `/${id}/cancel`), undefined, { 'x-api-key': key });
    expect(asked.body.data.metadata).toEqual({
      cancelled: { by: { type: 'api_key', name: 'night', id: expect.any(String) }, at: expect.any(String) },
    });
    await agent.report([outcome(rig, first.task_id, 'cancelled')]);
    const { body } = await rig.get(path(rig).replace('task-batches', 'events'));
    const ends = body.data.filter(({ type }: { type: string }) => type === 'task_ended');
    const who = { actor: { type: 'api_key', name: 'night' }, ordered_by: { type: 'api_key', name: 'test' } };
    expect(ends.map(({ detail }: { detail: { task_id: string } }) => detail.task_id).toSorted()).toEqual(
      [first.task_id, second.task_id].toSorted(),
    );
    for (const { detail } of ends) expect(detail).toMatchObject({ status: 'cancelled', ...who });
    // A later cancel finds nothing to cancel, and is not who did it.
    expect((await cancel(rig, id)).metadata).toMatchObject({ cancelled: { by: { name: 'night' } } });
  });

  test('of what was sent but not confirmed counts until the agent says otherwise', async () => {
    const { rig, agent, ids } = await withMiners(1);
    const id = await reboot(rig, ids);
    const { task_id } = await agent.frame('task');
    expect(await cancel(rig, id)).toMatchObject({ status: 'cancelled' });
    await agent.frame('cancel', (frame) => frame.task_id === task_id);
    await agent.report([outcome(rig, task_id, 'running')]);
    expect(await detail(rig, id)).toMatchObject({ status: 'cancelled' });
    await agent.report([outcome(rig, task_id, 'succeeded')]);
    expect(await detail(rig, id)).toMatchObject({ status: 'succeeded', succeed_count: 1, unsuccessful_count: 0 });
  });

  test('reaches an agent that was away when it returns, and not after the task expired', async () => {
    const { rig, agent, ids } = await withMiners(1);
    const id = await reboot(rig, ids);
    const { task_id } = await agent.frame('task');
    agent.send({ type: 'task-received', task_id });
    const received = () => query(rig, 'SELECT id FROM tasks WHERE received_at IS NOT NULL');
    await expect.poll(received).toHaveLength(1);
    await agent.close();
    expect(await cancel(rig, id)).toMatchObject({ status: 'pending', pending_count: 1 });
    const options = { identity: agent.identity, epoch: agent.epoch, nextSeq: 2 };
    const back = await connect(rig, options);
    await back.frame('cancel', (frame) => frame.task_id === task_id);
    await back.close();
    rig.clock.step(16 * MINUTE_MS);
    const late = await connect(rig, options);
    await late.report([]);
    expect(cancels(late)).toEqual([]);
  });

  test('leaves a batch that is over as it is', async () => {
    const { rig, agent, ids } = await withMiners(1);
    const id = await reboot(rig, ids);
    const { task_id } = await agent.frame('task');
    await agent.report([outcome(rig, task_id, 'succeeded')]);
    expect(await cancel(rig, id)).toMatchObject({ status: 'succeeded', succeed_count: 1, cancelled_count: 0 });
    await agent.report([]);
    expect(cancels(agent)).toEqual([]);
  });

  test('of a batch that the farm does not have is not found, and touches nothing', async () => {
    const { rig, ids } = await withMiners(1);
    const id = await reboot(rig, ids);
    const farm = await rig.service.admin.createFarm({ workspaceId: rig.workspaceId, name: 'Second' });
    for (const url of [path(rig, `/${UNKNOWN}/cancel`), path(rig, '/x/cancel'), path(rig, `/${id}/cancel`, farm.id)])
      expect((await rig.post(url, undefined)).body).toEqual({
        statusCode: 404,
        message: 'Resource not found',
        error: 'Not Found',
      });
    expect(await detail(rig, id)).toMatchObject({ status: 'pending' });
  });

  test('needs the permission to create tasks', async () => {
    const { rig, ids } = await withMiners(1);
    const id = await reboot(rig, ids);
    const { key } = await rig.service.admin.createKey({
      workspaceId: rig.workspaceId,
      name: 'reader',
      permissions: ['tasks.read'],
    });
    const answer = await call(rig.url + path(rig, `/${id}/cancel`), { method: 'POST', headers: { 'x-api-key': key } });
    expect(answer.status).toBe(403);
    expect(await detail(rig, id)).toMatchObject({ status: 'pending' });
  });
});

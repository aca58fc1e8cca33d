// A batch with a canary, from the order of an integrator to the miners: the first one does nothing, so the others are
// left alone, and the batch says why.
import { request } from 'undici';
import { expect, onTestFinished, test } from 'vitest';
import { answerOf } from '../../src/wire/api/envelope.ts';
import { batchDetailSchema, createdAnswerSchema } from '../../src/wire/api/tasks.ts';
import { startSite } from './site.ts';

const MINERS = 4;

test('the others are left alone when the first does not restart; what is switched off is refused', async () => {
  const site = await startSite(
    { miners: MINERS, mix: 'vnish', seed: 4, noise: 0, bootS: 1, warmUpS: 1 },
    {
      tasks: {
        allow: { light: false },
        reboot: { backS: 90, hashS: 180, graceS: 4, checkEveryS: 0.3 },
        powerGate: { kw: 100_000, windowS: 1 },
      },
    },
  );
  onTestFinished(() => site.stop());
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
  );
  const [canary, ...others] = site.farm.devices;
  canary?.setFault('ignores-reboot', true);
  const ids = new Map((await site.miners()).map(({ ip, id }) => [ip, id]));
  const { workspaceId, farmId, service, url } = site.stack;
  const { key } = await service.admin.createKey({ workspaceId, name: 'rollout', role: 'admin' });
  const path = `${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/task-batches`;
  const headers = { 'x-api-key': key, 'content-type': 'application/json' };
  const run = async (order: object) => {
    const miner_ids = site.farm.devices.map(({ ip }) => ids.get(ip));
    const sent = await request(path, { method: 'POST', headers, body: JSON.stringify({ ...order, miner_ids }) });
    const [batch] = createdAnswerSchema.parse(await sent.body.json()).data;
    return site.until(
      async () => {
        const { body } = await request(`${path}/${batch?.id}`, { headers });
        return answerOf(batchDetailSchema).parse(await body.json()).data;
      },
      ({ pending_count, running_count }) => pending_count + running_count === 0,
    );
  };
  expect(await run({ task_name: 'miner.system.reboot', rollout: { canary: 1 } })).toMatchObject({
    status: 'failed',
    failed_count: 1,
    cancelled_count: 3,
    metadata: { rollout: { canary: 1 }, stopped: { reason: 'canary', failed: 1 } },
  });
  expect(others.map(({ reboots }) => reboots)).toEqual([0, 0, 0]);
  const light = { task_name: 'miner.light.update', params: { on: true } };
  expect(await run(light)).toMatchObject({ status: 'failed', failed_count: MINERS });
});

// An operator puts a miner under maintenance through the interface: the agent stops calling it broken, and calls it
// broken again when it is back in operation.
import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { toBitmask } from '../../src/model/flags/anomaly-types.ts';
import { type Site, startSite } from './site.ts';

const POOL = toBitmask(['pool']);
let site: Site;
let key: string;

beforeAll(async () => {
  site = await startSite({
    miners: 4,
    mix: 'antminer-stock',
    seed: 3,
    noise: 0,
    noiseStepS: 3_600,
  });
  ({ key } = await site.stack.service.admin.createKey({
    workspaceId: site.stack.workspaceId,
    name: 'operator',
    role: 'admin',
  }));
  await site.until(
    () => site.miners(),
    (miners) => miners.length === 4,
  );
});
afterAll(() => site.stop());

async function set(id: string, ops_status: string | null) {
  const { url, workspaceId, farmId } = site.stack;
  const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/miners/${id}`, {
    method: 'PATCH',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify({ ops_status }),
  });
  z.object({ success: z.literal(true) }).parse(await answer.body.json());
}

test('maintenance takes the flags away, and its end brings them back', async () => {
  const [device, other] = site.farm.devices;
  if (device === undefined || other === undefined) throw new Error('the farm is too small');
  for (const one of [device, other]) one.setFault('pool-dead', true);
  const shows = (ip: string, isFlagged: boolean) =>
    site.until(
      () => site.miner(ip),
      ({ anomaly_flags }) => ((anomaly_flags & POOL) !== 0) === isFlagged,
    );
  const { id } = await shows(device.ip, true);
  await set(id, 'maintenance');
  expect(await shows(device.ip, false)).toMatchObject({ ops_status: 'maintenance', lifecycle_status: 'maintenance' });
  await shows(other.ip, true);
  await set(id, null);
  expect(await shows(device.ip, true)).toMatchObject({ ops_status: null });
});

// A miner that says what cannot be true, from its answer to what integrators read: null in the list, no part of the
// farm's sums and history, and a flag that keeps the value.

import { request } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { toBitmask } from '../../src/model/flags/anomaly-types.ts';
import { type Site, startSite } from './site.ts';
import { until } from './until.ts';

const MINERS = 3;
/** As a wrong unit does. */
const TIMES = 1_000;

let site: Site;

beforeAll(async () => {
  site = await startSite({
    ...{ miners: MINERS, mix: 'antminer-stock', seed: 5, noise: 0, noiseStepS: 3_600 },
  });
  site.farm.devices[0]?.setFault('low-hashrate', true, TIMES);
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
  );
});
afterAll(() => site.stop());

const bucketsSchema = z.object({ data: z.array(z.object({ hashrate_avg: z.number().nullable() })) });

test('is null in the list, in no sum, and its flag keeps the value', async () => {
  const ip = site.farm.devices[0]?.ip ?? '';
  const miner = await site.until(
    () => site.miner(ip),
    ({ anomaly_flags }) => (anomaly_flags & toBitmask(['unknown'])) !== 0,
  );
  expect(miner).toMatchObject({ hashrate: null, hashrate_24h: null, efficiency: null });
  expect(miner.hashboards.map(({ hashrate }) => hashrate)).toEqual(miner.hashboards.map(() => null));
  const state = [...site.stack.agent.fleet.all()].find(({ target }) => target.ip === ip);
  expect(state?.reported?.extras.flags.find(({ type }) => type === 'unknown')).toMatchObject({
    value: state?.reading?.hashrateHs,
    message: expect.stringContaining('cannot be true: the value is not used'),
  });
  expect(state?.reading?.hashrateHs).toBeGreaterThan(5e15);

  const { url, workspaceId, farmId, service } = site.stack;
  const { key } = await service.admin.createKey({ workspaceId, name: 'history', role: 'admin' });
  const hour = 3_600_000;
  const from = Math.floor(Date.now() / hour) * hour;
  const { data } = await until(
    async () => {
      const answer = await request(`${url}/public-api/v2/workspaces/${workspaceId}/farms/${farmId}/metrics/query`, {
        method: 'POST',
        headers: { 'x-api-key': key, 'content-type': 'application/json' },
        body: JSON.stringify({
          from_time: new Date(from).toISOString(),
          to_time: new Date(from + hour).toISOString(),
          granularity: '10min',
        }),
      });
      return bucketsSchema.parse(await answer.body.json());
    },
    ({ data }) => data.some(({ hashrate_avg }) => hashrate_avg !== null),
  );
  const whole = (await site.miners()).reduce((sum, { hashrate }) => sum + (hashrate ?? 0), 0);
  expect(Math.max(...data.map(({ hashrate_avg }) => hashrate_avg ?? 0))).toBeLessThan(2 * whole);
});

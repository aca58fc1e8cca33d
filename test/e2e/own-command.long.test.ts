// What a command restarts while no agent runs is ours, too: the agent that comes later does not count it as a restart
// by others.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { rebootOnce } from '../../src/agent/standalone/reboot.ts';
import { type Site, startSite } from './site.ts';

const MINERS = 2;

let site: Site;

beforeAll(async () => {
  site = await startSite(
    {
      ...{ miners: MINERS, mix: 'antminer-stock,luxos', seed: 9 },
      ...{ noise: 0, noiseStepS: 1, bootS: 3, warmUpS: 3 },
    },
    { tasks: { reboot: { checkEveryS: 0.3 } } },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS && miners.every(({ status }) => status === 'online'),
  );
});
afterAll(() => site.stop());

test('a reboot by a command while no agent runs is no restart by others', async () => {
  await site.restart(async () => {
    const ips = site.farm.devices.map(({ ip }) => ip);
    const request = { config: site.config, ips, force: false, agree: async () => {} };
    const done = await rebootOnce(request, () => {}, new AbortController().signal);
    expect(done).toEqual({ total: MINERS, succeeded: MINERS });
  });
  const startedMs = Date.now();
  const read = await site.until(
    async () => [...site.stack.agent.fleet.all()],
    (all) => all.length === MINERS && all.every(({ judgement }) => (judgement?.atMs ?? 0) > startedMs + 3_000),
  );
  expect(read.map(({ judgement }) => judgement?.history.restartsT)).toEqual([[], []]);
});

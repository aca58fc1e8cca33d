// What we caused is ours: pools changed twice, a sleep and a wake, each through the agent, restart the mining of a
// device several times within the hour, and no flag says that it was not by us; also where the agent itself ended in
// between.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Site, startSite } from './site.ts';

const MINERS = 2;

let site: Site;

beforeAll(async () => {
  site = await startSite(
    {
      ...{ miners: MINERS, mix: 'antminer-stock,luxos', seed: 9 },
      ...{ noise: 0, noiseStepS: 3_600, bootS: 15, warmUpS: 15, speed: 15 },
    },
    {
      // Tasks are over between two polls, as they are on a farm.
      poll: { interval: '8s', slowEvery: 1, staticEvery: '20s', deadline: '3s' },
      tasks: { reboot: { checkEveryS: 0.3 }, powerMode: { dailyCap: 50 }, powerGate: { kw: 100_000, windowS: 1 } },
    },
  );
  await site.until(
    () => site.miners(),
    (miners) => miners.length === MINERS,
  );
});
afterAll(() => site.stop());

/** The task on each miner that can do it, and how it ended. */
async function onAll(name: string, params: Record<string, unknown>) {
  const { fleet, tasks } = site.stack.agent;
  const ends = await Promise.all(
    [...fleet.all()].map(({ key }) => tasks.runLocal({ name, minerKey: key, params }).outcome),
  );
  return ends.map(({ status, message }) => `${status} ${message ?? ''}`);
}

const restarts = () =>
  [...site.stack.agent.fleet.all()].map(({ target, judgement }) => [
    target.driver.id,
    judgement?.history.restartsT.length,
  ]);
const none = () => restarts().map(([id]) => [id, 0]);
const pool = (host: string) => ({ pools: [{ url: `stratum+tcp://${host}.example:3333`, user: 'farm.1' }] });

/** So many more polls of each miner. */
async function polls(count: number) {
  const times = () => [...site.stack.agent.fleet.all()].map(({ judgement }) => judgement?.atMs ?? 0);
  for (let poll = 0; poll < count; poll++) {
    const before = times();
    await site.until(
      async () => times(),
      (now) => now.every((at, index) => at > (before[index] ?? 0)),
    );
  }
}

test('what our tasks restart is never called a restart by others', async () => {
  const succeeded = expect.arrayContaining([expect.stringMatching(/^succeeded/)]);
  expect(await onAll('miner.pool.update', pool('first'))).toEqual(succeeded);
  await polls(1);
  expect(await onAll('miner.pool.update', pool('second'))).toEqual(succeeded);
  // What was sent last is seen by another run of the agent.
  await site.restart();
  await polls(1);
  expect(restarts()).toEqual(none());
  expect(await onAll('miner.power_mode.update', { mode: 'sleep' })).toEqual(succeeded);
  await polls(1);
  expect(await onAll('miner.power_mode.update', { mode: 'normal' })).toEqual(succeeded);
  await polls(1);
  expect(restarts()).toEqual(none());
  const flags = [...site.stack.agent.fleet.all()].flatMap(({ reported }) => reported?.extras.flags ?? []);
  expect(flags.filter(({ message }) => message.includes('not by us'))).toEqual([]);
});

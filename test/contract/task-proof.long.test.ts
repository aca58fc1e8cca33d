// The whole way of an order: gate, device client, driver, simulated device, and back by a fresh look. The proof must
// come from the device, not from its answer. Which proofs there are, and what becomes of lies, is in the tests of the
// task queue.
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Farm, startFarm } from '../../fixtures/farm/farm.ts';
import { parseConfig } from '../../src/agent/config/config.ts';
import type { DeviceClient, MinerTarget } from '../../src/agent/device/device-client.ts';
import { tasksMigrations } from '../../src/agent/tasks/queue/journal.ts';
import { createTaskQueue, type TaskQueue } from '../../src/agent/tasks/queue/task-queue.ts';
import { systemClock } from '../../src/base/clock.ts';
import { silentLog } from '../../src/base/log.ts';
import { openSqlite } from '../../src/base/storage/sqlite.ts';
import type { TaskName } from '../../src/model/task.ts';
import { freshClient } from '../support/fresh-client.ts';
import { loopback } from '../support/loopback.ts';
import { PORTS } from './simulated.ts';

let farm: Farm;
let client: DeviceClient;
let gate: TaskQueue;
const targets = new Map<string, MinerTarget>();
const db = openSqlite(':memory:', [tasksMigrations]);

beforeAll(async () => {
  farm = await startFarm({
    network: loopback(29).network,
    mix: { 'braiins-rest': 1, 'whatsminer-2': 1, 'avalon-a': 1, 'antminer-c': 1, mara: 1 },
    miners: 5,
    bootS: 1,
    portMap: PORTS,
  });
  const config = parseConfig(JSON.stringify({ portMap: PORTS }), { baseDir: '.', environment: {}, name: 'test' });
  client = freshClient({ config });
  const targetOf = (key: string) => {
    const target = targets.get(key);
    if (target === undefined) throw new Error(`no miner ${key}`);
    return target;
  };
  gate = createTaskQueue(db, {
    clock: systemClock,
    log: silentLog,
    settings: config.tasks,
    deps: {
      find(key) {
        const { ip, driver } = targetOf(key);
        return { ip, driverId: driver.id, abilities: driver.abilities };
      },
      mayReach: () => true,
      act: (key, ability, params, signal, image) => client.act(targetOf(key), ability, params, signal, image),
      async observe(key, signal, isFresh = false) {
        const target = targetOf(key);
        return (await (isFresh ? client.readFresh(target, signal) : client.read(target, signal, 'command'))).reading;
      },
      identifyTarget: () => 'itself',
      onPhase() {},
      report: () => Promise.resolve(),
    },
  });
  gate.start();
  for (const device of farm.devices) {
    const found = await client.recognise(device.ip, new Set([80, 4028]), new AbortController().signal);
    if (found.status !== 'unknown') targets.set(device.driver, found.target);
  }
});
afterAll(async () => {
  await gate.stop();
  await client.close();
  await farm.stop();
  db.close();
});

const pools = [{ url: 'stratum+tcp://new.example:3333', user: 'farm.w1', password: 'x' }];

test.concurrent.each(['braiins-os', 'whatsminer', 'antminer-stock', 'mara'])(
  '%s shows what it was told',
  async (driver) => {
    const device = farm.devices.find((each) => each.driver === driver);
    const run = (name: TaskName, params: Readonly<Record<string, unknown>>) =>
      gate.runLocal({ name, minerKey: driver, params }).outcome;
    const proven = { status: 'succeeded', evidence: { proof: 'read back' } };
    expect(await run('miner.light.update', { on: true })).toMatchObject(proven);
    expect(device?.truth().light_on).toBe(true);
    expect(await run('miner.pool.update', { pools })).toMatchObject({
      ...proven,
      evidence: { seen: { pools: [{ url: 'stratum+tcp://new.example:3333', user: 'farm.w1' }] } },
    });
    expect(await run('miner.power_mode.update', { mode: 'sleep' })).toMatchObject(proven);
    expect(device?.truth().mining_mode).toBe('sleep');
  },
  30_000,
);

test.concurrent('an order that needs the login of the factory where reading needs none: pools of an Avalon, which reboots for them', async () => {
  const device = farm.devices.find(({ driver }) => driver === 'avalon');
  const { outcome } = gate.runLocal({ name: 'miner.pool.update', minerKey: 'avalon', params: { pools } });
  expect(await outcome).toMatchObject({ status: 'succeeded', evidence: { proof: 'read back' } });
  expect(device?.reboots).toBe(1);
  expect(new Set(device?.truth().pools.map(({ url }) => url))).toEqual(new Set(['stratum+tcp://new.example:3333']));
});

// A task is for the unit that it began with. Where its miner stands at another address meanwhile, it goes on only if
// facts show that it is the same unit.
import { afterEach, beforeEach, expect, test } from 'vitest';
import { compareUnits, type Likeness } from '../../../../src/agent/fleet/identity/claims.ts';
import { factsOf, type Shown, type UnitFacts } from '../../../../src/agent/fleet/identity/record.ts';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { createBench, keyOf } from './test-queue.ts';

const KEY = keyOf(1);
const MAC = 'AA:00:00:00:00:01';
const [HOME, ELSEWHERE] = ['10.0.0.1', '10.0.0.99'];
const UNIT: UnitFacts = {
  ...{ ip: HOME, mac: MAC, macSource: 'device', netMac: MAC, serialNumber: 'S1', boardSerials: 'B1\nB2' },
};
let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;

beforeEach(() => {
  bench = createBench();
  bench.farm.deps.unitOf = (key) => (key === KEY ? { ...UNIT, ip: bench.farm.miners.get(key)?.ip ?? null } : undefined);
  gate = bench.make();
  gate.start();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  expect(bench.errors).toEqual([]);
  bench.remove();
});

/** What the network and the device show at the other address. */
const stands = (shown: Shown) => {
  bench.farm.deps.compare = (unit, ip) => compareUnits(unit, ip, factsOf(shown));
};
const BY_NETWORK = { neighbour: { mac: MAC, isShared: false } };
const BOARDS = { boardSerials: ['B1', 'B2'] };

async function rebootAndMove(name = 'miner.system.reboot', params = {}) {
  const miner = bench.farm.add(KEY);
  gate.acceptAll([bench.order(KEY, { name, params })]);
  await bench.clock.advance(5_000);
  expect(bench.farm.orders).toHaveLength(1);
  miner.ip = ELSEWHERE;
  await bench.clock.advance(3_600_000);
  return bench.farm.finals();
}

test.each([
  ['the MAC that it tells', { mac: MAC }],
  ['the MAC and the serial that it tells', { mac: MAC, serialNumber: 'S1' }],
  ['its serial', { serialNumber: 'S1' }],
  ['nothing', {}],
  [
    'everything, and the network another MAC',
    { mac: MAC, serialNumber: 'S1', ...BOARDS, neighbour: { mac: 'AA:00:00:00:00:02', isShared: false } },
  ],
  ['the MAC of the network alone', BY_NETWORK],
] as const)('a reboot is not proven by a unit at another address that shows %s', async (_, shown) => {
  stands(shown);
  expect(await rebootAndMove()).toMatchObject([
    {
      status: 'failed',
      message: expect.stringMatching(/10\.0\.0\.1, .*10\.0\.0\.99/),
      evidence: { code: 'target_changed', from: HOME, to: ELSEWHERE },
    },
  ]);
});

test.each([
  ['the MAC of the network and its serial', { ...BY_NETWORK, serialNumber: 'S1' }],
  ['its serial and its hashboards', { serialNumber: 'S1', ...BOARDS }],
  ['the MAC of the network and its hashboards', { ...BY_NETWORK, ...BOARDS }],
] as const)('it goes on where %s agree', async (_, shown) => {
  stands(shown);
  expect(await rebootAndMove()).toMatchObject([{ status: 'succeeded' }]);
});

test('so does every task that is read back', async () => {
  stands({ mac: MAC });
  bench.farm.deps.image = () => Promise.resolve({ name: 'image', sha256: '', bytes: new Blob(['image']) });
  const finals = await rebootAndMove('miner.firmware.update', { version: '2' });
  expect(finals).toMatchObject([{ status: 'failed', evidence: { code: 'target_changed' } }]);
});

test('a unit that is still another one at the same address proves nothing', async () => {
  bench.farm.deps.compare = (): Likeness => 'other';
  bench.farm.add(KEY);
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(3_600_000);
  expect(bench.farm.finals()).toMatchObject([{ status: 'timeout' }]);
});

test('what told the miner from others lasts over a restart of the agent', async () => {
  stands({ mac: MAC, serialNumber: 'S1' });
  const miner = bench.farm.add(KEY);
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(5_000);
  await bench.clock.finish(gate.stop());
  miner.ip = ELSEWHERE;
  gate = bench.make();
  gate.start();
  await bench.clock.advance(3_600_000);
  expect(bench.farm.finals().at(-1)).toMatchObject({
    status: 'failed',
    evidence: { code: 'target_changed', from: HOME, to: ELSEWHERE },
  });
});

test('nothing is sent to an address that the miner went to after it was looked at', async () => {
  const miner = bench.farm.add(KEY);
  const { observe } = bench.farm.deps;
  bench.farm.deps.observe = async (...look) => {
    const reading = await observe(...look);
    miner.ip = ELSEWHERE;
    return reading;
  };
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toEqual([]);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', evidence: { code: 'target_changed', to: ELSEWHERE } },
  ]);
});

test.each([
  ['miner.system.reboot', {}],
  ['miner.light.update', { on: true }],
  ['miner.power_mode.update', { mode: 'sleep' }],
] as const)('%s is refused while it is not sure which unit the miner is', async (name, params) => {
  bench.farm.add(KEY);
  bench.farm.deps.doubtOf = () => '10.0.0.1 and 10.0.0.9 show the same MAC';
  gate.acceptAll([bench.order(KEY, { name, params: { ...params } })]);
  await bench.clock.advance(60_000);
  expect(bench.farm.orders).toEqual([]);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', message: 'refused: 10.0.0.1 and 10.0.0.9 show the same MAC' },
  ]);
});

// An order is for a miner, not for an address: where another unit answers, nothing is sent, and what that unit says
// proves nothing.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TargetIdentity } from '../../../../src/agent/tasks/contract.ts';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { RefusedError } from '../../../../src/base/errors.ts';
import { createBench, keyOf } from './test-queue.ts';

const KEY = keyOf(1);
let bench: ReturnType<typeof createBench>;
let gate: TaskQueue;

beforeEach(() => {
  bench = createBench();
  gate = bench.make();
  gate.start();
});
afterEach(async () => {
  await bench.clock.finish(gate.stop());
  expect(bench.errors).toEqual([]);
  bench.remove();
});

const other = () => Promise.reject(new RefusedError('refused.other-unit', 'another unit stands at this address now'));

test.each([
  ['miner.system.reboot', {}],
  ['miner.light.update', { on: true }],
  ['miner.power_mode.update', { mode: 'sleep' }],
] as const)('%s is refused before anything is sent or journaled as begun', async (name, params) => {
  bench.farm.add(KEY);
  const looks: (boolean | undefined)[] = [];
  bench.farm.deps.observe = (_key, _signal, isFresh) => {
    looks.push(isFresh);
    return other();
  };
  gate.acceptAll([bench.order(KEY, { name, params: { ...params } })]);
  await bench.clock.advance(60_000);
  expect(bench.farm.finals()).toMatchObject([
    { status: 'failed', message: 'refused: another unit stands at this address now' },
  ]);
  expect(bench.farm.orders).toEqual([]);
  expect(bench.farm.phases.filter((phase) => phase.endsWith('rebooting'))).toEqual([]);
  // What it said earlier may be what the miner said that stood there.
  expect(looks).toEqual([true]);
});

test('a miner whose place another one takes while it restarts has not come back', async () => {
  bench.farm.add(KEY);
  const { observe } = bench.farm.deps;
  bench.farm.deps.observe = (...look) => (bench.farm.orders.length > 0 ? other() : observe(...look));
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(3_600_000);
  expect(bench.farm.finals()).toMatchObject([{ status: 'timeout' }]);
  expect(bench.farm.orders).toHaveLength(1);
  expect(bench.warnings).toEqual([]);
});

test('so is one whose place another takes while the order waits for the power budget', async () => {
  await bench.clock.finish(gate.stop());
  gate = bench.make({ powerGate: { kw: 4.5, windowS: 60 } });
  gate.start();
  for (const key of [KEY, keyOf(2)]) {
    bench.farm.add(key);
    gate.acceptAll([bench.order(key)]);
  }
  await bench.clock.advance(10_000);
  expect(bench.farm.orders).toHaveLength(1);
  const waiting = bench.farm.orders[0]?.key === KEY ? keyOf(2) : KEY;
  const { observe } = bench.farm.deps;
  bench.farm.deps.observe = (...look) => (look[0] === waiting ? other() : observe(...look));
  await bench.clock.advance(1_500_000);
  expect(bench.farm.orders).toHaveLength(1);
  expect(bench.farm.finals().map(({ message }) => message)).toContain(
    'refused: another unit stands at this address now',
  );
});

const silent = () => new Promise<never>(() => {});
const nameless = () => Promise.resolve({ hashrateHs: 1 });
const ORDERS = {
  'miner.system.reboot': {},
  'miner.light.update': { on: true },
  'miner.power_mode.update': { mode: 'sleep' },
  'miner.firmware.update': {},
} as const;
type Name = keyof typeof ORDERS;

/** What reached a miner whose look gave this, and the words of the refusal if there was one. */
async function ordered(name: Name, observe: typeof nameless | typeof silent, standing: TargetIdentity) {
  bench.farm.add(KEY);
  bench.farm.deps.observe = observe;
  bench.farm.deps.identifyTarget = () => standing;
  const image = { name: 'image', sha256: '', bytes: new Blob(['image']) };
  bench.farm.deps.image = () => Promise.resolve(image);
  gate.acceptAll([bench.order(KEY, { name, params: { ...ORDERS[name] } })]);
  await bench.clock.advance(60_000);
  return {
    sent: bench.farm.orders.length,
    refusal: bench.farm.finals().find(({ status }) => status === 'failed')?.message,
  };
}

test.each([
  ['miner.system.reboot', silent],
  ['miner.light.update', silent],
  ['miner.system.reboot', nameless],
  ['miner.light.update', nameless],
] as const)('%s goes to an address where nothing shows who stands there', async (name, observe) => {
  expect(await ordered(name, observe, 'unknown')).toEqual({ sent: 1, refusal: undefined });
});

test.each([
  ['miner.power_mode.update', silent],
  ['miner.firmware.update', silent],
  ['miner.power_mode.update', nameless],
  ['miner.firmware.update', nameless],
] as const)('%s, which would stay with the wrong unit, does not', async (name, observe) => {
  const { sent, refusal } = await ordered(name, observe, 'unknown');
  expect(sent).toBe(0);
  expect(refusal).toMatch(/^refused: nothing shows who stands at this address, .* ask for it again when it answers$/);
});

test.each(['miner.power_mode.update', 'miner.firmware.update'] as const)(
  '%s goes to a silent miner that something else shows to be the one',
  async (name) => {
    expect(await ordered(name, silent, 'itself')).toMatchObject({ sent: 1 });
  },
);

test.each(['miner.system.reboot', 'miner.light.update'] as const)(
  '%s does not go where something else shows another unit, however silent',
  async (name) => {
    const refusal = 'refused: another unit stands at this address now';
    expect(await ordered(name, silent, 'another')).toEqual({ sent: 0, refusal });
  },
);

// Pools with templates and kept parts: filled in with what the miner shows just before they are sent, and from then on
// the resolved ones count: for the journal, the proof and the lock.
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { PeerError } from '../../../../src/base/errors.ts';
import type { Ability } from '../../../../src/driver/contract.ts';
import { poolParams, showsPools } from '../../../../src/driver/kit/act/pool-params.ts';
import type { PoolFacts } from '../../../../src/model/pools/resolve-pools.ts';
import type { Reading } from '../../../../src/model/reading.ts';
import { createBench, keyOf } from './test-queue.ts';

const KEY = keyOf(1);
const KEEP = { keep: true };
const NEW = 'stratum+tcp://new.example:3333';
const OLD = { url: 'stratum+tcp://old.example:3333', user: 'old.r1' };
const FACTS: PoolFacts = { ip: '10.0.3.17', mac: 'AA:BB:CC:00:00:15', shown: [], set: undefined };

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
let shown: Reading['pools'];
let sent: unknown[];
let ended: unknown[];
let looks: number;
let facts: PoolFacts | undefined;
/** Undefined = it answers. */
let silence: PeerError | undefined;
let hangs: boolean;

const pools: Ability = {
  effect: 'once',
  offlineS: [0, 0],
  params: poolParams,
  act: () => Promise.reject(new Error('the task queue goes through deps.act')),
  shows: showsPools,
};

beforeEach(() => {
  bench = createBench();
  bench.farm.add(KEY);
  [shown, sent, ended, looks, facts, silence, hangs] = [[{ ...OLD, index: 0 }], [], [], 0, FACTS, undefined, false];
  Object.assign(bench.farm.deps, {
    find: () => ({ ip: FACTS.ip, driverId: 'sim', abilities: { pools } }),
    poolFacts: () => facts,
    async observe() {
      looks++;
      if (silence !== undefined) throw silence;
      return { pools: shown };
    },
    async act(_key: string, _ability: string, params: unknown) {
      sent.push(params);
      if (hangs) return new Promise(() => {});
      shown = poolParams.parse(params).pools.map(({ url, user }, index) => ({ url, user, index }));
      return { kind: 'accepted' };
    },
    onEnd: ({ params }: { params: unknown }, { status }: { status: string }) => ended.push({ params, status }),
  } satisfies Partial<typeof bench.farm.deps>);
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  expect(bench.errors).toEqual([]);
  bench.remove();
});

async function run(wanted: unknown, more: object = {}) {
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY, { name: 'miner.pool.update', params: { pools: wanted, ...more } })]);
  await bench.clock.advance(200_000);
  return bench.farm.finals()[0];
}

test('a template is filled in with what agent and service know, and the resolved pools are proven and kept', async () => {
  const wanted = [{ url: NEW, user: 'account.{rack}-{position}-{ip4}' }];
  const record = await run(wanted, { pool_set: 'main', location: { rack: 'C03', position: 4 } });
  expect(record).toMatchObject({ status: 'succeeded', evidence: { proof: 'read back' } });
  const resolved = { url: NEW, user: 'account.C03-4-17' };
  expect(sent).toEqual([{ pool_set: 'main', pools: [{ ...resolved, password: 'x' }] }]);
  expect(ended).toEqual([{ status: 'succeeded', params: { pool_set: 'main', pools: [resolved] } }]);
});

test('parts are kept from what the miner shows at that moment, not from what was known of it', async () => {
  facts = { ...FACTS, shown: [{ url: OLD.url, user: 'old.before' }] };
  const record = await run([
    { url: NEW, user: KEEP },
    { url: NEW, user: 'account.{worker}', password: 'p' },
  ]);
  expect(record?.status).toBe('succeeded');
  expect(sent).toEqual([
    {
      pools: [
        { url: NEW, user: 'old.r1', password: 'x' },
        { url: NEW, user: 'account.r1', password: 'p' },
      ],
    },
  ]);
});

test('a password that was set from here is kept', async () => {
  facts = { ...FACTS, set: [{ ...OLD, password: 'secret' }] };
  expect((await run([{ url: KEEP, user: KEEP, password: KEEP }]))?.status).toBe('succeeded');
  expect(sent).toEqual([{ pools: [{ ...OLD, password: 'secret' }] }]);
});

test.each([
  [
    'a location that was not given',
    [{ url: NEW, user: 'a.{rack}' }],
    'refused: the miner has no rack; nothing was sent',
  ],
  ['a password that is not known', [{ url: NEW, user: KEEP, password: KEEP }], 'no known password of pool 1'],
  [
    'a pool that is not there',
    [
      { url: NEW, user: 'a' },
      { url: NEW, user: KEEP },
    ],
    'no pool 2',
  ],
  ['unknown braces', [{ url: NEW, user: 'a.{name}' }], 'unknown braces {name}'],
  ['a part that is neither', [{ url: NEW, user: { keep: false } }], 'do not fit miner.pool.update'],
])('nothing is sent for %s', async (_what, wanted, words) => {
  expect(await run(wanted)).toMatchObject({ status: 'failed', message: expect.stringContaining(words) });
  expect([sent, ended]).toEqual([[], []]);
});

test('nothing is sent to a miner whose pools count and that does not show them, after three looks', async () => {
  silence = new PeerError('peer.timeout', 'look', 'soon');
  const notKnown = {
    status: 'failed',
    message: expect.stringMatching(/^the pools of the miner are not known .+ sent$/),
  };
  expect(await run([{ url: NEW, user: KEEP }])).toMatchObject(notKnown);
  expect([sent, looks]).toEqual([[], 3]);
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  [silence, shown] = [undefined, undefined];
  expect(await run([{ url: NEW, user: KEEP }])).toMatchObject(notKnown);
  expect([sent, looks]).toEqual([[], 6]);
});

test('a miner that leaves its pools out once is looked at again', async () => {
  const [all] = [shown];
  shown = undefined;
  bench.clock.after(1_000, () => {
    shown = all;
  });
  expect((await run([{ url: NEW, user: KEEP }]))?.status).toBe('succeeded');
  expect(sent).toEqual([{ pools: [{ url: NEW, user: 'old.r1', password: 'x' }] }]);
});

test('a miner is looked at once more only where its pools count', async () => {
  await run([{ url: NEW, user: 'account.{ip}' }]);
  const without = looks;
  await bench.clock.finish(gate?.stop() ?? Promise.resolve());
  [looks, shown] = [0, [{ ...OLD, index: 0 }]];
  await run([{ url: NEW, user: 'account.{worker}' }]);
  expect(looks).toBe(without + 1);
});

test('after a crash the resolved pools are looked for, not those of the template', async () => {
  hangs = true;
  gate = bench.make();
  gate.start();
  const params = { pools: [{ url: NEW, user: 'a.{{{ip4}}}' }] };
  gate.acceptAll([bench.order(KEY, { name: 'miner.pool.update', params, expiresInS: 100_000 })]);
  await bench.clock.advance(1_000);
  expect(sent).toHaveLength(1);
  bench.crash();
  void gate.stop();
  await bench.clock.settle();
  bench.errors.length = 0;
  shown = [{ url: NEW, user: 'a.{17}', index: 0 }];
  gate = bench.make();
  gate.start();
  await bench.clock.advance(3_600_000);
  expect(bench.farm.finals()[0]).toMatchObject({ status: 'succeeded', evidence: { interrupted: true } });
  expect(sent).toHaveLength(1);
  expect(ended).toMatchObject([{ params: { pools: [{ user: 'a.{17}' }] } }]);
});

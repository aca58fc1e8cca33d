// Proof by reading back: what is shown counts, not what was answered.
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { z } from 'zod';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import { PeerError, RefusedError } from '../../../../src/base/errors.ts';
import { createObedient, type Obedience, type RuleOptions } from './sim-obedience.ts';
import { createBench, keyOf } from './test-queue.ts';

let bench: ReturnType<typeof createBench>;
let gate: TaskQueue | undefined;
const KEY = keyOf(1);

beforeEach(() => {
  bench = createBench();
});
afterEach(async () => {
  if (gate !== undefined) await bench.clock.finish(gate.stop());
  gate = undefined;
  expect(bench.errors).toEqual([]);
  bench.remove();
});

type Case = {
  name?: Parameters<typeof bench.order>[1];
  params?: object;
  ways?: Partial<Obedience>;
  rule?: RuleOptions;
  waitS?: number;
};

async function run(
  task: 'miner.light.update' | 'miner.firmware.update' | 'miner.log.get',
  { params = {}, ways, rule, waitS = 2_000 }: Case = {},
) {
  bench.farm.add(KEY);
  const obedient = createObedient(bench.clock, ways, rule);
  Object.assign(bench.farm.deps, obedient.deps, {
    image: async () => ({ name: 'image.bin', sha256: 'ab', bytes: new Blob(['x']) }),
    mayFetch: (url: string) => url.startsWith('https://files.example.com/'),
  });
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY, { name: task, params: { ...params } })]);
  await bench.clock.advance(waitS * 1_000);
  return { obedient, record: bench.farm.finals()[0], finals: bench.farm.finals() };
}

describe('an order whose effect can be read', () => {
  test('succeeds as soon as it shows, with what was seen', async () => {
    const { record, obedient } = await run('miner.light.update', { ways: { obeysAfterS: 4 }, waitS: 10 });
    expect(record).toMatchObject({
      status: 'succeeded',
      evidence: { proof: 'read back', seen: { lightOn: true }, looks: 2 },
    });
    expect(obedient.state.fresh).toBe(obedient.state.looks.length);
  });
  test('has failed when the miner answered success and shows the contrary to the end', async () => {
    const { record, obedient } = await run('miner.light.update', { ways: { obeysAfterS: undefined } });
    expect(record).toMatchObject({
      status: 'failed',
      message: 'the miner answered success but shows lightOn false',
      evidence: { seen: { lightOn: false } },
    });
    expect(obedient.state.orders).toBe(1);
    // The first one, before the order, is about who stands there.
    expect(obedient.state.looks).toEqual([-1, 2, 5, 10, 20, 30, 45, 60]);
  });
  test('is looked at as long as the family needs, and in the end once more', async () => {
    const rule = { shownWithinS: 120, offlineS: [0, 0] } as const;
    const { record } = await run('miner.light.update', { ways: { obeysAfterS: 119 }, rule });
    expect(record).toMatchObject({ status: 'succeeded' });
  });
  test('is believed on its word where no reading can tell, and says so', async () => {
    const { record } = await run('miner.light.update', { ways: { tells: false } });
    expect(record).toMatchObject({ status: 'succeeded', evidence: { proof: 'answer only' } });
  });
  test('is believed at once where there is nothing to read', async () => {
    const { record, obedient } = await run('miner.light.update', { rule: { canShow: false }, waitS: 3 });
    expect(record).toMatchObject({ status: 'succeeded', evidence: { proof: 'answer only' } });
    expect(obedient.state.looks).toEqual([-1]);
  });
  test('that lost its reply is settled by what shows', async () => {
    const done = await run('miner.light.update', { ways: { answer: 'lost-reply' } });
    expect(done.record).toMatchObject({ status: 'succeeded', evidence: { replyLost: true, proof: 'read back' } });
  });
  test('that lost its reply and was not done has failed', async () => {
    const { record } = await run('miner.light.update', { ways: { answer: 'lost-reply', obeysAfterS: undefined } });
    expect(record).toMatchObject({
      status: 'failed',
      message: 'the reply was lost and the miner shows lightOn false',
    });
  });
  test('that lost its reply and cannot be told has not succeeded', async () => {
    const { record } = await run('miner.light.update', { ways: { answer: 'lost-reply', tells: false } });
    expect(record?.status).toBe('failed');
    expect(record?.message).toContain('may have been done');
  });
  test('that takes the miner away is no fault meanwhile, and is shown when it is back', async () => {
    const { record } = await run('miner.light.update', {
      ways: { obeysAfterS: 1, awayS: 80 },
      rule: { offlineS: [20, 120] },
    });
    expect(record).toMatchObject({ status: 'succeeded', evidence: { wasAway: true } });
    expect(bench.farm.phases).toEqual(['01 rebooting', '01 idle']);
  });
  test('after which the miner never comes back is a timeout', async () => {
    const { record } = await run('miner.light.update', { ways: { awayS: undefined }, rule: { offlineS: [20, 120] } });
    expect(record).toMatchObject({ status: 'timeout', message: 'the miner did not come back within 2m30s' });
  });
});

describe('new firmware', () => {
  const params = { url: 'https://files.example/x', sha256: 'ab', version: '2.0' };
  const updated = { awayS: 200, downAfterS: 20, obeysAfterS: 220 };

  test('is handed over, and proven by the version after the restart', async () => {
    const { record, obedient } = await run('miner.firmware.update', { params, ways: updated });
    expect(obedient.state.images.map(({ name }) => name)).toEqual(['image.bin']);
    expect(record).toMatchObject({
      status: 'succeeded',
      evidence: { proof: 'read back', firmwareBefore: '1.0', seen: { firmware: '2.0' }, hasRestarted: true },
    });
    expect(bench.farm.phases).toEqual(['01 rebooting', '01 idle']);
  });
  test('without a version is proven by the restart', async () => {
    const { record } = await run('miner.firmware.update', {
      params: { sha256: 'ab' },
      ways: { ...updated, tells: false },
    });
    expect(record).toMatchObject({ status: 'succeeded', evidence: { proof: 'restarted' } });
  });
  test('that did not take has failed, although the miner restarted', async () => {
    const { record } = await run('miner.firmware.update', { params, ways: { ...updated, obeysAfterS: undefined } });
    expect(record).toMatchObject({
      status: 'failed',
      message: 'the miner answered success but shows firmware 1.0',
      evidence: { hasRestarted: true },
    });
  });
  test('that is the same as before is not proven by its version alone', async () => {
    const { record } = await run('miner.firmware.update', {
      params: { ...params, version: '1.0' },
      ways: { obeysAfterS: undefined },
    });
    expect(record?.status).toBe('failed');
  });
  test('that nothing came of has failed', async () => {
    const { record } = await run('miner.firmware.update', {
      params: { sha256: 'ab' },
      ways: { obeysAfterS: undefined },
    });
    expect(record).toMatchObject({ status: 'failed', message: 'the miner took the file, but did not restart' });
  });
  test('without an image is refused before anything is sent', async () => {
    const obedient = createObedient(bench.clock);
    Object.assign(bench.farm.deps, obedient.deps, {
      image: () => Promise.reject(new RefusedError('firmware.missing', 'no image: put it there')),
    });
    gate = bench.make();
    gate.start();
    gate.acceptAll([bench.order(KEY, { name: 'miner.firmware.update', params })]);
    await bench.clock.advance(10_000);
    expect(bench.farm.finals()[0]).toMatchObject({ status: 'failed', message: 'refused: no image: put it there' });
    expect(obedient.state.orders).toBe(0);
  });

  describe('that the miner fetches itself', () => {
    const anyParams = z.looseObject({});
    const url = 'https://files.example.com/fluxos.bin';

    test('is told the address where its host is allowed, and is given no file', async () => {
      const rule = { fetchesItself: 'from-url', params: anyParams } as const;
      const { record, obedient } = await run('miner.firmware.update', {
        params: { ...params, url },
        ways: updated,
        rule,
      });
      expect(record).toMatchObject({ status: 'succeeded' });
      expect(obedient.state.params).toEqual([expect.objectContaining({ url })]);
      expect(obedient.state.images).toEqual([]);
    });

    test('is not told an address of another host', async () => {
      const rule = { fetchesItself: 'from-url', params: anyParams } as const;
      const elsewhere = { ...params, url: 'https://elsewhere.example/fluxos.bin' };
      const { record, obedient } = await run('miner.firmware.update', { params: elsewhere, rule });
      expect(record).toMatchObject({ status: 'failed', message: expect.stringContaining('firmware.allowedHosts') });
      expect(obedient.state.orders).toBe(0);
    });

    test('from a source of its own needs neither address nor file', async () => {
      const rule = { fetchesItself: 'from-own-source', params: anyParams } as const;
      const { record, obedient } = await run('miner.firmware.update', {
        params: { ...params, url },
        ways: updated,
        rule,
      });
      expect(record).toMatchObject({ status: 'succeeded' });
      expect(obedient.state.params).toEqual([expect.not.objectContaining({ url: expect.anything() })]);
      expect(obedient.state.images).toEqual([]);
    });
  });
});

test('what a miner quotes of an order shows no password of a pool', async () => {
  bench.farm.add(KEY);
  const obedient = createObedient(bench.clock);
  const password = 'se"cret word';
  const answer = JSON.stringify({ error: 'bad pool', pass: password });
  Object.assign(bench.farm.deps, obedient.deps, {
    act: () => Promise.reject(new PeerError('peer.rejected', `set pools: the device says ${answer}`, 'never')),
  });
  gate = bench.make();
  gate.start();
  const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'worker', password }];
  gate.acceptAll([bench.order(KEY, { name: 'miner.pool.update', params: { pools } })]);
  await bench.clock.advance(10_000);
  const [record] = bench.farm.finals();
  expect(record?.message).toBe(
    'refused by the miner (set pools: the device says {"error":"bad pool","pass":"[secret]"})',
  );
});

test('a log comes back as evidence, and not in our own log', async () => {
  const { record } = await run('miner.log.get', { rule: { canShow: false } });
  expect(record).toMatchObject({ status: 'succeeded', evidence: { bytes: 5, text: 'line\n' } });
  expect(record?.evidence.sha256).toMatch(/^[0-9a-f]{64}$/);
});

test('a log that cannot be taken is a failure that says why, never something that may have been done', async () => {
  bench.farm.add(KEY);
  const obedient = createObedient(bench.clock, {}, { effect: 'read-only', canShow: false });
  let orders = 0;
  Object.assign(bench.farm.deps, obedient.deps, {
    act() {
      orders++;
      return Promise.reject(new PeerError('peer.too-large', 'GET /log: more than 1048576 bytes', 'later'));
    },
  });
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY, { name: 'miner.log.get' })]);
  await bench.clock.advance(30_000);
  expect(bench.farm.finals()[0]).toMatchObject({
    status: 'failed',
    message: 'the miner gave nothing usable (GET /log: more than 1048576 bytes)',
  });
  expect(orders).toBe(2);
});

describe('after a restart of the agent', () => {
  async function interrupted(
    ways: Partial<Obedience>,
    task: 'miner.pool.update' | 'miner.firmware.update' = 'miner.pool.update',
  ) {
    bench.farm.add(KEY);
    const obedient = createObedient(
      bench.clock,
      { downAfterS: 5, ...ways },
      task === 'miner.pool.update' ? { effect: 'once' } : {},
    );
    Object.assign(bench.farm.deps, obedient.deps, {
      image: async () => ({ name: 'image.bin', sha256: 'ab', bytes: new Blob(['x']) }),
    });
    const first = bench.make();
    first.start();
    const pools = [{ url: 'stratum+tcp://pool.example:3333', user: 'farm.1' }];
    const params = task === 'miner.pool.update' ? { pools } : { sha256: 'ab', version: '2.0' };
    first.acceptAll([bench.order(KEY, { name: task, params, expiresInS: 100_000 })]);
    await bench.clock.advance(1_000);
    bench.crash();
    void first.stop();
    await bench.clock.settle();
    bench.errors.length = 0;
    await bench.clock.advance(30_000);
    gate = bench.make();
    gate.start();
    await bench.clock.advance(3_600_000);
    return { obedient, finals: bench.farm.finals() };
  }
  test('what must not run twice is settled by looking: done', async () => {
    const { obedient, finals } = await interrupted({ obeysAfterS: 1 });
    expect(obedient.state.orders).toBe(1);
    expect(finals).toMatchObject([{ status: 'succeeded', evidence: { interrupted: true, proof: 'read back' } }]);
  });
  test('what must not run twice is settled by looking: not done', async () => {
    const { obedient, finals } = await interrupted({ obeysAfterS: undefined });
    expect(obedient.state.orders).toBe(1);
    expect(finals).toMatchObject([
      { status: 'failed', message: 'interrupted by a restart of the agent: the miner shows nothing of it' },
    ]);
  });
  test('what cannot be seen is not repeated and not taken for done', async () => {
    const { obedient, finals } = await interrupted({ tells: false });
    expect(obedient.state.orders).toBe(1);
    expect(finals).toMatchObject([{ status: 'failed', evidence: { interrupted: true } }]);
  });
  test('firmware that was under way is not sent again, and proven', async () => {
    const ways = { awayS: 200, downAfterS: 20, obeysAfterS: 220 };
    const { obedient, finals } = await interrupted(ways, 'miner.firmware.update');
    expect(obedient.state.orders).toBe(1);
    expect(finals).toMatchObject([{ status: 'succeeded', evidence: { interrupted: true, firmwareBefore: '1.0' } }]);
  });
});

import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TaskQueue } from '../../../../src/agent/tasks/queue/task-queue.ts';
import type { SimMiner } from './sim-farm.ts';
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

async function reboot(ways: Partial<SimMiner['ways']> = {}, waitS = 1_500) {
  const miner = bench.farm.add(KEY, ways);
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(waitS * 1_000);
  return { miner, record: bench.farm.finals()[0], finals: bench.farm.finals() };
}

test('a reboot succeeds when the uptime went back and the miner hashes again, with the figures', async () => {
  const { miner, record, finals } = await reboot();
  expect(finals.length).toBe(1);
  expect(record).toMatchObject({ status: 'succeeded', message: null });
  expect(record?.evidence).toMatchObject({
    uptimeBeforeS: 86_400,
    hashrateBeforeHs: 100e12,
    hashrateAfterHs: 100e12,
    proof: 'uptime',
  });
  expect(Number(record?.evidence.uptimeAfterS)).toBeLessThan(20);
  expect(Math.abs(Number(record?.evidence.awayS) - 90)).toBeLessThanOrEqual(10);
  expect(miner.reboots).toBe(1);
  expect(bench.farm.records.map(({ status }) => status)).toEqual(['running', 'succeeded']);
  expect(bench.farm.phases).toEqual(['01 rebooting', '01 idle']);
});

test('the system clock proves it as well', async () => {
  expect((await reboot({ clock: 'system' })).record).toMatchObject({
    status: 'succeeded',
    evidence: { proof: 'system uptime' },
  });
});

test('a miner that was not hashing before need not hash afterwards', async () => {
  const { record } = await reboot({ hashesBefore: false, hashesAfter: false });
  expect(record).toMatchObject({ status: 'succeeded', evidence: { hashrateBeforeHs: 0 } });
});

test('a miner that tells no uptime is believed when it was away and is back', async () => {
  expect((await reboot({ clock: 'none' })).record).toMatchObject({
    status: 'succeeded',
    evidence: { proof: 'away and back' },
  });
});

test('a miner that tells no uptime and never went away is not believed', async () => {
  const { record } = await reboot({ clock: 'none', reboot: 'ignored' });
  expect(record).toMatchObject({ status: 'failed' });
  expect(record?.message).toContain('nothing that it tells proves a restart');
});

test('a miner that accepts and goes on as before has failed', async () => {
  const { record } = await reboot({ reboot: 'ignored' }, 200);
  expect(record).toMatchObject({ status: 'failed', message: 'the miner accepted the reboot but did not restart' });
});

test.each(['lost-reply', 'drops-connection', 'hangs'] as const)(
  'a reply that is lost (%s) is settled by looking',
  async (way) => {
    const { miner, record } = await reboot({ reboot: way });
    expect(record).toMatchObject({ status: 'succeeded', evidence: { replyLost: true } });
    expect(miner.reboots).toBe(1);
  },
);

test('a miner that was back before its reply was given up is proven too', async () => {
  const { record } = await reboot({ reboot: 'hangs', awayS: 12 });
  expect(record).toMatchObject({ status: 'succeeded', evidence: { replyLost: true, proof: 'uptime' } });
  expect(Number(record?.evidence.backAfterS)).toBeGreaterThanOrEqual(60);
});

test('a lost reply of a miner that did nothing has failed', async () => {
  const { record } = await reboot({ reboot: 'lost-and-ignored' }, 200);
  expect(record).toMatchObject({
    status: 'failed',
    message: 'the reply to the reboot was lost and the miner did not restart',
  });
});

test('a miner that never comes back is a timeout', async () => {
  const { record } = await reboot({ reboot: 'dies' });
  expect(record).toMatchObject({ status: 'timeout', message: 'the miner did not come back within 10m' });
  expect(bench.farm.phases.at(-1)).toBe('01 idle');
});

test('a miner that is back but does not hash has failed, with its uptime', async () => {
  const { record } = await reboot({ hashesAfter: false });
  expect(record?.status).toBe('failed');
  expect(record?.message).toMatch(/^restarted \(uptime \d+m\d*s?\), but does not hash after 20m$/);
});

const poolWith = (accepted: number) => [{ index: 0, url: 'stratum+tcp://pool.example:3333', user: 'worker', accepted }];

test('a miner that tells its hashrate ten minutes after its start only has succeeded then', async () => {
  const { record } = await reboot({ afterRestart: (backForS) => (backForS < 600 ? {} : { hashrateHs: 190e6 }) });
  expect(record).toMatchObject({ status: 'succeeded', message: null, evidence: { hashrateAfterHs: 190e6 } });
  expect(Number(record?.evidence.hashingAfterS)).toBeGreaterThan(600);
});

test('a miner that tells no hashrate hashes when its accepted shares grow', async () => {
  const { record } = await reboot({ afterRestart: (backForS) => ({ pools: poolWith(backForS < 100 ? 4 : 5) }) });
  expect(record).toMatchObject({ status: 'succeeded', message: null, evidence: { hashrateAfterHs: null } });
  expect(Number(record?.evidence.hashingAfterS)).toBeLessThan(230);
});

test('a miner that tells no hashrate, but says that it mines, is believed at the end of the window, and not before', async () => {
  const { record } = await reboot({ afterRestart: () => ({ isMining: true, pools: poolWith(0) }) });
  expect(record?.status).toBe('succeeded');
  expect(record?.message).toMatch(/^restarted \(uptime .*\), says that it mines, but tells no hashrate after 20m$/);
  expect(record?.evidence).not.toHaveProperty('hashingAfterS');
});

test.each([
  ['tells nothing of its hashing', {}, 'tells no hashrate after 20m, and nothing else shows that it hashes'],
  ['says that it does not mine', { isMining: false }, 'does not hash after 20m'],
  ['tells a hashrate of 0, whatever else it says', { hashrateHs: 0, isMining: true }, 'does not hash after 20m'],
] as const)('a miner that %s has failed, in words that are true', async (_what, told, words) => {
  const { record } = await reboot({ afterRestart: () => told });
  expect(record?.status).toBe('failed');
  expect(record?.message).toMatch(new RegExp(`^restarted \\(uptime .*\\), but ${words}$`));
});

test.each([
  ['peer.permission', 'not allowed'],
  ['peer.auth', 'login not accepted'],
  ['peer.unsupported', 'unsupported by the miner'],
  ['peer.rejected', 'refused by the miner'],
] as const)('a clear no (%s) is the outcome at once', async (way, words) => {
  const { record } = await reboot({ reboot: way }, 5);
  expect(record?.status).toBe('failed');
  expect(record?.message).toContain(words);
});

test('a miner that is busy is asked again a few times', async () => {
  const { miner, record } = await reboot({ reboot: 'peer.busy' }, 30);
  expect(miner.reboots).toBe(3);
  expect(record).toMatchObject({ status: 'failed' });
});

test('a miner that does not answer at all has failed at once and holds no place', async () => {
  const miner = bench.farm.add(KEY);
  miner.awayUntilMs = Number.POSITIVE_INFINITY;
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(30_000);
  expect(bench.farm.finals()[0]?.message).toContain('does not answer');
});

test('a miner that was up for a moment only is still proven by its clock', async () => {
  const miner = bench.farm.add(KEY, { awayS: 60 });
  miner.bootedMs = bench.clock.elapsedMs() - 5_000;
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(1_500_000);
  expect(bench.farm.finals()[0]).toMatchObject({ status: 'succeeded', evidence: { proof: 'uptime' } });
});

test('a second reboot within ten minutes needs force, and six in a day are the end', async () => {
  bench.farm.add(KEY, { awayS: 20, hashAfterS: 10 });
  gate = bench.make();
  gate.start();
  for (let number = 0; number < 2; number++) {
    gate.acceptAll([bench.order(KEY)]);
    await bench.clock.advance(120_000);
  }
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['succeeded', 'failed']);
  expect(bench.farm.finals()[1]?.message).toContain('in the last 10m');
  for (let number = 0; number < 6; number++) {
    gate.acceptAll([bench.order(KEY, { params: { force: true, colour: 'blue' } })]);
    await bench.clock.advance(120_000);
  }
  expect(bench.farm.miners.get(KEY)?.reboots).toBe(6);
  expect(bench.farm.finals().at(-1)?.message).toContain('6 times in 24 hours');
  await bench.clock.advance(25 * 3_600_000);
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(120_000);
  expect(bench.farm.miners.get(KEY)?.reboots).toBe(7);
});

test('a reboot that was refused or did nothing does not count as one', async () => {
  const miner = bench.farm.add(KEY, { reboot: 'peer.permission' });
  gate = bench.make();
  gate.start();
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(10_000);
  Object.assign(miner.ways, { reboot: 'works' });
  gate.acceptAll([bench.order(KEY)]);
  await bench.clock.advance(600_000);
  expect(bench.farm.finals().map(({ status }) => status)).toEqual(['failed', 'succeeded']);
});

test('steps of the wall clock while a miner reboots change no outcome', async () => {
  for (const [index, stepMs] of [3_600_000, -3_600_000, 86_400_000, -86_400_000].entries()) {
    const key = keyOf(10 + index);
    bench.farm.add(key);
    gate ??= bench.make();
    gate.start();
    gate.acceptAll([bench.order(key, { expiresInS: 14_400 })]);
    await bench.clock.advance(20_000);
    bench.clock.stepWall(stepMs);
    await bench.clock.advance(1_500_000);
    expect(bench.farm.finals().at(-1)?.status).toBe('succeeded');
  }
});

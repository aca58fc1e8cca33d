// A person says which of two units is the miner: it holds over a restart, against that other unit at that address, and
// against no other one.
import { expect, test } from 'vitest';
import type { Shown } from '../../../../src/agent/fleet/identity/record.ts';
import { createSettlement } from '../../../../src/agent/fleet/settlement.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { type EventRecord, eventRecordSchema } from '../../../../src/wire/records.ts';
import { type Bench, createBench, MAC, POLL_MS } from './identity/fixture.ts';

const [HOME, ELSEWHERE, THIRD] = ['10.0.0.1', '10.0.0.9', '10.0.0.17'];
const VICTIM = { mac: MAC.a, serialNumber: 'S1' } as const satisfies Shown;
const OTHER_MAC = 'AA:00:00:00:00:04';
const net = (mac: string): Shown => ({ neighbour: { mac, isShared: false } });
const signal = new AbortController().signal;

function setUp(options: Parameters<typeof createBench>[0] = {}) {
  const bench = createBench(options);
  const events: EventRecord[] = [];
  const moved: string[] = [];
  const rebooting = new Set<string>();
  const settlement = () =>
    createSettlement({
      ...{ clock: bench.clock, log: silentLog, registry: bench.registry, emit: (record) => void events.push(record) },
      fleet: {
        settledByHand: (key, left) => void moved.push(`${key} ${left.join()}`),
        isExpectedBack: (key) => rebooting.has(key),
      },
      neighbours: { at: (ip) => bench.world.get(ip)?.neighbour },
      pollNow: () => {},
      isAnswering: async (ip) => bench.world.has(ip),
      meet: async (ips) => {
        for (const ip of ips) bench.see(ip, bench.world.get(ip) ?? {});
      },
      mayReach: () => true,
    });
  const settle = (wanted: readonly string[] | 'all', isDryRun = false) =>
    settlement().settle({ wanted, isDryRun, by: 'anna' }, signal);
  const at = (ip: string) => bench.registry.byIp(ip)?.key ?? '';
  return { bench, events, moved, rebooting, settle, at };
}

/** Once per poll interval: what stands at each address. */
function polls(bench: Bench, world: Readonly<Record<string, Shown>>, times = 3) {
  bench.world.clear();
  for (const [ip, shown] of Object.entries(world)) bench.world.set(ip, shown);
  for (let poll = 0; poll < times; poll++) {
    bench.clock.now += POLL_MS;
    for (const [ip, shown] of Object.entries(world)) bench.see(ip, shown);
  }
}

const contested = (bench: Bench, ...ips: string[]) => ips.map((ip) => bench.registry.isContested(ip));

test('the miner is free, and the other one gets nothing and is still named: also after a restart, however it goes on', async () => {
  const { bench, events, settle, at } = setUp({ newKey: () => crypto.randomUUID() });
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM });
  const [miner, impostor] = [at(HOME), at(ELSEWHERE)];
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([true, true]);
  expect(await settle([miner])).toEqual([
    { ip: HOME, outcome: 'settled', reason: null, key: miner, from: null, rejected: [ELSEWHERE] },
  ]);
  const expectSettled = () => {
    expect(contested(bench, HOME, ELSEWHERE)).toEqual([false, true]);
    expect([at(HOME), at(ELSEWHERE)]).toEqual([miner, impostor]);
    expect(bench.registry.states(miner)?.unstableReason).toBeNull();
    expect(bench.registry.states(impostor)?.unstableReason).toBe('all_invalid');
    expect(bench.registry.suspects()).toMatchObject([{ ip: ELSEWHERE, claims: { key: miner, isRejected: true } }]);
  };
  expectSettled();
  expect(eventRecordSchema.parse(events.at(-1))).toMatchObject({
    type: 'identity_settled',
    key: miner,
    detail: { ip: HOME, rejected: [{ ip: ELSEWHERE, key: impostor }], actor: { type: 'user', name: 'anna' } },
  });
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM }, 10);
  bench.restart();
  expectSettled();
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM }, 70);
  expectSettled();
  // It falls silent about them for hours, shows those of another miner, and then shows them again.
  polls(bench, { [HOME]: VICTIM, [THIRD]: { mac: MAC.c, serialNumber: 'S3' }, [ELSEWHERE]: {} }, 130);
  polls(bench, { [HOME]: VICTIM, [THIRD]: { mac: MAC.c, serialNumber: 'S3' }, [ELSEWHERE]: { mac: MAC.c } });
  expect(contested(bench, HOME, THIRD)).toEqual([false, true]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM });
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([false, true]);
  // The miner is away, for weeks: the other one does not become it.
  polls(bench, { [ELSEWHERE]: VICTIM }, 30);
  bench.clock.now += 10 * 24 * 3_600_000;
  polls(bench, { [ELSEWHERE]: VICTIM }, 5);
  expect([at(HOME), contested(bench, ELSEWHERE)]).toEqual([miner, [true]]);
});

test('another address contests anew, and so does another device at the rejected one', async () => {
  const { bench, settle, at } = setUp();
  const impostor = { ...VICTIM, ...net(MAC.c) };
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: impostor });
  const miner = at(HOME);
  await settle([miner]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: impostor });
  expect(contested(bench, HOME)).toEqual([false]);
  polls(bench, { [HOME]: VICTIM, [THIRD]: impostor });
  expect(contested(bench, HOME, THIRD)).toEqual([true, true]);
  await settle([miner]);
  expect(contested(bench, HOME, THIRD)).toEqual([false, true]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: { ...VICTIM, ...net(OTHER_MAC) } });
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([true, true]);
});

test('a miner that is known by its MAC alone and moved is it, with its history, by a word', async () => {
  const { bench, events, moved, settle, at } = setUp();
  const shown = { mac: MAC.a };
  polls(bench, { [HOME]: shown });
  const miner = at(HOME);
  polls(bench, { [ELSEWHERE]: shown }, 5);
  const unit = at(ELSEWHERE);
  expect([at(HOME), unit === miner]).toEqual([miner, false]);
  expect(await settle([unit], true)).toMatchObject([{ ip: ELSEWHERE, outcome: 'would_settle', from: HOME }]);
  expect(at(ELSEWHERE)).toBe(unit);
  expect(await settle([unit])).toMatchObject([{ outcome: 'settled', key: miner, from: HOME, rejected: [] }]);
  expect([at(HOME), at(ELSEWHERE), moved]).toEqual(['', miner, [`${miner} ${unit}`]]);
  expect(events.map(({ type, key }) => [type, key])).toEqual([
    ['moved', miner],
    ['identity_settled', miner],
  ]);
  expect(bench.registry.states(miner)).toMatchObject({ mac: 'ok' });
  bench.restart();
  polls(bench, { [ELSEWHERE]: shown });
  expect([at(ELSEWHERE), contested(bench, ELSEWHERE), bench.registry.disputes()]).toEqual([miner, [false], []]);
});

test('a unit that still stands where the miner was becomes one of its own, and inherits nothing', async () => {
  const { bench, settle, at } = setUp();
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM });
  const [miner, unit] = [at(HOME), at(ELSEWHERE)];
  expect(await settle([unit])).toMatchObject([{ outcome: 'settled', key: miner, from: HOME, rejected: [HOME] }]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM });
  expect(at(ELSEWHERE)).toBe(miner);
  expect(['', miner, unit]).not.toContain(at(HOME));
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([true, false]);
  expect(bench.registry.suspects()).toMatchObject([{ ip: HOME, claims: { key: miner, isRejected: true } }]);
  // It was a mistake: the word is taken back.
  await settle([at(HOME)]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM });
  expect(at(HOME)).toBe(miner);
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([false, true]);
});

test('a miner that was taken for its impostor keeps its own identity: it stands nowhere until it is seen', async () => {
  const { bench, settle, at } = setUp();
  const own = { mac: MAC.b, serialNumber: 'S2' };
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: own });
  const [miner, other] = [at(HOME), at(ELSEWHERE)];
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: { ...own, mac: MAC.a } });
  expect(at(ELSEWHERE)).toBe(other);
  await settle([other]);
  expect([at(ELSEWHERE), bench.registry.get(other)?.ip]).toEqual([miner, null]);
  polls(bench, { [THIRD]: own });
  expect(at(THIRD)).toBe(other);
});

test('units that show the same and claim nothing of each other each keep what they are: the one that was named is right', async () => {
  const { bench, settle, at } = setUp();
  const [own, swapped] = [
    { mac: MAC.b, serialNumber: 'S2' },
    { mac: MAC.a, serialNumber: 'S2' },
  ];
  polls(bench, { [HOME]: { ...VICTIM, ...net(MAC.a) }, [ELSEWHERE]: { ...own, ...net(MAC.b) } });
  const [miner, unit] = [at(HOME), at(ELSEWHERE)];
  // The control board of the one is put into the other. Then the one comes back with a copy of it.
  polls(bench, { [ELSEWHERE]: { ...swapped, ...net(MAC.a) } });
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: swapped });
  expect([at(HOME), at(ELSEWHERE), ...contested(bench, HOME, ELSEWHERE)]).toEqual([miner, unit, true, true]);
  expect(bench.registry.get(unit)?.claimsKey).toBeNull();
  expect(bench.registry.disputes()).toMatchObject([{ facts: ['mac'], state: 'open' }]);
  expect(await settle([unit])).toMatchObject([{ outcome: 'settled', key: unit, from: null, rejected: [HOME] }]);
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([true, false]);
  expect(bench.registry.suspects()).toMatchObject([{ ip: HOME, claims: { key: unit, isRejected: true } }]);
  expect(await settle([miner])).toMatchObject([{ outcome: 'settled', key: miner, rejected: [ELSEWHERE] }]);
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: swapped });
  expect([at(HOME), at(ELSEWHERE), ...contested(bench, HOME, ELSEWHERE)]).toEqual([miner, unit, false, true]);
});

test('what cannot be settled is left, and says why', async () => {
  const { bench, settle, at } = setUp();
  polls(bench, { [HOME]: VICTIM, [ELSEWHERE]: VICTIM, [THIRD]: { mac: MAC.c } });
  const both = await settle([at(HOME), at(ELSEWHERE), at(THIRD)]);
  expect(both).toMatchObject([
    { ip: HOME, outcome: 'left', reason: expect.stringContaining(ELSEWHERE) },
    { ip: ELSEWHERE, outcome: 'left', reason: expect.stringContaining(HOME) },
    { ip: THIRD, outcome: 'left', reason: expect.stringContaining('nothing to settle') },
  ]);
  expect(contested(bench, HOME, ELSEWHERE)).toEqual([true, true]);
});

test('--all takes those that moved away from a silent address and that no other unit claims, and leaves the others', async () => {
  const { bench, rebooting, settle, at } = setUp();
  const facts = (n: number): Shown => ({ mac: `AA:00:00:00:01:${String(n).padStart(2, '0')}` });
  const [old, next] = [(n: number) => `10.0.1.${n}`, (n: number) => `10.0.2.${n}`];
  const farm = Array.from({ length: 8 }, (_, n) => n + 1);
  polls(bench, Object.fromEntries(farm.map((n) => [old(n), facts(n)])));
  const keys = farm.map((n) => at(old(n)));
  // 5 is being rebooted, 6 has an impostor at a third address, 7 still stands where it was; 8 is a stranger with the
  // MAC of another in the network.
  const impostors = { '10.0.3.6': facts(6), [old(7)]: facts(7), [next(8)]: { ...facts(8), ...net(MAC.c) } };
  polls(bench, { ...Object.fromEntries(farm.slice(0, 7).map((n) => [next(n), facts(n)])), ...impostors }, 6);
  rebooting.add(keys[4] ?? '');
  const settled = await settle('all');
  const isSettled = (ip: string) => settled.find((one) => one.ip === ip)?.outcome === 'settled';
  expect(farm.filter((n) => isSettled(next(n)))).toEqual([1, 2, 3, 4]);
  expect(farm.filter((n) => at(next(n)) === keys[n - 1])).toEqual([1, 2, 3, 4]);
  const left = settled.filter(({ outcome }) => outcome === 'left');
  expect(left.map(({ ip }) => ip).toSorted()).toEqual(['10.0.2.5', '10.0.2.6', '10.0.2.7', '10.0.2.8', '10.0.3.6']);
  for (const { reason } of left) expect(reason).not.toBeNull();
});

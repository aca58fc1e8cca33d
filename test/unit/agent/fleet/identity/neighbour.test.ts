// A MAC from the neighbour table names a miner that is silent about its own, and never more than that.
import { expect, test } from 'vitest';
import { createBench, MAC } from './fixture.ts';

const seen = (mac: string, isShared = false) => ({ neighbour: { mac, isShared } });

test('a silent miner is known by what the table says, marked as coming from there', () => {
  const { registry, see } = createBench();
  const { key, records } = see('10.0.0.1', seen(MAC.a));
  expect(registry.get(key)).toMatchObject({ mac: MAC.a, macSource: 'neighbour', macState: 'ok' });
  expect(records[0]?.detail).toMatchObject({ ip: '10.0.0.1', macSource: 'neighbour' });
  expect(registry.states(key)?.unstableReason).toBe('sn_empty');
});

test('it is found again where it moved to, after a restart too', () => {
  const { restart, see, world } = createBench();
  const { key } = see('10.0.0.1', seen(MAC.a));
  restart();
  world.delete('10.0.0.1');
  expect(see('10.0.0.2', seen(MAC.a))).toMatchObject({ key, events: ['moved'] });
});

test('another MAC at its address is another unit', () => {
  const { see } = createBench();
  const { key } = see('10.0.0.1', seen(MAC.a));
  const next = see('10.0.0.1', seen(MAC.b));
  expect(next.events).toEqual(['replaced', 'appeared']);
  expect(next.key).not.toBe(key);
});

test('the word of the device goes before the table, then and later', () => {
  const { registry, see } = createBench();
  const { key } = see('10.0.0.1', { mac: MAC.b, ...seen(MAC.a) });
  expect(registry.get(key)).toMatchObject({ mac: MAC.b, macSource: 'device' });
  expect(see('10.0.0.1', seen(MAC.a))).toMatchObject({ key, events: [] });
  expect(registry.get(key)).toMatchObject({ mac: MAC.b, macSource: 'device' });
});

test('a miner behind a bridge that at last tells its own MAC is still the same miner', () => {
  const { registry, see } = createBench();
  const { key } = see('10.0.0.1', seen(MAC.a));
  expect(see('10.0.0.1', { mac: MAC.b, ...seen(MAC.a) })).toMatchObject({ key, events: [] });
  expect(registry.get(key)).toMatchObject({ mac: MAC.b, macSource: 'device' });
});

test('a MAC that stands for several addresses names none of them, and is taken back from who had it', () => {
  const { registry, see } = createBench();
  const first = see('10.0.0.1', seen(MAC.a));
  const second = see('10.0.0.2', seen(MAC.a, true));
  expect(second.events).toEqual(['appeared']);
  expect(see('10.0.0.1', seen(MAC.a, true))).toMatchObject({ key: first.key, events: [] });
  expect(first.key).not.toBe(second.key);
  for (const { key } of [first, second]) {
    expect(registry.get(key)).toMatchObject({ mac: null, macSource: null });
    expect(registry.states(key)?.unstableReason).toBe('ip_only');
  }
});

test('what the device itself said is not taken back for a bridge', () => {
  const { registry, see } = createBench();
  const { key } = see('10.0.0.1', { mac: MAC.a });
  see('10.0.0.1', seen(MAC.a, true));
  expect(registry.get(key)).toMatchObject({ mac: MAC.a, macSource: 'device' });
});

test('the table names a moved miner although its old address is not forgotten yet: a moment later', () => {
  const { see, world } = createBench();
  const { key } = see('10.0.0.1', seen(MAC.a));
  world.delete('10.0.0.1');
  const early = see('10.0.0.2', seen(MAC.a, true));
  expect(early.key).not.toBe(key);
  expect(see('10.0.0.2', seen(MAC.a))).toMatchObject({ key, events: ['moved'], left: [early.key] });
});

test('while the old address answers with the same MAC no miner has moved', () => {
  const { see } = createBench();
  const { key } = see('10.0.0.1', seen(MAC.a));
  const other = see('10.0.0.2', seen(MAC.a));
  expect(other.key).not.toBe(key);
  expect(other.events).toContain('duplicate');
  expect(see('10.0.0.1', seen(MAC.a, true)).key).toBe(key);
});

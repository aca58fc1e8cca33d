// Who a sighting is: one case per row of life on a farm.
import { describe, expect, test } from 'vitest';
import { eventRecordSchema } from '../../../../../src/wire/records.ts';
import { createBench, MAC } from './fixture.ts';

describe('identity matching', () => {
  test('a first sighting appears with a key of its own', () => {
    const bench = createBench();
    expect(bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' })).toMatchObject({
      key: 'key-1',
      events: ['appeared'],
    });
    expect(bench.see('10.0.0.2', { mac: MAC.b, serialNumber: 'S2' })).toMatchObject({
      key: 'key-2',
      events: ['appeared'],
    });
    expect(bench.registry.all()).toHaveLength(2);
  });

  test('the same miner seen again is silent, whatever the spelling of its MAC and serial', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    expect(
      bench.see('10.0.0.1', { mac: MAC.a.toLowerCase().replaceAll(':', '-'), serialNumber: ' s1 ' }),
    ).toMatchObject({
      key: 'key-1',
      events: [],
    });
  });

  test('an address-only miner that later shows a MAC keeps its key', () => {
    const bench = createBench();
    bench.see('10.0.0.1', {});
    expect(bench.see('10.0.0.1', { mac: MAC.a })).toMatchObject({ key: 'key-1', events: [] });
    expect(bench.registry.get('key-1')?.mac).toBe(MAC.a);
  });

  test('a miner that goes silent about its MAC keeps what is known', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    expect(bench.see('10.0.0.1', { mac: '' })).toMatchObject({ key: 'key-1', events: [] });
    expect(bench.registry.states('key-1')).toEqual({ mac: 'ok', serial: 'ok', unstableReason: null });
  });

  test.each([
    ['MAC and serial', { mac: MAC.a, serialNumber: 'S1' }],
    ['serial and hashboards', { serialNumber: 'S1', boardSerials: ['B1', 'B2'] }],
    ['a MAC that the network shows', { mac: MAC.a, neighbour: { mac: MAC.a, isShared: false } }],
  ])('a move keeps the key: %s', (_, shown) => {
    const bench = createBench();
    bench.see('10.0.0.1', shown);
    bench.world.delete('10.0.0.1');
    const moved = bench.settle('10.0.0.9', shown);
    expect(moved).toMatchObject({ key: 'key-1', events: ['moved'] });
    expect(moved.records[0]?.detail).toEqual({ from: '10.0.0.1', to: '10.0.0.9' });
    expect(bench.registry.byIp('10.0.0.1')).toBeUndefined();
    expect(bench.registry.byIp('10.0.0.9')?.key).toBe('key-1');
  });

  // One fact is what anybody can show while the miner is away: it was enough for a stranger to be taken for it.
  test.each([
    ['MAC alone', { mac: MAC.a }, 'mac_duplicate'],
    ['serial alone', { serialNumber: 'S1' }, 'sn_duplicate'],
  ])('one fact that the device tells moves nothing: %s', (_, shown, reason) => {
    const bench = createBench();
    bench.see('10.0.0.1', shown);
    bench.world.delete('10.0.0.1');
    expect(bench.settle('10.0.0.9', shown)).toMatchObject({ key: 'key-2', events: ['appeared', 'duplicate'] });
    for (const key of ['key-1', 'key-2'])
      expect([reason, 'all_invalid']).toContain(bench.registry.states(key)?.unstableReason);
    expect(bench.registry.byIp('10.0.0.1')?.key).toBe('key-1');
  });

  test('a move asks first whether the old address still answers', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a });
    const sighting = { ip: '10.0.0.9', mac: MAC.a, driverId: 'x', at: bench.clock.now };
    expect(bench.registry.observe(sighting)).toEqual({ kind: 'check-old', key: 'key-1', oldIp: '10.0.0.1' });
    expect(bench.registry.byIp('10.0.0.1')?.key).toBe('key-1');
  });

  test('the same MAC at two live addresses is two miners, told once, both flagged', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    expect(bench.see('10.0.0.2', { mac: MAC.a, serialNumber: 'S2' })).toMatchObject({
      key: 'key-2',
      events: ['appeared', 'duplicate'],
    });
    for (const key of ['key-1', 'key-2']) {
      expect(bench.registry.states(key)).toEqual({ mac: 'duplicate', serial: 'ok', unstableReason: 'mac_duplicate' });
    }
    const [other] = bench.registry.duplicatesOf('key-1', 'mac');
    expect(other).toMatchObject({ key: 'key-2', ip: '10.0.0.2' });
    expect(bench.registry.duplicatesOf('key-1', 'serial')).toEqual([]);
    expect(bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' })).toMatchObject({ key: 'key-1', events: [] });
    expect(bench.see('10.0.0.2', { mac: MAC.a, serialNumber: 'S2' })).toMatchObject({ key: 'key-2', events: [] });
  });

  test('a twin is doubted as long as the other one may come back, and that one while it sees the twin', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a });
    bench.see('10.0.0.2', { mac: MAC.a });
    bench.clock.now += 16 * 60_000;
    bench.see('10.0.0.2', { mac: MAC.a });
    // Not after a quarter of an hour as before: a stranger would only have to wait.
    expect(bench.registry.states('key-2')?.mac).toBe('duplicate');
    expect(bench.registry.states('key-1')?.mac).toBe('duplicate');
    bench.clock.now += 7 * 24 * 3_600_000;
    bench.see('10.0.0.2', { mac: MAC.a });
    expect(bench.registry.states('key-2')?.mac).toBe('ok');
  });

  test('an address-only miner that turns out to show a MAC of another keeps its key and is a duplicate', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a });
    bench.see('10.0.0.2', {});
    expect(bench.see('10.0.0.2', { mac: MAC.a })).toMatchObject({ key: 'key-2', events: ['duplicate'] });
  });

  test('another MAC and serial at the same address is a replaced unit', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    const seen = bench.see('10.0.0.1', { mac: MAC.b, serialNumber: 'S2' });
    expect(seen).toMatchObject({ key: 'key-2', events: ['replaced', 'appeared'] });
    expect(seen.records[0]).toMatchObject({ key: 'key-1', detail: { ip: '10.0.0.1', by: 'key-2' } });
    expect(seen.records[1]).toMatchObject({ key: 'key-2', detail: { ip: '10.0.0.1', replaces: 'key-1' } });
    expect(bench.registry.get('key-1')).toMatchObject({ ip: null, lastIp: '10.0.0.1', mac: MAC.a });
  });

  test.each([
    ['only MACs are known', { mac: MAC.a }, { mac: MAC.b }],
    ['only serials are known', { serialNumber: 'S1' }, { serialNumber: 'S2' }],
  ])('the one fact that is known differs: a replaced unit (%s)', (_, first, second) => {
    const bench = createBench();
    bench.see('10.0.0.1', first);
    expect(bench.see('10.0.0.1', second)).toMatchObject({ key: 'key-2', events: ['replaced', 'appeared'] });
  });

  test.each([
    ['control board: new MAC, same serial', { mac: MAC.b, serialNumber: 'S1' }],
    ['chassis: same MAC, new serial', { mac: MAC.a, serialNumber: 'S2' }],
    ['serial wiped: same MAC, filler serial', { mac: MAC.a, serialNumber: '0000' }],
    ['MAC wiped: zero MAC, same serial', { mac: '00:00:00:00:00:00', serialNumber: 'S1' }],
  ])('a swapped part keeps the key: %s', (_, after) => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    expect(bench.settle('10.0.0.1', after)).toMatchObject({ key: 'key-1', events: [] });
  });

  test('a part that is new at one look only is what another unit told before: nothing follows from it', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    // Another unit stands there, and its serial number is not asked anew with each poll.
    expect(bench.see('10.0.0.1', { mac: MAC.b, serialNumber: 'S1' }).kind).toBe('waiting');
    expect(bench.see('10.0.0.1', { mac: MAC.b, serialNumber: 'S2' })).toMatchObject({ key: 'key-2', left: ['key-1'] });
    expect(bench.registry.get('key-1')).toMatchObject({ mac: MAC.a, serialNumber: 'S1' });
    const boards = { mac: MAC.c, serialNumber: 'S3', boardSerials: ['B3'] };
    bench.see('10.0.0.3', boards);
    expect(bench.see('10.0.0.3', { ...boards, boardSerials: ['B4'] }).kind).toBe('waiting');
    expect(bench.settle('10.0.0.3', { ...boards, boardSerials: ['B4'] }).key).toBe('key-3');
  });

  // Its serial alone named it before: that is printed on the case, and the MAC says another miner.
  test('a swapped control board with a new address is a unit of its own', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    bench.world.delete('10.0.0.1');
    expect(bench.settle('10.0.0.9', { mac: MAC.b, serialNumber: 'S1' })).toMatchObject({
      key: 'key-2',
      events: ['appeared', 'duplicate'],
    });
  });

  test('a control board that goes to another miner does not take its key along', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    bench.see('10.0.0.2', { mac: MAC.b, serialNumber: 'S2' });
    bench.world.delete('10.0.0.2');
    expect(bench.settle('10.0.0.1', { mac: MAC.b, serialNumber: 'S1' }).key).toBe('key-1');
    expect(bench.registry.byIp('10.0.0.2')?.key).toBe('key-2');
  });

  test('a serial that several miners share names none of them', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'FACTORY1' });
    bench.see('10.0.0.2', { mac: MAC.b, serialNumber: 'FACTORY1' });
    bench.world.clear();
    expect(bench.settle('10.0.0.3', { mac: MAC.c, serialNumber: 'FACTORY1' }).key).toBe('key-3');
    expect(bench.registry.states('key-3')?.unstableReason).toBe('sn_duplicate');
  });

  test('a unit that comes back from repair keeps its key, at its old or a new address', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    bench.see('10.0.0.1', { mac: MAC.b, serialNumber: 'S2' });
    expect(bench.settle('10.0.0.5', { mac: MAC.a, serialNumber: 'S1' })).toMatchObject({
      key: 'key-1',
      events: ['moved'],
    });

    const again = createBench();
    again.see('10.0.0.1', { mac: MAC.a });
    again.see('10.0.0.1', { mac: MAC.b });
    expect(again.see('10.0.0.1', { mac: MAC.a })).toMatchObject({ key: 'key-1', events: [] });
    expect(again.registry.get('key-2')?.ip).toBeNull();
  });

  test('two miners that exchange their addresses keep their keys', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    bench.see('10.0.0.2', { mac: MAC.b, serialNumber: 'S2' });
    bench.world.set('10.0.0.1', { mac: MAC.b, serialNumber: 'S2' });
    expect(bench.settle('10.0.0.2', { mac: MAC.a, serialNumber: 'S1' })).toMatchObject({
      key: 'key-1',
      events: ['moved'],
    });
    expect(bench.settle('10.0.0.1', { mac: MAC.b, serialNumber: 'S2' })).toMatchObject({
      key: 'key-2',
      events: ['moved'],
    });
    expect(bench.registry.all()).toHaveLength(2);
  });

  test('a moved miner absorbs the address-only row that it left behind before it was known', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a });
    bench.see('10.0.0.2', {});
    bench.world.delete('10.0.0.1');
    const shown = { mac: MAC.a, neighbour: { mac: MAC.a, isShared: false } };
    expect(bench.see('10.0.0.2', shown)).toMatchObject({ key: 'key-1', events: ['moved'] });
    expect(bench.registry.all().map((entry) => entry.key)).toEqual(['key-1']);
  });

  test('a unit that loses its address to another is named, so that it is not polled there', () => {
    const bench = createBench();
    expect(bench.see('10.0.0.1', { mac: MAC.a }).left).toEqual([]);
    expect(bench.see('10.0.0.1', { mac: MAC.b }).left).toEqual(['key-1']);
    bench.see('10.0.0.2', {});
    bench.world.delete('10.0.0.1');
    const shown = { mac: MAC.b, neighbour: { mac: MAC.b, isShared: false } };
    expect(bench.see('10.0.0.2', shown).left).toEqual(['key-3']);
    expect(bench.see('10.0.0.2', { mac: MAC.b }).left).toEqual([]);
  });

  // The one that went silent was taken for the one that moved: facts that two units have shown name neither of them any
  // more.
  test('what two units have shown moves none of them', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: MAC.a, serialNumber: 'S1' });
    bench.see('10.0.0.2', { mac: MAC.a, serialNumber: 'S1' });
    bench.world.clear();
    expect(bench.settle('10.0.0.3', { mac: MAC.a, serialNumber: 'S1' }).key).toBe('key-3');
    expect(bench.registry.byIp('10.0.0.1')?.key).toBe('key-1');
  });

  test('a locally administered MAC identifies, a multicast one does not', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: 'CE:01:19:00:00:01' });
    expect(bench.registry.states('key-1')?.mac).toBe('ok');
    bench.see('10.0.0.2', { mac: 'CF:01:19:00:00:01' });
    expect(bench.registry.states('key-2')).toMatchObject({ mac: 'invalid', unstableReason: 'all_invalid' });
  });

  test('every event is a record that the wire takes', () => {
    const bench = createBench({ newKey: () => crypto.randomUUID() });
    const records = [
      ...bench.see('10.0.0.1', { mac: MAC.a }).records,
      ...bench.see('10.0.0.2', { mac: MAC.a }).records,
      ...bench.see('10.0.0.1', { mac: MAC.b }).records,
    ];
    expect(records.map((record) => record.type)).toEqual(['appeared', 'appeared', 'duplicate', 'replaced', 'appeared']);
    for (const record of records) expect(eventRecordSchema.safeParse(record).error).toBeUndefined();
  });
});

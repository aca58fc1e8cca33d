// A device that shows the facts of another miner is never taken for it, whenever it does so; and a farm that moves is,
// without a hand.
import { describe, expect, test } from 'vitest';
import type { Shown } from '../../../../../src/agent/fleet/identity/record.ts';
import { type Bench, createBench, MAC, POLL_MS } from './fixture.ts';

const [HOME, ELSEWHERE, THIRD] = ['10.0.0.1', '10.0.0.9', '10.0.0.17'];
const VICTIM = { mac: MAC.a, serialNumber: 'S1', boardSerials: ['B1', 'B2', 'B3'] } as const satisfies Shown;
const BY_NETWORK = { neighbour: { mac: MAC.a, isShared: false } } as const;
const FOREIGN = { neighbour: { mac: MAC.c, isShared: false } } as const;

const claims = [
  ['MAC', { mac: MAC.a }],
  ['serial', { serialNumber: 'S1' }],
  ['MAC and serial', { mac: MAC.a, serialNumber: 'S1' }],
] as const;
const networks = [
  ['an entry of its own', FOREIGN],
  ['no entry', {}],
] as const;
const matrix = claims.flatMap(([what, claim]) =>
  networks.map(([network, entry]) => [what, network, { ...claim, ...entry }] as const),
);

/** Once per poll interval: the miner, if it is up, and the stranger. */
function polls(bench: Bench, shown: Shown, isVictimUp: boolean, times: number) {
  const keys: string[] = [];
  for (let poll = 0; poll < times; poll++) {
    bench.clock.now += POLL_MS;
    if (isVictimUp) expect(bench.see(HOME, { ...VICTIM, ...BY_NETWORK }).key).toBe('key-1');
    else bench.world.delete(HOME);
    const { key, records } = bench.see(ELSEWHERE, shown);
    keys.push(key);
    for (const { type, detail } of records)
      if (type === 'duplicate')
        expect(detail).toMatchObject({ ip: ELSEWHERE, key, others: [{ key: 'key-1', ip: HOME }] });
  }
  return keys;
}

describe.each(matrix)('a stranger that shows %s, with %s in the network', (what, _network, shown) => {
  const flag = what === 'serial' ? 'serial' : 'mac';
  const expectApart = (bench: Bench) => {
    const { key = '' } = bench.registry.byIp(ELSEWHERE) ?? {};
    expect(bench.registry.byIp(HOME)?.key).toBe('key-1');
    expect(['', 'key-1']).not.toContain(key);
    expect([bench.registry.states('key-1')?.[flag], bench.registry.states(key)?.[flag]]).toEqual([
      'duplicate',
      'duplicate',
    ]);
    expect(bench.registry.rivals('key-1')).toEqual([{ key, ip: ELSEWHERE }]);
    expect(bench.registry.duplicatesOf('key-1', flag)).toMatchObject([{ key, ip: ELSEWHERE }]);
    expect(bench.registry.duplicatesOf(key, flag)).toMatchObject([{ key: 'key-1', ip: HOME }]);
    expect(bench.registry.rivals(key)).toEqual([{ key: 'key-1', ip: HOME }]);
    expect([bench.registry.isContested(HOME), bench.registry.isContested(ELSEWHERE)]).toEqual([true, true]);
    expect(bench.registry.suspects()).toMatchObject([{ ip: ELSEWHERE, reason: 'claims', claims: { key: 'key-1' } }]);
  };

  test('before the miner restarts', () => {
    const bench = createBench();
    polls(bench, shown, true, 3);
    expectApart(bench);
    polls(bench, shown, false, 20);
    expectApart(bench);
    bench.restart();
    polls(bench, shown, false, 5);
    polls(bench, shown, true, 3);
    expectApart(bench);
  });

  test('while a task restarts it, and after', () => {
    const bench = createBench();
    bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
    bench.isExpectedBack = true;
    expect(polls(bench, shown, false, 10)).not.toContain('key-1');
    bench.isExpectedBack = false;
    polls(bench, shown, true, 3);
    expectApart(bench);
    polls(bench, shown, false, 20);
    expectApart(bench);
  });

  test('while it is away for another reason', () => {
    const bench = createBench();
    bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
    expect(polls(bench, shown, false, 10)).not.toContain('key-1');
    polls(bench, shown, true, 3);
    expectApart(bench);
  });

  test('with another address each time, once it was found out', () => {
    const bench = createBench();
    polls(bench, shown, true, 3);
    bench.world.clear();
    bench.clock.now += POLL_MS;
    expect(bench.settle(THIRD, shown).key).not.toBe('key-1');
    expect(bench.registry.byIp(HOME)?.key).toBe('key-1');
  });
});

test('everything that the miner tells moves it only where no task restarts it, and never at the first look', () => {
  const bench = createBench();
  const { boardSerials: _, ...known } = VICTIM;
  bench.see(HOME, known);
  bench.world.delete(HOME);
  bench.isExpectedBack = true;
  for (let poll = 0; poll < 2; poll++) {
    expect(bench.see(ELSEWHERE, known).kind).toBe('waiting');
    bench.clock.now += POLL_MS;
  }
  bench.isExpectedBack = false;
  expect(bench.see(ELSEWHERE, known).kind).toBe('waiting');
  bench.clock.now += POLL_MS / 2;
  expect(bench.see(ELSEWHERE, known).kind).toBe('waiting');
  bench.clock.now += POLL_MS / 2;
  expect(bench.see(ELSEWHERE, known)).toMatchObject({ key: 'key-1', events: ['moved'] });
});

test('a miner that comes back with a new address from a restart is known by its serial and its hashboards', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.world.delete(HOME);
  bench.isExpectedBack = true;
  expect(bench.settle(ELSEWHERE, VICTIM)).toMatchObject({ key: 'key-1', events: ['moved'] });
});

// The rest of the farm was polled so slowly that the stranger had its two looks before the miner was back.
test('who shows everything of a miner that the network knows, while a task restarts it, is not it where the network says nothing', () => {
  const bench = createBench();
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  bench.world.delete(HOME);
  bench.isExpectedBack = true;
  expect(bench.settle(ELSEWHERE, VICTIM).key).toBe('key-2');
  expect(bench.registry.isContested(ELSEWHERE)).toBe(true);
});

test('one that comes back with a new address that the network vouches for is known at once', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.world.delete(HOME);
  bench.isExpectedBack = true;
  expect(bench.see(ELSEWHERE, { ...VICTIM, ...BY_NETWORK })).toMatchObject({ key: 'key-1', events: ['moved'] });
});

test('hashboards that are not shown are missing', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.world.delete(HOME);
  const { boardSerials: _, ...less } = VICTIM;
  expect(bench.settle(ELSEWHERE, less).key).toBe('key-2');
});

test('a unit that waited in vain is the miner after all once more agrees', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.world.delete(HOME);
  expect(bench.settle(ELSEWHERE, { mac: MAC.a }).key).toBe('key-2');
  bench.clock.now += POLL_MS;
  bench.see(ELSEWHERE, VICTIM);
  bench.clock.now += POLL_MS;
  expect(bench.see(ELSEWHERE, VICTIM)).toMatchObject({ key: 'key-1', events: ['moved'], left: ['key-2'] });
  expect(bench.registry.get('key-2')).toBeUndefined();
});

// One device took the miner's address, another one showed its MAC elsewhere: that was enough to be taken for it.
test.each([
  ['the MAC', { mac: MAC.a }],
  ['the serial number', { serialNumber: 'S1' }],
  ['both, which are on the network and on the case for all to read', { mac: MAC.a, serialNumber: 'S1' }],
])('where another unit answers at the old address, %s moves nothing that tells more', (_, shown) => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  expect(bench.settle(HOME, { mac: MAC.b, serialNumber: 'S2' }).left).toEqual(['key-1']);
  expect(bench.settle(ELSEWHERE, shown).key).toBe('key-3');
  for (let poll = 0; poll < 10; poll++) {
    bench.clock.now += POLL_MS;
    expect(bench.see(ELSEWHERE, shown).key).toBe('key-3');
  }
  expect([bench.registry.isContested(ELSEWHERE), bench.registry.get('key-1')?.ip]).toEqual([true, null]);
  expect(bench.settle(THIRD, VICTIM).key).not.toBe('key-1');
  expect(bench.registry.suspects().map(({ ip }) => ip)).toEqual([ELSEWHERE, THIRD]);
});

test('where another unit answers at the old address, hashboards move it with what is left of the rest', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.settle(HOME, { mac: MAC.b, serialNumber: 'S2' });
  expect(bench.settle(ELSEWHERE, { mac: MAC.a, boardSerials: VICTIM.boardSerials }).key).toBe('key-1');
});

// The first of two that agreed was taken for it with its second poll.
test('two strangers that show everything of a miner that is away: neither is it, and one that is alone in time is', () => {
  const bench = createBench();
  bench.see(HOME, VICTIM);
  bench.world.delete(HOME);
  const poll = (...ips: string[]) => {
    bench.clock.now += POLL_MS;
    return ips.map((ip) => bench.see(ip, VICTIM).key);
  };
  for (let n = 0; n < 10; n++) expect(poll(ELSEWHERE, THIRD)).not.toContain('key-1');
  expect([HOME, ELSEWHERE, THIRD].map((ip) => bench.registry.isContested(ip))).toEqual([true, true, true]);
  expect(bench.registry.suspects().map(({ ip }) => ip)).toEqual([ELSEWHERE, THIRD]);
  bench.world.delete(THIRD);
  for (let n = 0; n < 17; n++) poll(ELSEWHERE);
  expect(bench.registry.byIp(ELSEWHERE)?.key).toBe('key-1');
});

// It answered at two addresses, so that its MAC in the network identified no unit, and its own report was enough.
test('a stranger whose MAC several addresses show is none of the miners that the network knows', () => {
  const bench = createBench();
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  bench.world.delete(HOME);
  const shared: Shown = { neighbour: { mac: MAC.c, isShared: true } };
  expect(bench.settle(ELSEWHERE, { ...VICTIM, ...shared }).key).toBe('key-2');
  // Its own MAC is what two addresses show until the old one is forgotten.
  const moved: Shown = { neighbour: { mac: MAC.a, isShared: true } };
  const other = createBench();
  other.see(HOME, { ...VICTIM, ...BY_NETWORK });
  other.world.delete(HOME);
  expect(other.settle(ELSEWHERE, { ...VICTIM, ...moved }).key).toBe('key-1');
});

describe('parts that go from one chassis to another', () => {
  const own = { mac: MAC.b, serialNumber: 'S2', boardSerials: ['B4', 'B5', 'B6'] };

  test('hashboards that are exchanged leave both miners what they are', () => {
    const bench = createBench();
    bench.see(HOME, VICTIM);
    bench.see(ELSEWHERE, own);
    expect(bench.settle(HOME, { ...VICTIM, boardSerials: own.boardSerials }).key).toBe('key-1');
    expect(bench.settle(ELSEWHERE, { ...own, boardSerials: VICTIM.boardSerials }).key).toBe('key-2');
    expect(bench.registry.suspects()).toEqual([]);
  });

  // The network named it, and its new hashboards made a stranger of it, for good.
  test('a miner that comes back from repair with other hashboards and another address is known by the network', () => {
    const bench = createBench();
    bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
    bench.world.delete(HOME);
    const repaired = { ...VICTIM, boardSerials: ['B7', 'B8', 'B9'], ...BY_NETWORK };
    expect(bench.see(ELSEWHERE, repaired)).toMatchObject({ key: 'key-1', events: ['moved'] });
    expect(bench.registry.get('key-1')?.boardSerials).toBe('B7\nB8\nB9');
  });

  test('a control board with another MAC and serial number is another miner, whatever hashboards it has', () => {
    const bench = createBench();
    bench.see(HOME, VICTIM);
    expect(bench.see(HOME, { ...own, boardSerials: VICTIM.boardSerials })).toMatchObject({
      key: 'key-2',
      left: ['key-1'],
    });
    expect(bench.settle(ELSEWHERE, { ...VICTIM, boardSerials: ['B7'] }).key).toBe('key-3');
  });

  test.each([
    ['one that told its own', { mac: MAC.a, serialNumber: 'S1' }],
    ['one that told none either', { mac: MAC.a, serialNumber: 'N/A' }],
  ])('a replacement that tells no serial number is another miner than %s', (_, before) => {
    const bench = createBench();
    bench.see(HOME, before);
    expect(bench.see(HOME, { mac: MAC.b, serialNumber: 'N/A' })).toMatchObject({ key: 'key-2', left: ['key-1'] });
  });
});

// Each claim was dropped and made anew with every third poll, and told each time.
test('who shows the MAC of a miner that was given up is told once, and is doubted when that one is back', () => {
  const bench = createBench();
  const own = { mac: MAC.c, serialNumber: 'S3', ...FOREIGN };
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  bench.see(ELSEWHERE, own);
  bench.clock.now += 8 * 24 * 3_600_000;
  bench.world.delete(HOME);
  const records = Array.from({ length: 60 }, () => {
    bench.clock.now += POLL_MS;
    return bench.see(ELSEWHERE, { ...own, mac: MAC.a }).records;
  });
  expect(records.flat().map(({ type }) => type)).toEqual(['duplicate']);
  expect(bench.registry.rivals('key-2')).toEqual([]);
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  expect([bench.registry.isContested(HOME), bench.registry.isContested(ELSEWHERE)]).toEqual([true, true]);
});

test('a miner behind a bridge is known where it moved, another one that the network contradicts is not', () => {
  const bench = createBench();
  bench.see(HOME, { ...VICTIM, ...FOREIGN });
  bench.world.delete(HOME);
  expect(bench.settle(ELSEWHERE, { ...VICTIM, neighbour: { mac: MAC.b, isShared: false } }).key).toBe('key-1');
  const other = createBench();
  other.see(HOME, { ...VICTIM, ...BY_NETWORK });
  other.world.delete(HOME);
  expect(other.settle(ELSEWHERE, { ...VICTIM, ...FOREIGN }).key).toBe('key-2');
});

test('at its own address the network tells a stranger from the miner, and a table that is a moment old does no harm', () => {
  const bench = createBench();
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  expect(bench.see(HOME, { ...VICTIM, ...FOREIGN }).kind).toBe('waiting');
  expect(bench.see(HOME, { ...VICTIM, ...BY_NETWORK })).toMatchObject({ key: 'key-1', events: [] });
  expect(bench.settle(HOME, { ...VICTIM, ...FOREIGN })).toMatchObject({ key: 'key-2', left: ['key-1'] });
  expect(bench.registry.rivals('key-2')).toEqual([{ key: 'key-1', ip: HOME }]);
  expect(bench.settle(HOME, { ...VICTIM, ...BY_NETWORK })).toMatchObject({ key: 'key-1' });
});

test('a unit that the network knows stays what it is, whatever it says', () => {
  const bench = createBench();
  const own = { mac: MAC.c, serialNumber: 'S3', ...FOREIGN };
  bench.see(HOME, { ...VICTIM, ...BY_NETWORK });
  bench.see(ELSEWHERE, own);
  expect(bench.settle(ELSEWHERE, { ...VICTIM, ...FOREIGN }).key).toBe('key-2');
  expect(bench.registry.get('key-2')).toMatchObject({ mac: MAC.c, serialNumber: 'S3', claimsKey: 'key-1' });
  expect(bench.settle(ELSEWHERE, { mac: MAC.b, ...FOREIGN }).key).toBe('key-2');
  expect(bench.registry.suspects()).toMatchObject([{ ip: ELSEWHERE }]);
  bench.clock.now += 2 * 3_600_000;
  bench.see(ELSEWHERE, own);
  expect(bench.registry.suspects()).toEqual([]);
});

test('a miner that takes the serial of another one as its own is found out, and keeps what it was', () => {
  const bench = createBench();
  const own = { mac: MAC.c, serialNumber: 'S3' };
  bench.see(HOME, VICTIM);
  bench.see(ELSEWHERE, own);
  expect(bench.settle(ELSEWHERE, { ...own, serialNumber: 'S1' }).key).toBe('key-2');
  expect(bench.registry.get('key-2')).toMatchObject({ serialNumber: 'S3', claimsKey: 'key-1', claimState: 'refuted' });
  expect(bench.registry.states('key-1')?.serial).toBe('duplicate');
  expect(bench.registry.suspects()).toMatchObject([{ ip: ELSEWHERE, claims: { facts: ['serial'] } }]);
});

test('one that the network knows may have got the chassis of a miner that is gone', () => {
  const bench = createBench();
  const own = { mac: MAC.c, serialNumber: 'S3', ...FOREIGN };
  bench.see(HOME, VICTIM);
  bench.see(ELSEWHERE, own);
  bench.world.delete(HOME);
  bench.clock.now += 20 * 60_000;
  bench.settle(ELSEWHERE, { ...own, serialNumber: 'S1' });
  expect(bench.registry.rivals('key-2')).toEqual([]);
  bench.clock.now += POLL_MS;
  bench.settle(ELSEWHERE, { ...own, serialNumber: 'S1' });
  expect(bench.registry.get('key-2')).toMatchObject({ mac: MAC.c, serialNumber: 'S1', claimsKey: null });
});

test('a serial number that a maker wrote into all of its miners casts doubt on none of them', () => {
  const bench = createBench();
  const see = () => {
    for (let n = 1; n <= 20; n++) bench.see(`10.0.1.${n}`, { mac: `02:00:00:00:01:${n + 10}`, serialNumber: 'CLONE' });
  };
  see();
  bench.clock.now += POLL_MS;
  see();
  for (const { key } of bench.registry.all()) {
    expect(bench.registry.rivals(key)).toEqual([]);
    expect(bench.registry.states(key)?.unstableReason).toBe('sn_duplicate');
  }
  expect(bench.registry.all()).toHaveLength(20);
  expect(bench.registry.suspects()).toEqual([]);
});

describe('invented miners', () => {
  const macOf = (n: number) => `02:00:00:00:00:${(n + 16).toString(16)}`;

  test('an address may show three new ones in an hour, and is then taken for none', () => {
    const bench = createBench();
    const kinds = Array.from({ length: 50 }, (_, n) => bench.see(HOME, { mac: macOf(n) }).kind);
    expect(kinds.filter((kind) => kind === 'resolved')).toHaveLength(3);
    expect(bench.registry.all()).toHaveLength(3);
    expect(bench.registry.byIp(HOME)?.mac).toBe(macOf(2));
    expect(bench.registry.isContested(HOME)).toBe(true);
    expect(bench.registry.suspects()).toMatchObject([{ ip: HOME, reason: 'changes', claims: undefined }]);
    bench.clock.now += 3_600_000;
    expect(bench.see(HOME, { mac: MAC.b }).kind).toBe('resolved');
    expect(bench.registry.isContested(HOME)).toBe(false);
  });

  test('a miner that tells another MAC with each answer is found out by its serial, and keeps what it was', () => {
    const bench = createBench();
    bench.see(HOME, { mac: MAC.a, serialNumber: 'S1' });
    for (let n = 0; n < 20; n++) {
      bench.clock.now += POLL_MS;
      expect(bench.see(HOME, { mac: macOf(n), serialNumber: 'S1' }).kind).not.toBe('resolved');
    }
    expect(bench.registry.all()).toMatchObject([{ key: 'key-1', mac: MAC.a }]);
    expect(bench.registry.suspects()).toMatchObject([{ ip: HOME, reason: 'changes' }]);
  });

  test('make room for real ones, and no real one for them, wherever it is', () => {
    const bench = createBench({ maxMiners: () => 4 });
    bench.see('10.0.0.1', { mac: macOf(1) });
    bench.see('10.0.0.2', { mac: macOf(2) });
    bench.clock.now += 2 * 3_600_000;
    bench.see('10.0.0.1', { mac: macOf(1) });
    bench.see('10.0.0.2', { mac: macOf(2) });
    // The first goes to repair; three are invented in its place.
    for (const n of [10, 11, 12]) bench.see('10.0.0.1', { mac: macOf(n) });
    const kept = () => bench.registry.all().flatMap(({ mac }) => mac ?? []);
    expect(kept()).toContain(macOf(1));
    bench.clock.now += 3_600_000;
    for (const n of [13, 14, 15]) bench.see('10.0.0.1', { mac: macOf(n) });
    expect(kept()).toHaveLength(4);
    expect(kept()).toEqual(expect.arrayContaining([macOf(1), macOf(2)]));
    expect(() => {
      bench.see('10.0.0.3', { mac: macOf(20) });
      bench.see('10.0.0.4', { mac: macOf(21) });
    }).toThrow(expect.objectContaining({ code: 'identity.full' }));
  });

  test('are forgotten after a week without them, others are not', () => {
    const bench = createBench();
    bench.see('10.0.0.1', { mac: macOf(1) });
    bench.clock.now += 2 * 3_600_000;
    bench.see('10.0.0.1', { mac: macOf(1) });
    bench.see('10.0.0.2', { mac: macOf(2) });
    bench.clock.now += 6 * 24 * 3_600_000;
    expect(bench.registry.prune()).toEqual([]);
    bench.clock.now += 2 * 24 * 3_600_000;
    expect(bench.registry.prune()).toEqual(['key-2']);
    expect(bench.registry.all().map(({ key }) => key)).toEqual(['key-1']);
    bench.restart();
    expect(bench.registry.all().map(({ key }) => key)).toEqual(['key-1']);
  });
});

describe('500 miners at once', () => {
  const facts = (n: number): Shown => ({
    mac: `02:00:00:00:${(n >> 8).toString(16).padStart(2, '0')}:${(n & 255).toString(16).padStart(2, '0')}`,
    serialNumber: `S${n}`,
    boardSerials: [`B${n}-1`, `B${n}-2`],
  });
  const ip = (n: number, net = 0) => `10.${net}.${n >> 8}.${n & 255}`;
  const ALL = Array.from({ length: 500 }, (_, n) => n);

  function farm(where: (n: number) => string, more: (n: number) => Shown = () => ({})) {
    const bench = createBench();
    const shown = (n: number) => ({ ...facts(n), ...more(n) });
    const keys = ALL.map((n) => bench.see(ip(n), shown(n)).key);
    bench.world.clear();
    for (const n of ALL) bench.world.set(where(n), shown(n));
    const round = () => ALL.map((n) => bench.see(where(n), shown(n)).key);
    return { bench, keys, round };
  }

  test.each([
    ['to new addresses', (n: number) => ip(n, 1)],
    ['each to the address of the next', (n: number) => ip((n + 1) % 500)],
    ['in pairs', (n: number) => ip(n ^ 1)],
    ['half of them to addresses of others', (n: number) => ip(n + 250)],
  ])('%s: known again with the second poll', (_, where) => {
    const { bench, keys, round } = farm(where);
    round();
    bench.clock.now += POLL_MS;
    expect(round()).toEqual(keys);
    expect(bench.registry.all()).toHaveLength(500);
    expect(bench.registry.suspects()).toEqual([]);
  });

  test('with the network to vouch for them: with the first', () => {
    const net = (n: number): Shown => ({ neighbour: { mac: facts(n).mac ?? '', isShared: false } });
    const { keys, round } = farm((n) => ip((n + 1) % 500), net);
    expect(round()).toEqual(keys);
  });
});

test('a claim that has ended flags no unit any more, and is remembered for an hour', () => {
  const bench = createBench();
  const own = { mac: MAC.b, serialNumber: 'S2' };
  const { key } = bench.see(ELSEWHERE, own);
  const victim = bench.see(HOME, VICTIM).key;
  const statesNow = () => [bench.registry.states(victim)?.mac, bench.registry.states(key)?.mac];
  const poll = (shown: Shown, times: number) => {
    for (let n = 0; n < times; n++) {
      bench.clock.now += POLL_MS;
      bench.see(HOME, VICTIM);
      bench.see(ELSEWHERE, shown);
    }
  };
  poll({ ...own, mac: MAC.a }, 3);
  expect(statesNow()).toEqual(['duplicate', 'duplicate']);
  poll(own, 1);
  expect(statesNow()).toEqual(['ok', 'ok']);
  expect(bench.registry.isContested(ELSEWHERE)).toBe(true);
  poll(own, 60);
  expect([bench.registry.isContested(ELSEWHERE), bench.registry.isContested(HOME)]).toEqual([false, false]);
});

// A disputed unit gets no login. Most tell MAC and serial number behind one only, so the claim ended by our own doing,
// and an hour later both got theirs.
test('a unit that has fallen silent about what it claims claims it still', () => {
  const bench = createBench();
  const own = { mac: MAC.b, serialNumber: 'S2', boardSerials: ['B9'] };
  bench.see(HOME, VICTIM);
  const { key } = bench.see(ELSEWHERE, own);
  const poll = (shown: Shown, times: number) => {
    for (let n = 0; n < times; n++) {
      bench.clock.now += POLL_MS;
      bench.see(HOME, VICTIM);
      bench.see(ELSEWHERE, shown);
    }
  };
  poll({ ...own, mac: MAC.a, serialNumber: 'S1' }, 3);
  poll({ boardSerials: own.boardSerials }, 150);
  expect(bench.registry.byIp(ELSEWHERE)?.claimsKey).toBe('key-1');
  expect([bench.registry.isContested(HOME), bench.registry.isContested(ELSEWHERE)]).toEqual([true, true]);
  expect(bench.registry.states(bench.registry.byIp(ELSEWHERE)?.key ?? key)?.mac).toBe('duplicate');
});

// The hour was counted from the start of the claim: a device that alternated was free for one poll every hour, and so
// was the miner's login.
test('the hour after a claim begins when it has ended, however long it went on, and a restart begins it anew', () => {
  const bench = createBench();
  const own = { mac: MAC.b, serialNumber: 'S2' };
  bench.see(HOME, VICTIM);
  bench.see(ELSEWHERE, own);
  const poll = (shown: Shown, times: number) => {
    for (let n = 0; n < times; n++) {
      bench.clock.now += POLL_MS;
      bench.see(HOME, VICTIM);
      bench.see(ELSEWHERE, shown);
    }
  };
  poll({ ...own, mac: MAC.a }, 90);
  poll(own, 50);
  expect(bench.registry.isContested(HOME)).toBe(true);
  bench.restart();
  poll(own, 50);
  expect(bench.registry.isContested(HOME)).toBe(true);
  poll(own, 15);
  expect(bench.registry.isContested(HOME)).toBe(false);
});

// The copied facts stayed on its record as its own: shown again while the miner was away, they made no claim.
test('what a unit copied does not become its own when it shows something else for a while', () => {
  const bench = createBench();
  const { neighbour: _, ...bare } = { ...VICTIM, ...BY_NETWORK };
  bench.see(HOME, bare);
  const poll = (shown: Shown, times: number, isVictimUp = true) => {
    for (let n = 0; n < times; n++) {
      bench.clock.now += POLL_MS;
      if (isVictimUp) bench.see(HOME, bare);
      else bench.world.delete(HOME);
      bench.see(ELSEWHERE, shown);
    }
  };
  const own = { serialNumber: 'S9', boardSerials: ['B9'] };
  poll(own, 1);
  poll({ ...own, mac: MAC.a, boardSerials: VICTIM.boardSerials }, 3);
  poll(own, 70);
  expect(bench.registry.isContested(ELSEWHERE)).toBe(false);
  poll({ ...own, mac: MAC.a }, 20, false);
  expect(bench.registry.isContested(ELSEWHERE)).toBe(true);
  expect(bench.registry.byIp(HOME)?.key).toBe('key-1');
});

test('a miner that misses looks at it now and then, and answers its own polls, is not away', () => {
  const bench = createBench();
  const miner = bench.see('10.0.0.1', VICTIM).key;
  for (let polls = 0; polls < 6; polls++) {
    bench.clock.now += POLL_MS / 2;
    bench.world.delete('10.0.0.1');
    expect(bench.see('10.0.0.2', VICTIM).key).not.toBe(miner);
    bench.clock.now += POLL_MS / 2;
    expect(bench.see('10.0.0.1', VICTIM).key).toBe(miner);
  }
  expect(bench.registry.get(miner)?.ip).toBe('10.0.0.1');
});

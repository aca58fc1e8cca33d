// Finding a miner by what stands on a label, what it is called, and the order of lists.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { BoardMiner } from '../../../src/model/board/board-miner.ts';
import { shareOf } from '../../../src/model/board/measured.ts';
import { labelOf, modelOf, placeOf, stateOf } from '../../../src/page/model/label.ts';
import { findMiners, foundMiners, noNames, prepareNames } from '../../../src/page/model/list/find.ts';
import { isSort, keepOrder, movedCount, SORTS, sorted } from '../../../src/page/model/list/order.ts';
import { anyMiner, boardMiner, NOW_MS } from '../model/board/board-miners.ts';

const FARM: readonly BoardMiner[] = [
  boardMiner(1, { ip: '10.31.3.144', mac: '02:AA:00:00:00:01', serial: 'YNAH-0001', worker: 'farm.144' }),
  boardMiner(2, { ip: '10.31.3.44', mac: '02:AA:00:00:0B:44', rack: 'C03-04', position: 7, hostname: 'antminer' }),
  boardMiner(3, { ip: '10.31.13.44', rack: 'C03-12', position: 12 }),
  boardMiner(4, { ip: '10.31.9.2' }),
];
const found = (written: string) => findMiners(written, FARM).map(({ ip }) => ip);

describe('finding', () => {
  it.each([
    ['44', ['10.31.3.44', '10.31.13.44', '10.31.3.144']],
    ['3.44', ['10.31.3.44', '10.31.13.44']],
    ['.3.44', ['10.31.3.44']],
    ['10.31.3.44', ['10.31.3.44']],
    ['02-aa-00-00-0b-44', ['10.31.3.44']],
    ['02AA00000B44', ['10.31.3.44']],
    ['02aa.0000.0b44', ['10.31.3.44']],
    ['0b44', ['10.31.3.44']],
    ['YNAH0001', ['10.31.3.144']],
    ['ynah', ['10.31.3.144']],
    ['farm.144', ['10.31.3.144']],
    ['C03-04-7', ['10.31.3.44']],
    [' c03 ', ['10.31.3.44', '10.31.13.44']],
    ['antm', ['10.31.3.44']],
    ['nothing of this', []],
    ['', []],
    ['  ', []],
  ])('%j', (written, ips) => {
    expect(found(written)).toEqual(ips);
  });

  it('by signs without a letter or a digit finds no miner for the lack of a name', () => {
    for (const signs of ['-', ':', '--', ': -']) expect(found(signs)).not.toContain('10.31.9.2');
  });

  it('puts the miner that was meant first, whatever else fits', () => {
    fc.assert(
      fc.property(fc.array(anyMiner('x'), { maxLength: 10 }), (others) => {
        const wanted = boardMiner(9, { mac: '02:AA:00:00:00:FE' });
        const strangers = others.filter(({ mac }) => mac?.toUpperCase() !== wanted.mac);
        expect(findMiners('02aa000000fe', [...strangers, wanted])[0]).toBe(wanted);
      }),
    );
  });
});

describe('names that are kept', () => {
  const farm = fc.array(fc.constantFrom('a', 'b', 'c', 'd').chain(anyMiner), { maxLength: 5 });
  const written = fc.constantFrom('a', 'b', '.7', '0', '1', '10.', '02:aa', '=c', 'no mac');

  it('find the same as names that are made anew, however the list has changed', () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(farm, written), { maxLength: 6 }), (steps) => {
        const known = noNames();
        for (const [miners, text] of steps) {
          prepareNames(known, miners, 0, 2);
          expect(findMiners(text, miners, known)).toEqual(findMiners(text, miners));
        }
      }),
    );
  });

  it('find the same miners in either order', () => {
    fc.assert(
      fc.property(farm, written, (miners, text) => {
        const [ranked, given] = [findMiners(text, miners), foundMiners(text, miners)];
        expect(new Set(ranked)).toEqual(new Set(given));
        expect(given).toEqual(miners.filter((miner) => given.includes(miner)));
      }),
    );
  });
});

describe('a miner is called', () => {
  it('by where it stands, else by its address', () => {
    expect(FARM.map(labelOf)).toEqual(['10.31.3.144', 'C03-04-7', 'C03-12-12', '10.31.9.2']);
    expect(placeOf({ rack: 'C1', position: null })).toBe('C1');
    expect(placeOf({ rack: null, position: 3 })).toBeNull();
  });

  it.each([
    ['Bitmain', 'Antminer S19', 'Bitmain Antminer S19'],
    ['Antminer', 'Antminer S19', 'Antminer S19'],
    ['Bitmain', null, 'Bitmain'],
    [null, 'S19', 'S19'],
    [null, null, null],
  ])('make %j and model %j', (make, model, text) => {
    expect(modelOf({ make, model })).toBe(text);
  });

  it('by one word for its state', () => {
    const state = (with_: Partial<BoardMiner>) => stateOf(boardMiner(1, with_), NOW_MS);
    expect(state({})).toBe('ok');
    expect(state({ isMining: false })).toBe('off');
    expect(state({ isMining: false, mode: 'sleep' })).toBe('asleep');
    expect(state({ flags: 1 })).toBe('ill');
    expect(state({ isOnline: false, isHung: true })).toBe('ill');
    expect(state({ isOnline: false })).toBe('silent');
    expect(state({ isOnline: false, seenAtMs: 0 })).toBe('missing');
    expect(state({ isOnline: false, isUnknown: true })).toBe('unknown');
    expect(state({ isUnknown: true, opsStatus: 'retired' })).toBe('retired');
  });
});

it('the share of what is expected is unknown where one of both is, or the miner is not read', () => {
  const share = (with_: Partial<BoardMiner>) => shareOf(boardMiner(1, with_));
  expect(share({ hashrateHs: 50, expectedHs: 100 })).toBe(0.5);
  expect(share({ hashrateHs: 0, expectedHs: 100 })).toBe(0);
  for (const expectedHs of [null, 0]) expect(share({ hashrateHs: 50, expectedHs })).toBeNull();
  expect(share({ hashrateHs: null, expectedHs: 100 })).toBeNull();
  expect(share({ hashrateHs: 50, expectedHs: 100, isOnline: false })).toBeNull();
  expect(share({ hashrateHs: 50, expectedHs: 100, isUnknown: true })).toBeNull();
});

describe('order', () => {
  const ids = (miners: readonly BoardMiner[]) => miners.map(({ id }) => Number(id.slice(-3)));
  const at = (n: number, container: string | null, rack: string | null, position: number | null = null) =>
    boardMiner(n, { container, rack, position });

  it('by location is that of a walk: without any location last', () => {
    const miners = [
      at(1, null, null),
      at(2, 'C10', 'C10-1', 1),
      at(3, 'C2', 'C2-1', 10),
      at(4, 'C2', 'C2-1', 9),
      at(5, 'C2', null),
    ];
    expect(ids(sorted(miners, 'location', NOW_MS))).toEqual([5, 4, 3, 2, 1]);
  });

  it('by address counts the numbers', () => {
    const miners = ['10.0.0.10', '10.0.0.9', '9.255.255.255'].map((ip, n) => boardMiner(n, { ip }));
    expect(ids(sorted(miners, 'ip', NOW_MS))).toEqual([2, 1, 0]);
  });

  it('begins with the worst; what is not known comes last, as the values of a miner that is not read', () => {
    const miners = [
      boardMiner(1, { hashrateHs: null, tempC: null }),
      boardMiner(2, { hashrateHs: 5, tempC: 90 }),
      boardMiner(3, { hashrateHs: 1, tempC: 60, isOnline: false, seenAtMs: 5 }),
    ];
    expect(ids(sorted(miners, 'hashrate', NOW_MS))).toEqual([2, 1, 3]);
    expect(ids(sorted(miners, 'share', NOW_MS))).toEqual([2, 1, 3]);
    expect(ids(sorted(miners, 'temperature', NOW_MS))).toEqual([2, 1, 3]);
    expect(ids(sorted(miners, 'since', NOW_MS))).toEqual([3, 1, 2]);
  });

  it('is the same however the miners came, by each of the sorts', () => {
    const farm = fc
      .uniqueArray(anyMiner('x'), { selector: ({ ip }) => ip, maxLength: 12 })
      .chain((miners) => fc.tuple(fc.constant(miners), fc.shuffledSubarray(miners, { minLength: miners.length })));
    fc.assert(
      fc.property(farm, fc.constantFrom(...SORTS), ([miners, shuffled], sort) => {
        expect(sorted(shuffled, sort, NOW_MS)).toEqual(sorted(miners, sort, NOW_MS));
      }),
    );
  });

  it('is kept: those that stay do not move, new ones come last', () => {
    const before = ['a', 'b', 'c'];
    expect(keepOrder(before, new Set(before))).toBe(before);
    expect(keepOrder(before, new Set(['c', 'a']))).toEqual(['a', 'c']);
    expect(keepOrder(before, new Set(['d', 'c', 'b']))).toEqual(['b', 'c', 'd']);
    expect(keepOrder([], new Set(['x']))).toEqual(['x']);
  });

  it('holds exactly the ids that are there', () => {
    const some = fc.uniqueArray(fc.constantFrom(...'abcdefgh'));
    fc.assert(
      fc.property(some, some, (before, now) => {
        const kept = keepOrder(before, new Set(now));
        expect(kept.toSorted()).toEqual(now.toSorted());
        expect(kept.filter((id) => before.includes(id))).toEqual(before.filter((id) => now.includes(id)));
      }),
    );
  });

  it('says how many stand elsewhere in a new one', () => {
    expect(movedCount(['a', 'b', 'c'], ['a', 'b', 'c'])).toBe(0);
    expect(movedCount(['a', 'b', 'c'], ['b', 'a', 'c'])).toBe(2);
  });

  it('has names that an address of the page can hold', () => {
    expect([isSort('ip'), isSort('bogus'), isSort(undefined)]).toEqual([true, false, false]);
  });
});

// The worklist of a farm: each miner that needs a person is in one line, and the list behind a line holds exactly the
// miners that it counts.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type BoardMiner, MISSING_MS, NEW_MS } from '../../../src/model/board/board-miner.ts';
import { type ANOMALY_TYPES, toBitmask } from '../../../src/model/flags/anomaly-types.ts';
import { causeCounts, causeOf, compareNames, keepLines, sinceOf, worklist } from '../../../src/page/model/causes.ts';
import { filterOf, isInFilter, NO_FILTER, readFilter, writeFilter } from '../../../src/page/model/list/filter.ts';
import { anyMiner, boardMiner, NOW_MS } from '../model/board/board-miners.ts';

const flag = (type: (typeof ANOMALY_TYPES)[number], sinceMs: number, message = 'ill') => ({
  flags: toBitmask([type]),
  firstFlag: { type, severity: 'major' as const, message, sinceMs },
});
const silentFor = (ms: number) => ({ isOnline: false, seenAtMs: NOW_MS - ms });
const lines = (...miners: BoardMiner[]) => worklist(miners, NOW_MS);

/** Few names, so that several miners share a place and a pool. */
const name = (...names: string[]) => fc.constantFrom(null, ...names);
const placed = fc
  .tuple(
    anyMiner('x'),
    name('C1', 'C2'),
    name('C1-01', 'C1-02', 'C2-01'),
    name('stratum+tcp://a', 'stratum+tcp://b?c=1&d'),
  )
  .map(([miner, container, rack, pool]) => ({ ...miner, container, rack, pool }));
const farm = fc.array(placed, { maxLength: 40 }).map((miners) => miners.map((miner, n) => ({ ...miner, id: `${n}` })));

describe('any farm', () => {
  it('keeps the lines that say the same, and says what the new ones say', () => {
    fc.assert(
      fc.property(farm, farm, (one, other) => {
        const [before, after] = [lines(...one), lines(...other)];
        const kept = keepLines(before, after);
        expect(kept).toEqual(after);
        expect(keepLines(before, lines(...one))).toBe(before);
      }),
    );
  });

  it('has each miner with a cause in exactly one line, and behind each line as many as it counts', () => {
    fc.assert(
      fc.property(farm, (miners) => {
        const listed = worklist(miners, NOW_MS).flatMap((line) => {
          const behind = miners.filter(isInFilter(filterOf(line), NOW_MS));
          expect(behind).toHaveLength(line.count);
          return behind.map(({ id }) => id);
        });
        const ill = miners.filter((miner) => causeOf(miner, NOW_MS) !== undefined).map(({ id }) => id);
        expect(listed.toSorted()).toEqual(ill.toSorted());
        expect(miners.filter(isInFilter({ ...NO_FILTER, cause: 'any' }, NOW_MS))).toHaveLength(ill.length);
      }),
      { numRuns: 500 },
    );
  });

  it('counts by cause what the lists behind show', () => {
    fc.assert(
      fc.property(farm, (miners) => {
        for (const { cause, count } of causeCounts(lines(...miners), miners, NOW_MS))
          expect(miners.filter(isInFilter({ ...NO_FILTER, cause }, NOW_MS))).toHaveLength(count);
      }),
    );
  });

  it('has lines that a link brings back, and the oldest and newest of each', () => {
    fc.assert(
      fc.property(farm, (miners) => {
        for (const line of worklist(miners, NOW_MS)) {
          const filter = filterOf(line);
          expect(readFilter(Object.fromEntries(new URLSearchParams(writeFilter(filter))))).toEqual(filter);
          const since = miners
            .filter(isInFilter(filter, NOW_MS))
            .flatMap((miner) => sinceOf(miner, line.cause) ?? [])
            .toSorted((a, b) => a - b);
          expect([line.sinceMs, line.newestMs]).toEqual([since[0] ?? null, since.at(-1) ?? null]);
        }
      }),
    );
  });

  it('has keys that name one line each', () => {
    fc.assert(
      fc.property(farm, (miners) => {
        const keys = worklist(miners, NOW_MS).map(({ key }) => key);
        expect(new Set(keys).size).toBe(keys.length);
      }),
    );
  });
});

describe('the cause of a miner', () => {
  it.each<[string, Partial<BoardMiner>, string | undefined]>([
    ['well', {}, undefined],
    ['of a silent agent', { isUnknown: true, isOnline: false, ...flag('fan', 0) }, undefined],
    ['away for a minute', silentFor(60_000), 'silent'],
    ['away for an hour', silentFor(MISSING_MS), 'missing'],
    ['that hangs is not online, and hung', { ...silentFor(60_000), isHung: true }, 'hung'],
    ['that hangs for long is not missing: its network answers', { ...silentFor(2 * MISSING_MS), isHung: true }, 'hung'],
    ['in maintenance', { opsStatus: 'maintenance', ...silentFor(60_000) }, undefined],
    ['retired', { opsStatus: 'retired', ...flag('fan', 0) }, undefined],
    ['with a flag', flag('hashboard', 5), 'hashboard'],
    ['with flags of which none is told', { flags: toBitmask(['fan', 'pool']), firstFlag: null }, 'fan'],
    ['with a flag, and silent', { ...flag('fan', 5), ...silentFor(1) }, 'silent'],
  ])('%s', (_, with_, cause) => {
    expect(causeOf(boardMiner(1, with_), NOW_MS)).toBe(cause);
  });

  it('begins with its flag, or with the last reading of what does not answer', () => {
    const miner = boardMiner(1, { ...flag('fan', 5), seenAtMs: 7 });
    expect([sinceOf(miner, 'fan'), sinceOf(miner, 'silent'), sinceOf(miner, 'hung')]).toEqual([5, 7, 7]);
    expect(sinceOf(boardMiner(1), 'fan')).toBeNull();
  });
});

describe('lines', () => {
  it('are of a rack, but of a whole container where people walk through it as a whole', () => {
    const at = (n: number, rack: string | null, with_: Partial<BoardMiner>) =>
      boardMiner(n, { container: 'C1', rack, ...with_ });
    const got = lines(
      ...[at(1, 'C1-01', flag('fan', 1)), at(2, 'C1-02', flag('fan', 1)), at(3, null, flag('fan', 1))],
      ...[at(4, 'C1-01', silentFor(9)), at(5, 'C1-02', silentFor(9)), at(6, null, silentFor(9))],
    );
    expect(got.map(({ cause, place, count }) => [cause, place.rack, count])).toEqual([
      ['silent', null, 3],
      ['fan', null, 1],
      ['fan', 'C1-01', 1],
      ['fan', 'C1-02', 1],
    ]);
    const inC1 = [1, 2, 3].map((n) => at(n, n === 3 ? null : 'C1-01', flag('fan', 1)));
    const [withoutRack] = lines(...inC1).filter(({ place }) => place.rack === null);
    expect(withoutRack).toBeDefined();
    if (withoutRack)
      expect(inC1.filter(isInFilter(filterOf(withoutRack), NOW_MS)).map(({ id }) => id)).toEqual([inC1[2]?.id]);
  });

  it('stand in the order of a walk, what has no location last', () => {
    const racks = ['C10-1', 'C2-10', 'C2-9', null];
    const miners = racks.map((rack, n) =>
      boardMiner(n, { container: rack === null ? null : (rack.split('-')[0] ?? null), rack, ...flag('fan', 1) }),
    );
    expect(lines(...miners).map(({ place, isUnplaced }) => [place.rack, isUnplaced])).toEqual([
      ['C2-9', false],
      ['C2-10', false],
      ['C10-1', false],
      [null, true],
    ]);
  });

  it('of a pool are apart by pool alone: a pool that is away is one trouble, wherever its miners stand', () => {
    const pools = ['a', 'a', 'b', null].map((pool, n) =>
      boardMiner(n, { pool, container: `C${n}`, rack: `C${n}-01`, ...flag('pool', 1) }),
    );
    const counts = lines(...pools).map(({ pool, count }) => [pool, count] as const);
    expect(new Map(counts)).toEqual(
      new Map([
        ['a', 2],
        ['b', 1],
        [null, 1],
      ] as const),
    );
  });

  it('say what their miners say where all say the same', () => {
    const miner = (n: number, message: string) => boardMiner(n, { rack: 'C1-01', ...flag('fan', n, message) });
    expect(lines(miner(1, 'a'), miner(2, 'a'))[0]?.message).toBe('a');
    expect(lines(miner(1, 'a'), miner(2, 'b'))[0]?.message).toBeNull();
    expect(lines(miner(1, 'a'), boardMiner(2, { rack: 'C1-01', flags: toBitmask(['fan']) }))[0]?.message).toBeNull();
  });
});

it('new miners are counted beside what is wrong with them', () => {
  const young = { createdAtMs: NOW_MS - NEW_MS + 1 };
  const miners = [boardMiner(1, young), boardMiner(2, { ...young, ...flag('fan', 1) })];
  const counts = causeCounts(lines(...miners), miners, NOW_MS);
  expect(counts).toEqual([
    { cause: 'fan', count: 1 },
    { cause: 'new', count: 2 },
  ]);
});

it('names compare as people count', () => {
  const names = ['C10', 'C2', null, 'C1', null];
  expect(names.toSorted(compareNames)).toEqual([null, null, 'C1', 'C2', 'C10']);
});

describe('a filter in an address', () => {
  it('is empty where nothing is filtered, and read again as it was written', () => {
    expect(writeFilter(NO_FILTER)).toBe('');
    expect(readFilter({})).toEqual(NO_FILTER);
    const named = { container: '', rack: 'C 1', pool: undefined, model: 'S21+', algorithm: '' };
    const filter = { search: 'rack:C03 & more', cause: 'hung', ...named } as const;
    expect(readFilter(Object.fromEntries(new URLSearchParams(writeFilter(filter))))).toEqual(filter);
  });

  it('with a cause that does not exist filters by none', () => {
    expect(readFilter({ cause: 'bogus' }).cause).toBeUndefined();
    expect(readFilter({ cause: 'any' }).cause).toBe('any');
  });
});

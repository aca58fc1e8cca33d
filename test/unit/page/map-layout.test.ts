// Which miner stands in which slot of the map, and where the slots are: what an update of 10,000 miners computes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { RackShape } from '../../../src/model/locations/rack-grid.ts';
import { boxAt, layoutOf, type MapRack, NAME, SPOT, standingOf } from '../../../src/page/model/map-layout.ts';
import { boardMiner } from '../model/board/board-miners.ts';

const shape = (rows: number, columns: number): RackShape => ({
  ...{ rows, columns, first: 'top-left', direction: 'rows', serpentine: false },
});
const rack = (name: string, container: string | null, of: RackShape | null): MapRack => ({
  name,
  container,
  shape: of,
});
const at = (n: number, name: string | null, position: number | null) => boardMiner(n, { rack: name, position });
const layoutFor = (racks: readonly MapRack[], miners: Parameters<typeof standingOf>[1], width: number) => {
  const { standing } = standingOf(racks, miners);
  return layoutOf(
    racks,
    racks.map(({ name }) => standing.get(name)?.slots.length ?? 0),
    width,
  );
};

describe('who stands where', () => {
  it('each miner is in its slot, a stranger of its rack, or counted as placed nowhere', () => {
    const racks = [rack('C1-01', 'C1', shape(2, 3)), rack('C1-02', 'C1', null)];
    const miners = [
      ...[at(1, 'C1-01', 6), at(2, 'C1-01', 7), at(3, 'C1-01', null), at(4, 'C1-02', 12)],
      ...[at(5, null, null), at(6, 'gone', 1)],
    ];
    const { standing, unplaced } = standingOf(racks, miners);
    const [first, second] = [standing.get('C1-01'), standing.get('C1-02')];
    expect(first?.slots.map((miner) => miner?.id)).toEqual([
      undefined,
      undefined,
      undefined,
      undefined,
      undefined,
      miners[0]?.id,
    ]);
    expect(first?.strangers).toEqual([miners[1], miners[2]]);
    // Two rows of ten: so many slots as the last miner needs.
    expect(second?.slots).toHaveLength(20);
    expect(second?.slots[11]).toBe(miners[3]);
    expect(unplaced).toBe(1);
  });

  it('a position that was mistyped makes no rack of a million slots', () => {
    const { standing } = standingOf(
      [rack('C1-01', null, null), rack('C1-02', null, shape(1_000, 1_000))],
      [...[at(1, 'C1-01', 1_000_000), at(2, 'C1-01', 2), at(3, 'C1-02', 1), at(4, 'C1-02', 2)]],
    );
    expect(standing.get('C1-01')?.slots).toHaveLength(2);
    expect(standing.get('C1-01')?.strangers).toHaveLength(1);
    expect(standing.get('C1-02')?.slots).toHaveLength(1);
    expect(standing.get('C1-02')?.strangers).toHaveLength(1);
  });

  it('loses no miner, whatever its rack and position', () => {
    const racks = [rack('A', null, shape(3, 4)), rack('B', 'C1', null)];
    const placed = fc.tuple(fc.constantFrom('A', 'B', null), fc.option(fc.integer({ min: -1, max: 40 })));
    fc.assert(
      fc.property(fc.uniqueArray(placed, { selector: String, maxLength: 60 }), (all) => {
        const miners = all.map(([name, position], n) => at(n, name, position));
        const { standing, unplaced } = standingOf(racks, miners);
        const found = [...standing.values()].flatMap(({ slots, strangers }) => [...slots, ...strangers]);
        expect(found.filter((miner) => miner !== undefined).length + unplaced).toBe(miners.length);
      }),
    );
  });
});

describe('where the slots are', () => {
  it('racks stand side by side until the line is full, in the order of their containers and names', () => {
    const racks = [
      ...[rack('C2-1', 'C2', shape(1, 10)), rack('C1-10', 'C1', shape(2, 10)), rack('C1-2', 'C1', shape(4, 10))],
      rack('C1-3', 'C1', shape(1, 10)),
    ];
    const { boxes, titles } = layoutFor(racks, [], 230);
    expect(titles.map(({ text }) => text)).toEqual(['C1', 'C2']);
    expect(boxes.map(({ name, x }) => [name, x])).toEqual([
      ...[
        ['C1-2', 0],
        ['C1-3', 112],
        ['C1-10', 0],
        ['C2-1', 0],
      ],
    ]);
    // Below the higher one of the line above.
    const [high, , below] = boxes;
    expect(below?.y).toBeGreaterThanOrEqual((high?.y ?? 0) + NAME + 4 * SPOT);
  });

  it('no two slots are in the same place, and a tap on one finds its rack', () => {
    const racks = [rack('A', null, shape(3, 4)), rack('B', 'C1', null), rack('C', 'C1', shape(2, 2))];
    const layout = layoutFor(racks, [at(1, 'B', 13)], 120);
    const spots = layout.boxes.flatMap((box) =>
      box.spots.map(({ x, y }) => ({ name: box.name, x: box.x + x, y: box.y + y })),
    );
    expect(spots).toHaveLength(12 + 20 + 4);
    expect(new Set(spots.map(({ x, y }) => `${x},${y}`)).size).toBe(spots.length);
    for (const { name, x, y } of spots) expect(boxAt(layout, x + 1, y + 1)?.name).toBe(name);
    expect(boxAt(layout, 10_000, 10_000)).toBeUndefined();
  });
});

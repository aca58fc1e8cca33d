// Where the racks of a farm stand on the picture of the map: container after container, racks side by side until the
// line is full; and which miner stands in which slot. Lengths are in pixels of the page. Pure.
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { capacityOf, cellOf, type RackShape } from '../../model/locations/rack-grid.ts';
import { compareNames } from './causes.ts';
import { ASSUMED_COLUMNS } from './rack-cells.ts';

export type MapRack = { readonly name: string; readonly container: string | null; readonly shape: RackShape | null };

/** The miners of one rack. `slots` = the miner of each slot, that of position 1 first; undefined = it is empty. */
export type Standing = {
  readonly slots: readonly (BoardMiner | undefined)[];
  /** Those that stand at no slot of it. */
  readonly strangers: readonly BoardMiner[];
};

export type RackBox = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  /** Of its slots, that of position 1 first; from the corner of the box. */
  readonly spots: readonly Spot[];
};
type Spot = { readonly x: number; readonly y: number };

export type MapLayout = {
  readonly height: number;
  readonly titles: readonly { readonly text: string | null; readonly y: number }[];
  readonly boxes: readonly RackBox[];
};

/** Of one slot, with the gap to the next. */
export const SPOT = 10;
const TITLE = 24;
/** Of the name of a rack, above its slots. */
export const NAME = 16;
const GAP = 12;
const LEAST_WIDTH = 60;

/** More slots than a picture can show: a position that was mistyped makes no rack of a million slots. */
const MOST_SPOTS = 10_000;
const ONE_SLOT: RackShape = { rows: 1, columns: 1, first: 'top-left', direction: 'rows', serpentine: false };

const gridOf = (shape: RackShape): RackShape => (capacityOf(shape) > MOST_SPOTS ? ONE_SLOT : shape);

/** Of a rack whose shape is not known, as many slots as its miners show. */
function assumedGrid(most: number): RackShape {
  const columns = Math.min(most, ASSUMED_COLUMNS);
  return { ...ONE_SLOT, rows: Math.ceil(most / columns), columns };
}

/** By the name of the rack, in one pass over the miners: it is done at each update. `unplaced` = stand in no rack. */
export function standingOf(
  racks: readonly MapRack[],
  miners: readonly BoardMiner[],
): { readonly standing: ReadonlyMap<string, Standing>; readonly unplaced: number } {
  const standing = new Map(racks.map(({ name, shape }) => [name, emptyRack(shape)]));
  let unplaced = 0;
  for (const miner of miners) {
    if (miner.rack === null) unplaced += 1;
    else standing.get(miner.rack)?.take(miner);
  }
  for (const rack of standing.values()) rack.fill();
  return { standing, unplaced };
}

function emptyRack(shape: RackShape | null) {
  const slots: (BoardMiner | undefined)[] = [];
  const strangers: BoardMiner[] = [];
  const room = shape === null ? MOST_SPOTS : capacityOf(gridOf(shape));
  const growTo = (count: number) => {
    while (slots.length < count) slots.push(undefined);
  };
  return {
    slots,
    strangers,
    take(miner: BoardMiner): void {
      const { position } = miner;
      if (position === null || position < 1 || position > room) {
        strangers.push(miner);
        return;
      }
      growTo(position);
      slots[position - 1] = miner;
    },
    fill: () => growTo(shape === null ? capacityOf(assumedGrid(Math.max(1, slots.length))) : room),
  };
}

/** `slotCounts` = how many slots each rack has, in the order of the racks. */
export function layoutOf(racks: readonly MapRack[], slotCounts: readonly number[], width: number): MapLayout {
  const sized = racks.map((rack, index) => ({ ...rack, slotCount: slotCounts[index] ?? 1 }));
  const containers = Map.groupBy(
    sized.toSorted((a, b) => compareNames(a.container, b.container) || compareNames(a.name, b.name)),
    ({ container }) => container,
  );
  const titles: { text: string | null; y: number }[] = [];
  const boxes: RackBox[] = [];
  let y = 0;
  for (const [container, inside] of containers) {
    titles.push({ text: container, y });
    y += TITLE;
    let [x, lineHeight] = [0, 0];
    for (const rack of inside) {
      const box = boxOf(rack);
      if (x > 0 && x + box.width > width) [x, y, lineHeight] = [0, y + lineHeight + GAP, 0];
      boxes.push({ ...box, x, y });
      x += box.width + GAP;
      lineHeight = Math.max(lineHeight, box.height);
    }
    y += lineHeight + GAP;
  }
  return { height: y, titles, boxes };
}

function boxOf({ name, shape, slotCount }: MapRack & { readonly slotCount: number }): Omit<RackBox, 'x' | 'y'> {
  const grid = shape === null ? assumedGrid(slotCount) : gridOf(shape);
  const spots: Spot[] = [];
  for (let position = 1; position <= capacityOf(grid); position += 1) {
    const cell = cellOf(grid, position);
    if (cell !== undefined) spots.push({ x: (cell.column - 1) * SPOT, y: NAME + (cell.row - 1) * SPOT });
  }
  return {
    ...{ name, spots },
    width: Math.max(LEAST_WIDTH, grid.columns * SPOT),
    height: NAME + grid.rows * SPOT,
  };
}

export const boxAt = ({ boxes }: MapLayout, x: number, y: number): RackBox | undefined =>
  boxes.find((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);

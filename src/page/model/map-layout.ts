// Where the racks of a farm stand on the picture of the map: container after container, racks side by side until the
// line is full. Lengths are in pixels of the page. Pure.
import type { BoardMiner } from '../../model/board/board-miner.ts';
import { cellOf, type RackShape } from '../../model/locations/rack-grid.ts';
import { compareNames } from './causes.ts';
import { ASSUMED_COLUMNS } from './rack-cells.ts';

export type MapRack = { readonly name: string; readonly container: string | null; readonly shape: RackShape | null };

export type Spot = { readonly x: number; readonly y: number; readonly miner: BoardMiner | undefined };

export type RackBox = {
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
  readonly spots: readonly Spot[];
  /** Miners of the rack that stand at no slot of it. */
  readonly strangers: readonly BoardMiner[];
};

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

export function layoutOf(racks: readonly MapRack[], miners: readonly BoardMiner[], width: number): MapLayout {
  const standing = Map.groupBy(miners, ({ rack }) => rack);
  const containers = Map.groupBy(
    racks.toSorted((a, b) => compareNames(a.container, b.container) || compareNames(a.name, b.name)),
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
      const box = boxOf(rack, standing.get(rack.name) ?? []);
      if (x > 0 && x + box.width > width) [x, y, lineHeight] = [0, y + lineHeight + GAP, 0];
      boxes.push({ ...box, x, y });
      x += box.width + GAP;
      lineHeight = Math.max(lineHeight, box.height);
    }
    y += lineHeight + GAP;
  }
  return { height: y, titles, boxes };
}

/** Of a rack whose shape is not known, as many slots as its miners show. */
function assumedShape(standing: readonly BoardMiner[]): RackShape {
  const most = standing.reduce((max, { position }) => Math.max(max, position ?? 0), 1);
  const columns = Math.min(most, ASSUMED_COLUMNS);
  return { rows: Math.ceil(most / columns), columns, first: 'top-left', direction: 'rows', serpentine: false };
}

/** More slots than a picture can show: a position that was mistyped makes no rack of a million slots. */
const MOST_SPOTS = 10_000;

function boxOf({ name, shape }: MapRack, standing: readonly BoardMiner[]): Omit<RackBox, 'x' | 'y'> {
  const assumed = shape ?? assumedShape(standing);
  const grid = assumed.rows * assumed.columns > MOST_SPOTS ? { ...assumed, rows: 1, columns: 1 } : assumed;
  const byPosition = new Map(standing.map((miner) => [miner.position, miner]));
  const spots: Spot[] = [];
  for (let position = 1; position <= grid.rows * grid.columns; position += 1) {
    const cell = cellOf(grid, position);
    const miner = byPosition.get(position);
    if (cell !== undefined) spots.push({ x: (cell.column - 1) * SPOT, y: NAME + (cell.row - 1) * SPOT, miner });
  }
  return {
    ...{ name, spots },
    strangers: standing.filter(({ position }) => position === null || position > grid.rows * grid.columns),
    width: Math.max(LEAST_WIDTH, grid.columns * SPOT),
    height: NAME + grid.rows * SPOT,
  };
}

export const boxAt = ({ boxes }: MapLayout, x: number, y: number): RackBox | undefined =>
  boxes.find((box) => x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height);

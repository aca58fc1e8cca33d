// The shape of a rack, without its schema: the web page reads it too. How many rows and columns of slots it has, and
// how they are numbered; pure functions from a position to its row and column and back. Rows count from the top,
// columns from the left, as a person sees the rack from its front. It keeps no rack.
/** Where the slot with the number 1 is. */
export const FIRST_CORNERS = ['top-left', 'top-right', 'bottom-left', 'bottom-right'] as const;
/** Whether the numbers run along a row before the next row comes, or along a column. */
export const DIRECTIONS = ['rows', 'columns'] as const;

/** The most rows, and the most columns. */
export const MAX_LINES = 1_000;

export type RackShape = {
  rows: number;
  columns: number;
  first: (typeof FIRST_CORNERS)[number];
  direction: (typeof DIRECTIONS)[number];
  serpentine: boolean;
};

/** Row 1 is at the top, column 1 on the left. */
export type Cell = { readonly row: number; readonly column: number };

export type Slot = Cell & { readonly position: number };

export const capacityOf = ({ rows, columns }: RackShape): number => rows * columns;

/** Undefined where the rack has no such position. */
export function cellOf(shape: RackShape, position: number): Cell | undefined {
  if (!Number.isInteger(position) || position < 1 || position > capacityOf(shape)) return undefined;
  const isByRows = shape.direction === 'rows';
  const length = isByRows ? shape.columns : shape.rows;
  const line = Math.floor((position - 1) / length);
  const along = (position - 1) % length;
  const step = shape.serpentine && line % 2 === 1 ? length - 1 - along : along;
  return mirrored(shape, isByRows ? { row: line + 1, column: step + 1 } : { row: step + 1, column: line + 1 });
}

/** Undefined where the rack has no such row or column. */
export function positionOf(shape: RackShape, cell: Cell): number | undefined {
  const isInside = (value: number, most: number) => Number.isInteger(value) && value >= 1 && value <= most;
  if (!isInside(cell.row, shape.rows) || !isInside(cell.column, shape.columns)) return undefined;
  const { row, column } = mirrored(shape, cell);
  const isByRows = shape.direction === 'rows';
  const length = isByRows ? shape.columns : shape.rows;
  const [line, step] = isByRows ? [row - 1, column - 1] : [column - 1, row - 1];
  return line * length + (shape.serpentine && line % 2 === 1 ? length - 1 - step : step) + 1;
}

/** Between the grid as it is seen and a grid whose slot 1 is at the top left; the same way back. */
const mirrored = ({ rows, columns, first }: RackShape, { row, column }: Cell): Cell => ({
  row: first === 'top-left' || first === 'top-right' ? row : rows + 1 - row,
  column: first === 'top-left' || first === 'bottom-left' ? column : columns + 1 - column,
});

/** Every slot, in the order of the positions. */
export function slotsOf(shape: RackShape): readonly Slot[] {
  return Array.from({ length: capacityOf(shape) }, (_, index) => index + 1).flatMap((position) => {
    const cell = cellOf(shape, position);
    return cell === undefined ? [] : [{ position, ...cell }];
  });
}

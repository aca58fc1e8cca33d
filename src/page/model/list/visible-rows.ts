// Which rows of a long list are drawn: those on the screen and some around them. Rows have one height. Pure.

/** So many beyond the screen, so that a flick of a finger comes upon rows and not upon nothing. */
const MORE_ROWS = 6;
/** The first and the last move by so many at once: a slow scroll does not draw anew at each row. */
const STEP = 4;

export type Seen = {
  /** How far the list has gone up beyond the top of the screen; negative = it begins below it. */
  readonly scrolledPx: number;
  readonly screenPx: number;
};

/** `end` is the first that is not drawn. */
export type RowRange = { readonly first: number; readonly end: number };

/** Of a list without end. */
export function visibleRows({ scrolledPx, screenPx }: Seen, rowHeightPx: number): RowRange {
  const top = Math.floor(scrolledPx / rowHeightPx) - MORE_ROWS;
  const bottom = Math.ceil((scrolledPx + screenPx) / rowHeightPx) + MORE_ROWS;
  return {
    first: Math.max(0, Math.floor(top / STEP) * STEP),
    end: Math.max(0, Math.ceil(bottom / STEP) * STEP),
  };
}

/** Of a list of so many. */
export const within = ({ first, end }: RowRange, count: number): RowRange => ({
  first: Math.min(first, end, count),
  end: Math.min(end, count),
});

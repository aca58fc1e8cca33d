// The slots of a rack as the rows of a table, as a person sees the rack from its front. Pure.
import { placeOf } from './label.ts';

type Seen = { readonly position: number; readonly row: number | null; readonly column: number | null };

/** Of a rack whose shape is not known: so many slots stand side by side. */
export const ASSUMED_COLUMNS = 10;

/** Undefined = there is no slot. */
export function rowsOf<S extends Seen>(slots: readonly S[]): readonly (readonly (S | undefined)[])[] {
  const rows: (S | undefined)[][] = [];
  slots.forEach((slot, index) => {
    const row = slot.row ?? Math.floor(index / ASSUMED_COLUMNS) + 1;
    const column = slot.column ?? (index % ASSUMED_COLUMNS) + 1;
    const cells = rows[row - 1] ?? [];
    rows[row - 1] = cells;
    cells[column - 1] = slot;
  });
  const columns = rows.reduce((most, cells) => Math.max(most, cells.length), 0);
  return rows.map((cells) => Array.from({ length: columns }, (_, index) => cells[index]));
}

export const labelOfSlot = (rack: string, position: number): string => placeOf({ rack, position }) ?? rack;

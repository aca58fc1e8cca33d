// The schema of the shape of a rack. What follows from a shape is in rack-grid.ts.
import { z } from 'zod';
import { DIRECTIONS, FIRST_CORNERS, MAX_LINES, type RackShape } from './rack-grid.ts';

const lines = z.int().min(1).max(MAX_LINES);

export const rackShapeSchema = z.strictObject({
  rows: lines.meta({ description: 'Rows of slots, one above the other' }),
  columns: lines.meta({ description: 'Slots side by side in a row' }),
  first: z.enum(FIRST_CORNERS).meta({ description: 'The corner of the slot 1, as seen from the front' }),
  direction: z.enum(DIRECTIONS).meta({ description: 'Along what the numbers run: row by row, or column by column' }),
  serpentine: z.boolean().meta({ description: 'Whether every second row, or column, is numbered backwards' }),
}) satisfies z.ZodType<RackShape>;

// What a client says to get a sheet of miners: which ones, in which order, in which format, by which clock.
import { z } from 'zod';
import { wallClockOf } from '../../../base/time/wall-clock.ts';
import { selectSchema } from '../board/messages.ts';
import { closedObject, givenId, ofGoodFields } from '../forms.ts';

export const SHEET_FORMATS = ['csv', 'xlsx'] as const;
export type SheetFormat = (typeof SHEET_FORMATS)[number];

/** Of one sheet, as many as one agent may have; their ids fit into a body. */
export const MOST_ROWS = 25_000;
const USUAL_ROWS = 10_000;
const MAX_ZONE = 64;

export const sheetRequestSchema = closedObject({
  format: z.enum(SHEET_FORMATS).meta({ description: 'csv, or xlsx = a workbook' }),
  miner_ids: z
    .array(givenId)
    .max(MOST_ROWS)
    .nullish()
    .meta({ description: 'These miners in this order; those that the farm does not have are left out' }),
  select: selectSchema
    .nullish()
    .meta({ description: 'Which miners, by a selector; empty = all, in order of location' }),
  time_zone: z
    .string()
    .max(MAX_ZONE)
    .refine((zone) => wallClockOf(zone) !== undefined, {
      error: 'accepted: a name of the IANA time zones such as America/Chicago',
    })
    .default('UTC')
    .meta({ description: 'Of the moments in the sheet: a name of the IANA such as America/Chicago' }),
  limit: z
    .int()
    .min(1)
    .max(MOST_ROWS)
    .default(USUAL_ROWS)
    .meta({ description: 'A sheet of more miners is refused, never cut' }),
}).refine(({ miner_ids, select }) => miner_ids == null || select == null || select === '', {
  ...ofGoodFields,
  path: ['select'],
  error: 'cannot be combined with miner_ids',
});
export type SheetRequest = z.output<typeof sheetRequestSchema>;

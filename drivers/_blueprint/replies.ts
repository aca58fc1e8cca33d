// What the example device answers. Schemas are lenient in shape (a wrong field is undefined, the rest stays) and strict
// in range.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, list, num, text, toText } from '../../src/driver/fields.ts';
import { devRow, devsReply, poolsReply, summaryReply } from '../_dialects/cgminer.ts';

/** A family adds its own keys to a shared row. */
const boardRow = devRow.extend({ 'Chip Temp': num({ min: -50, max: 200 }) });
const boardsReply = devsReply.extend({ DEVS: list(boardRow, 8) });

export const replies = z.object({
  summary: reply(summaryReply),
  boards: reply(boardsReply),
  oldBoards: reply(boardsReply),
  pools: reply(poolsReply),
  light: reply(z.looseObject({ on: bool() })),
  // MAC and serial number stay as written: whether they can identify anything is judged elsewhere.
  system: reply(
    z.looseObject({
      mac: field((value) => toText(value, 128)),
      serial: field((value) => toText(value, 128)),
      host: text(),
    }),
  ),
});
export type Replies = z.output<typeof replies>;

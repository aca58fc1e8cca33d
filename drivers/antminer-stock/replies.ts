// What stock Antminers answer, as far as we read it (atlas 3.2, 3.3).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, text, toText } from '../../src/driver/fields.ts';
import { statsReply, toWatts } from '../_families/bitmain.ts';
import { poolsReply, versionReply } from '../_families/cgminer.ts';

/** Serial numbers and MACs are opaque: what is malformed is judged elsewhere and must arrive as written. */
const asWritten = () => field((value) => toText(value, 128));

/** `miner_power: 3250`: nothing but a name, a colon and the figure, so that no error page is taken for one. */
const WATTS = /^[^<:]{0,40}:\s*"?(\d+(?:\.\d+)?)\s*W?"?\s*\}?\s*$/i;

export const replies = z.object({
  stats: reply(statsReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  summary: reply(
    z.looseObject({
      SUMMARY: list(
        z.looseObject({
          status: list(z.looseObject({ type: text(64), status: text(16), code: text(32), msg: text() }), 16),
        }),
        4,
      ),
    }),
  ),
  conf: reply(z.looseObject({ 'bitmain-work-mode': int({ min: 0 }), 'miner-mode': int({ min: 0 }) })),
  blink: reply(z.looseObject({ blink: bool() })),
  system: reply(
    z.looseObject({
      minertype: text(),
      hostname: text(),
      macaddr: asWritten(),
      serinum: asWritten(),
      serial_no: asWritten(),
      system_filesystem_version: text(),
      system_kernel_version: text(),
    }),
  ),
  minerType: reply(z.looseObject({ miner_type: text(), subtype: text() })),
  warning: reply(z.string().transform((answer) => answer.match(/"error_message"\s*:\s*"([\w:]{1,32})"/)?.[1])),
  power: reply(z.string().transform((answer) => toWatts(answer.match(WATTS)?.[1]))),
});
export type Replies = z.output<typeof replies>;

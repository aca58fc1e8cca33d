// What Elphapex miners answer, as far as we read it (atlas 20).
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { int, num, text } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { asWritten, blinkPage, poolsPage, summaryPage, systemReply } from '../_dialects/bitmain-schemas.ts';

const head = {
  /** `when` counts from the start of the system; the clock is `timestamp`. Before 2017 it was never set. */
  STATUS: z
    .looseObject({ timestamp: num({ min: 1_483_228_800, max: 4e9 }), api_version: text() })
    .optional()
    .catch(undefined),
  INFO: z
    .looseObject({ miner_version: text(), hw_version: text(), dev_sn: asWritten(), type: text(), CompileTime: text() })
    .optional()
    .catch(undefined),
};

export const replies = z.object({
  stats: reply(z.looseObject({ ...statsReply.shape, ...head })),
  power: reply(
    z.looseObject({
      power_output: num({ min: 0, max: 100_000 }),
      power_sn: asWritten(),
      /** 0.1 C. */
      power_temp: num({ min: -500, max: 2_000 }),
    }),
  ),
  pools: reply(z.looseObject({ ...poolsPage.shape, ...head })),
  summary: reply(z.looseObject({ ...summaryPage.shape, ...head })),
  conf: reply(z.looseObject({ 'fc-work-mode': int({ min: 0 }), 'fc-freq-level': text(16) })),
  blink: reply(blinkPage),
  system: reply(systemReply),
});
export type Replies = z.output<typeof replies>;

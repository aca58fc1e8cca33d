// What VolcMiners answer, as far as we read it (atlas 21). Numbers are texts with thousands separators.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { poolRow, systemReply } from '../_dialects/bitmain-schemas.ts';
import { devsReply, poolsReply, rateHs, summaryReply, versionReply } from '../_dialects/cgminer.ts';
import { asStatus, unwrapped } from './wrapped.ts';

/** MH/s, whatever the name of the key says. */
const rate = () => field((value) => rateHs(value, 'M'));
const rpm = () => num({ min: 0, max: 30_000 });

const statusPage = z.looseObject({
  summary: z
    .looseObject({ elapsed: num({ min: 0, max: 4e9 }), ghs5s: rate(), ghsav: rate() })
    .optional()
    .catch(undefined),
  pools: list(poolRow, 64),
  devs: list(
    z.looseObject({
      index: int({ min: 0, max: 31 }),
      chain_acn: z.unknown().optional(),
      chain_acs: z.unknown().optional(),
      freq: z.unknown().optional(),
      temp: z.unknown().optional(),
      temp2: z.unknown().optional(),
      rate: rate(),
      hw: int({ min: 0 }),
    }),
    32,
  ),
  fan1: rpm(),
  fan2: rpm(),
  fan3: rpm(),
  fan4: rpm(),
});

export const replies = z.object({
  status: reply(statusPage),
  statusV1: field((value) => statusPage.safeParse(asStatus(value)).data),
  system: reply(systemReply),
  systemV1: field((value) => systemReply.safeParse(unwrapped(value)).data),
  stats: reply(statsReply),
  summary: reply(summaryReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  devs: reply(devsReply),
});
export type Replies = z.output<typeof replies>;

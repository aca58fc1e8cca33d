// What Innosilicon answers, as far as we read it (atlas 19). Everything on the web comes with `success`; what lacks it is no answer.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num, text, toText } from '../../src/driver/fields.ts';
import { devsReply, poolsReply, summaryReply, versionReply } from '../_families/cgminer.ts';

const sensor = () => num({ min: 1, max: 200 });
/** Left as they are: which unit `Hash Rate` has, read.ts finds out. */
const RATES = { 'Hash Rate H': num({ min: 0 }), 'Hash Rate': num({ min: 0 }) };

const chain = z.looseObject({
  ASC: int({ min: 0, max: 63 }),
  ...RATES,
  /** The hottest chip. */
  'Temp max': sensor(),
  'Hardware Errors': int({ min: 0, max: 1e15 }),
});

const statsRow = z.looseObject({
  'Chain ID': int({ min: 0, max: 63 }),
  'Num active chips': int({ min: 0, max: 100_000 }),
  Elapsed: num({ min: 0, max: 4e9 }),
  Temp: sensor(),
  'Temp max': sensor(),
  'Fan duty': num({ min: 0, max: 100 }),
});

const part = <S extends z.ZodType>(schema: S) => schema.optional().catch(undefined);
/** `/api/summary`: what TCP says of boards and pools, for builds that keep that closed. */
const webSummary = poolsReply.extend({
  ...devsReply.shape,
  HARDWARE: part(z.looseObject({ 'Fan duty': num({ min: 0, max: 100 }) })),
});
const errorCode = (value: unknown) => {
  const code = toText(value, 16);
  return code !== undefined && /^(0x[\da-f]+|\d+)$/i.test(code) ? code : undefined;
};
const mac = () => field((value) => toText(value, 128));

export const replies = z.object({
  all: reply(
    z.looseObject({
      all: z
        .looseObject({
          total_hash: part(z.looseObject(RATES)),
          chain: list(chain, 64),
          power: num({ min: 1, max: 100_000 }),
          fansSpeed: num({ min: 0, max: 100 }),
          mac: mac(),
          uptime: num({ min: 0, max: 4e9 }),
        })
        .refine(({ total_hash, chain: chains }) => total_hash !== undefined || chains !== undefined),
    }),
  ),
  summary: reply(summaryReply.refine(({ SUMMARY }) => SUMMARY !== undefined)),
  devs: reply(devsReply.refine(({ DEVS }) => DEVS !== undefined)),
  webDevs: reply(webSummary.refine(({ DEVS }) => DEVS !== undefined)),
  stats: reply(z.looseObject({ STATS: list(statsRow, 64) }).refine(({ STATS }) => STATS !== undefined)),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  webPools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  fault: reply(
    z
      .looseObject({
        code: field(errorCode),
        detail: part(z.looseObject({ msg: text(256) })),
      })
      .refine(({ code }) => code !== undefined),
  ),
  overview: reply(
    z.looseObject({
      type: text(64),
      hostname: text(),
      version: part(z.looseObject({ ethaddr: mac(), build_date: text(), hwver: text() })),
    }),
  ),
  type: reply(z.looseObject({ type: text(64) })),
  version: reply(versionReply),
});
export type Replies = z.output<typeof replies>;

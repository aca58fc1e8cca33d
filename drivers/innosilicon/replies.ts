// What Innosilicon answers, as far as we read it (atlas 19). Everything on the web comes with `success`; what lacks it
// is no answer.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num, text, toNumber, toText } from '../../src/driver/fields.ts';
import { devRow, poolsReply, summaryReply, versionReply } from '../_dialects/cgminer.ts';

const sensor = () => num({ min: 1, max: 200 });
/** Left as they are: which unit `Hash Rate` has where none stands beside it, read.ts finds out. */
const RATES = { 'Hash Rate H': num({ min: 0 }), 'Hash Rate': num({ min: 0 }), Unit: text(16) };
const rates = () => part(z.looseObject(RATES));

const chain = z.looseObject({
  ASC: int({ min: 0, max: 63 }),
  ...RATES,
  /** The hottest chip. */
  'Temp max': sensor(),
  'Average Temp': sensor(),
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

function part<S extends z.ZodType>(schema: S) {
  return schema.optional().catch(undefined);
}

/** The words of `uptime`, such as ` 10:22:33 up 1 day,  2:32,  load average: …`; some builds have the seconds. */
function toAgeS(value: unknown): number | undefined {
  const seconds = toNumber(value, { min: 0, max: 4e9 });
  if (seconds !== undefined) return seconds;
  const [, days = 0, hours = 0, minutes, onlyMinutes] =
    toText(value, 128)?.match(/\bup\s+(?:(\d{1,5}) days?,\s*)?(?:(\d{1,2}):(\d\d)|(\d{1,2}) min)/) ?? [];
  const told = minutes ?? onlyMinutes;
  return told === undefined ? undefined : (Number(days) * 24 + Number(hours)) * 3_600 + Number(told) * 60;
}

const TUNINGS = ['efficient', 'balanced', 'factory', 'performance'] as const;
const tuning = () => field((value) => TUNINGS.find((word) => word === toText(value)?.toLowerCase()));

/** The web puts its own rates into the rows of TCP. */
const devices = z.looseObject({ STATUS: z.unknown().optional(), DEVS: list(devRow.extend(RATES), 64) });
/** `/api/summary`: what TCP says of boards and pools, for builds that keep that closed. */
const webSummary = poolsReply.extend({
  ...devices.shape,
  TotalHash: rates(),
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
          type: text(64),
          total_hash: rates(),
          chain: list(chain, 64),
          power: num({ min: 1, max: 100_000 }),
          fansSpeed: num({ min: 0, max: 100 }),
          mac: mac(),
          hwver: text(),
          uptime: field(toAgeS),
          running_mode: part(z.looseObject({ mode: tuning(), level: int({ min: 0, max: 4 }) })),
        })
        .refine(({ total_hash, chain: chains }) => total_hash !== undefined || chains !== undefined),
    }),
  ),
  summary: reply(summaryReply.refine(({ SUMMARY }) => SUMMARY !== undefined)),
  devs: reply(devices.refine(({ DEVS }) => DEVS !== undefined)),
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

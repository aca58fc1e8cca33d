// What Goldshell answers, as far as we read it (atlas 18): BFGMiner's words on TCP with keys of its own, and the JSON of its web page.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, text, toNumber, toText } from '../../src/driver/fields.ts';
import { normaliseMac } from '../../src/model/identity-facts.ts';
import { devRow, poolsReply, rateHs } from '../_families/cgminer.ts';

const mhs = () => field((value) => rateHs(value, 'M'));
const rpm = () => num({ min: 0, max: 30_000 });
const sensor = () => num({ min: 1, max: 200 });

const devsRow = devRow.extend({
  'MHS 20s': mhs(),
  'MHS av': mhs(),
  /** Chips: somewhat above their mean, never the hottest. */
  'tstemp-0': sensor(),
  'tstemp-1': sensor(),
  /** The board's own sensor, which its page shows. */
  'tstemp-2': sensor(),
  clock: num({ min: 0, max: 10_000 }),
  /** Of the whole machine where several boards say the same. */
  estimate_hash_rate: field((value) => rateHs(value, '')),
  fan0: rpm(),
  fan1: rpm(),
  fan2: rpm(),
  fan3: rpm(),
  /** What the board mines, where a machine has boards of several kinds. */
  pool: text(64),
  /** Of a zkSNARK board; the others have it as `estimate_hash_rate`. */
  theory_hash: mhs(),
});
export type DevsRow = z.output<typeof devsRow>;

/** `77.7 °C`, `51.2 C/..`. */
const degrees = () => field((value) => toNumber(toText(value)?.match(/^[\d.]+/)?.[0], { min: 1, max: 200 }));

const webRow = z.looseObject({
  id: int({ min: 0, max: 63 }),
  hashrate: mhs(),
  av_hashrate: mhs(),
  temp: degrees(),
  /** `3180 rpm / 3120 rpm`. */
  fanspeed: field((value) =>
    toText(value)
      ?.split('/')
      .map((part) => toNumber(part.match(/\d+/)?.[0], { min: 0, max: 30_000 })),
  ),
  time: num({ min: 0, max: 4e9 }),
  hwerrors: int({ min: 0, max: 1e15 }),
  /** W of the whole machine, told with each board. */
  power: num({ min: 1, max: 100_000 }),
});
export type WebRow = z.output<typeof webRow> & { readonly kind?: string | undefined };

const groups = z.looseObject({ name: text(64), infos: list(webRow, 64) });

/** The rows stand in `data`, or in groups per algorithm in `minfos`, there or beside it. */
const webDevs = z
  .looseObject({ data: z.unknown().optional(), minfos: z.unknown().optional() })
  .transform(({ data, minfos }): WebRow[] | undefined => {
    const inside = z.looseObject({ minfos: z.unknown().optional() }).safeParse(data).data?.minfos;
    const found = list(groups, 8).parse(minfos ?? inside);
    if (found === undefined) return list(webRow, 64).parse(data);
    // A group that cannot be read would look like a machine without it.
    if (found.some(({ infos }) => infos === undefined)) return undefined;
    return found.flatMap(({ name, infos = [] }) => infos.map((row): WebRow => ({ ...row, kind: name })));
  })
  .refine((rows) => rows !== undefined);

const webPoolRow = z.looseObject({
  url: text(512),
  user: text(512),
  active: bool(),
  'pool-priority': int({ min: 0, max: 63 }),
});

export const settingReply = z.looseObject({
  /** The MAC, unless the owner has named the machine. */
  name: field((value) => normaliseMac(toText(value, 64) ?? '')),
  ledcontrol: bool(),
  /** Level of the plan in use. */
  select: int({ min: 0, max: 63 }),
  powerplans: list(z.looseObject({ level: int({ min: 0, max: 63 }), info: text(64) }), 32),
  /** Runs `manualPowerplan` in place of a plan. */
  manual: bool(),
  manualPowerplan: text(64),
});
export type Setting = z.output<typeof settingReply>;

const detail = z.looseObject({
  ID: int({ min: 0, max: 63 }),
  DEVDETAILS: int({ min: 0, max: 63 }),
  'chips-nr': int({ min: 0, max: 100_000 }),
});

export const replies = z.object({
  devs: reply(z.looseObject({ DEVS: list(devsRow, 64) }).refine(({ DEVS }) => DEVS !== undefined)),
  webDevs: reply(webDevs),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  webPools: reply(z.array(z.unknown()).transform((rows) => list(webPoolRow, 64).parse(rows))),
  setting: reply(
    settingReply.refine(({ powerplans, select, name }) =>
      [powerplans, select, name].some((value) => value !== undefined),
    ),
  ),
  status: reply(z.looseObject({ model: text(64), firmware: text(), mcbversion: text() })),
  /** Told under one name or the other. */
  devdetails: reply(z.looseObject({ DEVS: list(detail, 64), DEVDETAILS: list(detail, 64) })),
});
export type Replies = z.output<typeof replies>;

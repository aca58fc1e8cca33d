// What Goldshell answers, as far as we read it (atlas 18): BFGMiner's words on TCP with keys of its own, and who it is
// on its web.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { field, int, list, num, text, toNumber, toText } from '../../src/driver/fields.ts';
import { devRow, poolsReply, rateHs } from '../_dialects/cgminer.ts';

const mhs = () => field((value) => rateHs(value, 'M'));
const rpm = () => num({ min: 0, max: 30_000 });
const sensor = () => num({ min: 1, max: 200 });

/** `77.7 °C`, `83.0 °C / 73.8 °C`: 0 is a sensor that is not there. */
const degrees = () =>
  field((value) => {
    const found = toText(value)
      ?.split('/')
      .flatMap((part) => toNumber(part.match(/[\d.]+/)?.[0], { min: 1, max: 200 }) ?? []);
    return found === undefined || found.length === 0 ? undefined : found;
  });

/** Where a model has more than one sensor, each has its place: right, left, top, middle. */
const PLACES = { r_temp: degrees(), l_temp: degrees(), t_temp: degrees(), m_temp: degrees() };

const devsRow = devRow.extend({
  ...PLACES,
  'MHS 20s': mhs(),
  'MHS av': mhs(),
  /** Chips: somewhat above their mean, never the hottest. */
  'tstemp-0': sensor(),
  'tstemp-1': sensor(),
  /** The board's own sensor, which its page shows. */
  'tstemp-2': sensor(),
  clock: num({ min: 0, max: 10_000 }),
  /** Of a board of many chips in a row, in mV; a box prints the volts of one of its chips. */
  voltage: num({ min: 5_000, max: 50_000 }),
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

const webRow = z.looseObject({
  ...PLACES,
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
  hwerrors: int({ min: 0, max: 1e15 }),
});
export type WebRow = z.output<typeof webRow>;

const detail = z.looseObject({
  ID: int({ min: 0, max: 63 }),
  DEVDETAILS: int({ min: 0, max: 63 }),
  'chips-nr': int({ min: 0, max: 100_000 }),
});

export const replies = z.object({
  devs: reply(z.looseObject({ DEVS: list(devsRow, 64) }).refine(({ DEVS }) => DEVS !== undefined)),
  /** Rows in `data`; in groups per algorithm they are not read, as their rates do not add up. */
  webDevs: reply(z.looseObject({ data: list(webRow, 64) }).refine(({ data }) => data !== undefined)),
  pools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
  status: reply(z.looseObject({ model: text(64), firmware: text(), mcbversion: text() })),
  /** Told under one name or the other. */
  devdetails: reply(z.looseObject({ DEVS: list(detail, 64), DEVDETAILS: list(detail, 64) })),
});
export type Replies = z.output<typeof replies>;

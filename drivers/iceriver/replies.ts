// What Iceriver answers, as far as we read it (atlas 17): nearly everything is in `userpanel`. Rates are texts with a
// unit letter.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import {
  bool,
  field,
  int,
  list,
  num,
  poolAddress,
  text,
  toBoolean,
  toNumber,
  toTempC,
  toText,
} from '../../src/driver/fields.ts';
import { positive, rateHs, rateUnit } from '../_families/cgminer.ts';

const count = () => int({ min: 0, max: 1e15 });
/** `none` and `(null)` are how the firmware prints what it does not know. */
const told = (maxLength = 256) =>
  field((value) => {
    const written = toText(value, maxLength);
    return written === undefined || /^(none|\(?null\)?)$/i.test(written) ? undefined : written;
  });

/** `6226G`, `37.68G`, `15.1 T`; a number alone is in `unit`. */
export function toPowHs(written: string | undefined, unit: string | undefined): number | undefined {
  const [, number, letter = unit] = written?.match(/^([\d.,]+)\s*([a-z])?(?:h\/s)?$/i) ?? [];
  const scale = letter === undefined ? undefined : rateUnit(`${letter}H`);
  return scale === undefined ? undefined : rateHs(number, scale);
}

/**
 * Sensors on the edges of a board. A broken one reads about 126 while its neighbours are cool; a real board is off long
 * before.
 */
const edge = () =>
  field((value) => {
    const tempC = toTempC(value);
    return tempC !== undefined && tempC < 120 ? tempC : undefined;
  });

/** `days:hours:minutes:seconds`. */
function toSeconds(value: unknown): number | undefined {
  const [, days, hours, minutes, seconds] = toText(value)?.match(/^(\d{1,5}):(\d{1,2}):(\d{1,2}):(\d{1,2})$/) ?? [];
  if (seconds === undefined) return undefined;
  return Number(days) * 86_400 + Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds);
}

const board = z.looseObject({
  /** Counts from 1. */
  no: int({ min: 1, max: 64 }),
  chipnum: int({ min: 0, max: 100_000 }),
  freq: num({ min: 0, max: 10_000 }),
  rtpow: text(32),
  idealpow: text(32),
  intmp: edge(),
  outtmp: edge(),
  state: bool(),
});
export type Board = z.output<typeof board>;

/** A few builds count in fractions, and write -1 where nothing is connected. */
const connection = () =>
  field((value) => {
    const count = toNumber(value, { min: -1, max: 64 });
    return count === undefined ? toBoolean(value) : count > 0;
  });

const pool = z.looseObject({
  no: int({ min: 1, max: 64 }),
  addr: poolAddress(),
  user: text(512),
  /** 1 = a connection to it stands. */
  state: int({ min: 0, max: 10 }),
  connect: connection(),
  accepted: count(),
  rejected: count(),
});
export type Pool = z.output<typeof pool>;

const panelData = z.looseObject({
  model: told(64),
  /** The mining program, whose name holds the model. */
  softver1: told(128),
  mac: field((value) => toText(value, 128)),
  host: told(),
  locate: bool(),
  rtpow: text(32),
  avgpow: text(32),
  unit: text(4),
  runtime: field(toSeconds),
  powstate: bool(),
  netstate: bool(),
  fanstate: bool(),
  tempstate: bool(),
  fans: field((value) =>
    Array.isArray(value) ? value.slice(0, 32).map((rpm) => toNumber(rpm, { min: 0, max: 30_000 })) : undefined,
  ),
  boards: list(board, 64),
  pools: list(pool, 64),
});
export type Panel = z.output<typeof panelData>;

const NO_DATA: Panel = {};

const panelReply = z
  .looseObject({ error: int({ min: 0 }), message: told(), data: panelData.optional().catch(undefined) })
  .transform(({ error, message, data = NO_DATA }) => ({ error: positive(error), message, data }))
  // A device that says neither a fault nor a word about itself has not been understood.
  .refine(({ error, data }) => error !== undefined || data.rtpow !== undefined || data.mac !== undefined);

export const machineReply = z.looseObject({
  data: z.looseObject({
    /** 1 = normal, others = sleep. */
    mode: int({ min: 0, max: 16 }),
    /** Duty of the fans as set, percent. */
    ratio: int({ min: 0, max: 100 }),
    pools: list(pool, 64),
  }),
});

export const replies = z.object({ panel: reply(panelReply), machine: reply(machineReply) });
export type Replies = z.output<typeof replies>;

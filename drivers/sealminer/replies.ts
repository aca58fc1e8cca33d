// What a Sealminer answers, as far as we read it (atlas 13): BDMiner's statistics on TCP, one page of its web.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, poolAddress, text, toText } from '../../src/driver/fields.ts';
import { poolsReply, toDifficulty, versionReply } from '../_dialects/cgminer.ts';
import { part } from '../_dialects/reply-part.ts';

const mhs = () => num({ min: 0, max: 1e12 });
const watts = () => num({ min: 0, max: 100_000 });
const seconds = () => num({ min: 0, max: 4e9 });
const asWritten = () => field((value) => toText(value, 128));
/** Blank is an answer: there is none. */
const fault = () => field((value) => (typeof value === 'string' && value.trim() === '' ? '' : toText(value, 128)));

/** Boards and fans follow as keys with their number in front: `0 Chip Count`, `0 Speed`. */
const statsRow = z.looseObject({
  MAC: asWritten(),
  Model: text(),
  Firmware: text(),
  'Ctrl Board': text(),
  'Ctrl Board SN': asWritten(),
  Elapsed: seconds(),
  'System Uptime': seconds(),
  'PM State': text(),
  'Mining Mode': text(64),
  'MHS(Sample)': mhs(),
  'MHS(1m)': mhs(),
  'MHS(15m)': mhs(),
  'MHS(Avg)': mhs(),
  'MHS(Rated)': mhs(),
  'MHS(Ideal)': mhs(),
  'Board Count': int({ min: 0, max: 32 }),
  'Fan Count': int({ min: 0, max: 32 }),
  'Liquid Cooling': bool(),
  'Power Limit': watts(),
  'Error Code': fault(),
  'Error Chip': fault(),
  'PSU Model': text(),
  'PSU SN': text(),
  'PSU Input Power': watts(),
  'PSU Output Power': watts(),
  'PSU Input Voltage': num({ min: 0, max: 1_000 }),
  'PSU Output Voltage': num({ min: 0, max: 1_000 }),
  'PSU Temp AMB': num({ min: -50, max: 200 }),
  'PSU Fan Speed': num({ min: 0, max: 30_000 }),
  'PSU Error': fault(),
});
export type StatsRow = z.output<typeof statsRow>;
export const statsReply = z.looseObject({ STATUS: z.unknown().optional(), STATS: list(statsRow, 4) });

const modeNumber = () => int({ min: 0, max: 1_000 });

/** `miningMode` is one of the numbers that stand beside it, which differ from build to build. */
export const systemReply = z.looseObject({
  macaddr: asWritten(),
  miner_type: text(),
  firmware_version: text(),
  ctrl_version: text(),
  crtl_sn: asWritten(),
  led: bool(),
  miningMode: modeNumber(),
  low_power: modeNumber(),
  normal: modeNumber(),
  high_performance: modeNumber(),
  custom: modeNumber(),
});
export type System = z.output<typeof systemReply>;

const count = () => int({ min: 0, max: 1e15 });
const statusPool = z.looseObject({
  id: int({ min: 0, max: 63 }),
  url: poolAddress(),
  user: text(512),
  status: text(),
  isActive: bool(),
  accept: count(),
  rejected: count(),
  stale: count(),
  diff: field(toDifficulty),
  lsdiff: field(toDifficulty),
});
export type StatusPool = z.output<typeof statusPool>;

/** The start page's own figures, which stand in for TCP 4028 where that is closed. */
const statusReply = z
  .looseObject({ summary: part({ elapsed: seconds(), mhsav: mhs() }), pools: list(statusPool, 64) })
  .refine(({ summary, pools }) => summary !== undefined || pools !== undefined);

export const replies = z.object({
  stats: reply(statsReply),
  status: reply(statusReply),
  pools: reply(poolsReply),
  version: reply(versionReply),
  system: reply(systemReply),
});
export type Replies = z.output<typeof replies>;

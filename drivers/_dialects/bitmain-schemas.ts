// The pages of Bitmain's web as schemas, for drivers that still check their replies with them.
import { z } from 'zod';
import { bool, field, int, list, num, poolAddress, text, toText } from '../../src/driver/fields.ts';
import { toDifficulty } from '../../src/driver/kit/figures.ts';

/** Serial numbers and MACs are opaque: what is malformed is judged elsewhere and must arrive as written. */
export const asWritten = () => field((value) => toText(value, 128));

export const systemReply = z.looseObject({
  minertype: text(),
  hostname: text(),
  macaddr: asWritten(),
  serinum: asWritten(),
  serial_no: asWritten(),
  system_filesystem_version: text(),
  system_kernel_version: text(),
});

export const summaryPage = z.looseObject({
  SUMMARY: list(
    z.looseObject({
      elapsed: num({ min: 0, max: 4e9 }),
      status: list(z.looseObject({ type: text(64), status: text(16), code: text(32), msg: text() }), 16),
    }),
    4,
  ),
});

/** Of a configuration: the mode under its two names. */
export const modePage = z.looseObject({ 'bitmain-work-mode': int({ min: 0 }), 'miner-mode': int({ min: 0 }) });

/** `{"blink": true}`; some builds answer with the code that switching it would give. */
export const blinkPage = z.looseObject({ blink: bool(), code: text(16) });

const count = () => int({ min: 0, max: 1e15 });
const difficulty = () => num({ min: 0, max: 1e30 });

/** One row of `pools.cgi`. */
export const poolRow = z.looseObject({
  index: int({ min: 0, max: 63 }),
  url: poolAddress(),
  user: text(512),
  status: text(),
  priority: int({ min: 0 }),
  accepted: count(),
  rejected: count(),
  stale: count(),
  diff: field(toDifficulty),
  diffa: difficulty(),
  diffr: difficulty(),
  diffs: difficulty(),
  lsdiff: difficulty(),
});
export const poolsPage = z.looseObject({ POOLS: list(poolRow, 64) });

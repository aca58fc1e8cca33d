// What MARA firmware answers, as far as we read it (atlas 14). Rates are left without a unit: read.ts finds it.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, text, toNumber } from '../../src/driver/fields.ts';
import { toWatts } from '../_dialects/bitmain.ts';
import { asWritten, poolRow } from '../_dialects/bitmain-schemas.ts';
import { positive } from '../_dialects/cgminer.ts';

const rate = () => num({ min: 0, max: 1e9 });

export const replies = z.object({
  brief: reply(
    z.looseObject({
      hashrate_realtime: rate(),
      hashrate_average: rate(),
      hashrate_ideal: rate(),
      hashrate_realtime_1d: rate(),
      /** Of all rates; builds that lack it write the ideal one in GH/s. */
      hashrate_unit: text(16),
      power_consumption_estimated: field(toWatts),
      status: text(64),
      work_mode: text(32),
      /** How well it is, in a word and in a sentence. */
      indicator: text(64),
      indicator_long: text(),
      elapsed: num({ min: 0, max: 4e9 }),
    }),
  ),
  hashboards: reply(
    z.looseObject({
      hashboard_num_ideal: int({ min: 0, max: 63 }),
      hashboards: list(
        z.looseObject({
          index: int({ min: 0, max: 63 }),
          hashrate_average: rate(),
          hashrate_ideal: rate(),
          frequency_average: num({ min: 0, max: 10_000 }),
          power_consumption_estimated: field(toWatts),
          asic_num: int({ min: 0, max: 100_000 }),
          asic_num_ideal: int({ min: 0, max: 100_000 }),
          serial_number: text(),
          temperature_pcb: z.unknown().optional(),
          temperature_chip: z.unknown().optional(),
        }),
        16,
      ),
    }),
  ),
  fans: reply(
    z.looseObject({
      percent: num({ min: 0, max: 100 }),
      fans: list(z.looseObject({ current_speed: num({ min: 0, max: 30_000 }) }), 16),
    }),
  ),
  pools: reply(z.array(z.unknown()).transform((rows) => list(poolRow, 64).parse(rows))),
  config: reply(
    z.looseObject({
      mode: z
        .looseObject({
          'work-mode-selector': text(32),
          concorde: z
            .looseObject({
              'mode-select': text(32),
              'power-target': field((value) => positive(toNumber(value, { min: 0, max: 100_000 }))),
              'hash-target': field((value) => positive(toNumber(value, { min: 0, max: 100_000 }))),
            })
            .optional()
            .catch(undefined),
        })
        .optional()
        .catch(undefined),
    }),
  ),
  light: reply(z.looseObject({ blinking: bool() })),
  overview: reply(
    z.looseObject({
      model: text(),
      mac: asWritten(),
      version_firmware: text(),
      control_board: text(),
      hostname: text(),
    }),
  ),
  network: reply(z.looseObject({ hostname: text() })),
});
export type Replies = z.output<typeof replies>;

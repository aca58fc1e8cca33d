// What the REST API of Braiins OS answers (from 25.07, in part from 25.01), as far as we read it (atlas 6.3).
// Quantities come wrapped in their unit.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, poolAddress, temp, text, toNumber, toText } from '../../src/driver/fields.ts';
import { rateHs } from '../_dialects/cgminer.ts';
import { part } from '../_dialects/reply-part.ts';

/** Serial numbers and MACs are opaque: what is malformed is judged elsewhere and must arrive as written. */
const asWritten = () => field((value) => toText(value, 128));
const count = () => int({ min: 0, max: 1e15 });

const rate = () => part({ gigahash_per_second: field((value) => rateHs(value, 'G')) });
const celsius = () => part({ degree_c: temp() });
const watts = () => part({ watt: num({ min: 1, max: 100_000 }) });

const rates = () => part({ last_5s: rate(), last_15m: rate(), last_24h: rate(), since_restart: rate() });

export const detailsReply = z.looseObject({
  /** 1 not started, 2 normal, 3 paused, 4 suspended (a fault, no pause), 5 restricted (not certain). */
  status: int({ min: 0, max: 99 }),
  mac_address: asWritten(),
  hostname: text(),
  serial_number: asWritten(),
  bos_version: part({ current: text() }),
  miner_identity: part({ name: text(), miner_model: text() }),
  control_board_soc_family: int({ min: 0, max: 99 }),
  bosminer_uptime_s: num({ min: 0, max: 4e9 }),
  system_uptime_s: num({ min: 0, max: 4e9 }),
  sticker_hashrate: rate(),
  psu_info: part({ model_name: text(), serial_number: text() }),
});

const board = z.looseObject({
  id: field((value) => toNumber(value, { min: 0, max: 63 })),
  enabled: bool(),
  serial_number: text(),
  chips_count: int({ min: 0, max: 100_000 }),
  board_temp: celsius(),
  highest_chip_temp: part({ temperature: celsius() }),
  lowest_inlet_temp: celsius(),
  highest_outlet_temp: celsius(),
  current_frequency: part({ hertz: num({ min: 0, max: 1e10 }) }),
  current_voltage: part({ volt: num({ min: 0, max: 100 }) }),
  stats: part({ real_hashrate: rates(), nominal_hashrate: rate() }),
});
export type RestBoard = z.output<typeof board>;

export const configurationReply = z.looseObject({
  tuner: part({
    enabled: bool(),
    /** 1 power, 2 hashrate. */
    tuner_mode: int({ min: 0, max: 9 }),
    power_target: watts(),
    hashrate_target: part({ terahash_per_second: num({ min: 0, max: 1e6 }) }),
  }),
});

const pool = z.looseObject({
  url: poolAddress(),
  user: text(512),
  active: bool(),
  alive: bool(),
  stats: part({
    accepted_shares: count(),
    rejected_shares: count(),
    stale_shares: count(),
    last_difficulty: num({ min: 0, max: 1e30 }),
  }),
});
const group = z.looseObject({ name: text(), pools: list(pool, 64) });
export const poolsReply = z.array(z.unknown()).transform((rows) => list(group, 16).parse(rows));

const fault = z.looseObject({
  timestamp: text(64),
  message: text(512),
  error_codes: list(z.looseObject({ code: text(128), hint: text(512), reason: text(512) }), 8),
  components: list(z.looseObject({ index: int({ min: 0, max: 999 }), name: text(64) }), 8),
});
export type Fault = z.output<typeof fault>;

export const restReplies = {
  details: reply(detailsReply),
  stats: reply(
    z.looseObject({
      miner_stats: part({ real_hashrate: rates(), nominal_hashrate: rate() }),
      power_stats: part({ approximated_consumption: watts() }),
      pool_stats: part({ last_share_time: part({ seconds: num({ min: 0, max: 4e9 }) }) }),
    }),
  ),
  hashboards: reply(z.looseObject({ hashboards: list(board, 64) })),
  cooling: reply(
    z.looseObject({
      fans: list(
        z.looseObject({
          position: int({ min: 0, max: 31 }),
          rpm: num({ min: 0, max: 30_000 }),
          target_speed_ratio: num({ min: 0, max: 1 }),
        }),
        32,
      ),
      highest_temperature: part({ temperature: celsius() }),
    }),
  ),
  pools: reply(poolsReply),
  configuration: reply(configurationReply),
  tunerState: reply(z.looseObject({ mode_state: part({ powertargetmodestate: part({ current_target: watts() }) }) })),
  errors: reply(z.looseObject({ errors: list(fault, 512) })),
  locate: reply(z.boolean()),
  network: reply(z.looseObject({ mac_address: asWritten(), hostname: text() })),
  version: reply(z.looseObject({ major: count(), minor: count(), patch: count() })),
};

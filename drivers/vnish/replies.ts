// What VNish answers under /api/v1 and on TCP 4028, as far as we read it (atlas 8). Rates are left without a unit:
// `hr_measure` of `info` names it.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import { bool, field, int, list, num, poolAddress, temp, text, toNumber, toText } from '../../src/driver/fields.ts';
import { statsReply } from '../_dialects/bitmain.ts';
import { poolsReply, summaryReply, toDifficulty } from '../_dialects/cgminer.ts';
import { part } from '../_dialects/reply-part.ts';

const asWritten = () => field((value) => toText(value, 128));
const rate = () => num({ min: 0, max: 1e12 });
const count = () => int({ min: 0, max: 1e15 });
const difficulty = () => num({ min: 0, max: 1e30 });
const range = () => part({ min: temp(), max: temp() });
/** The key of the efficiency was once that of the power: so little no running miner takes. */
const watts = () => field((value) => toNumber(value, { min: 10, max: 100_000 }));

const boardWatts = () => num({ min: 0, max: 10_000 });
const sensors = () => list(z.looseObject({ status: text(16), temp: temp() }), 64);

const chain = z.looseObject({
  id: int({ min: 0, max: 63 }),
  hashrate_rt: rate(),
  hashrate_ideal: rate(),
  frequency: num({ min: 0, max: 10_000 }),
  /** Millivolts. */
  voltage: num({ min: 1_000, max: 100_000 }),
  power_consumption: boardWatts(),
  power_usage: boardWatts(),
  pcb_temp_sens: sensors(),
  chip_temp_sens: sensors(),
  pcb_temp: range(),
  chip_temp: range(),
  inlet_water_temp: temp(),
  outlet_water_temp: temp(),
  hw_errors: count(),
  /** By quality: all chips that the board has. */
  chip_statuses: part({ red: count(), orange: count(), grey: count() }),
  status: part({ state: text(32), description: text(512) }),
});
export type Chain = z.output<typeof chain>;

const pool = z.looseObject({
  id: int({ min: 0, max: 63 }),
  url: poolAddress(),
  user: text(512),
  status: text(32),
  pool_type: text(32),
  accepted: count(),
  rejected: count(),
  stale: count(),
  diff: field(toDifficulty),
  diffa: difficulty(),
  ls_diff: difficulty(),
});
export type WebPool = z.output<typeof pool>;

const state = {
  miner_state: text(32),
  failure_code: field((value) => toText(value, 64)),
  description: text(512),
};

const psuTemps = { pfc: temp(), llc1: temp(), llc2: temp(), pfc_temp: temp(), llc1_temp: temp(), llc2_temp: temp() };

export const statusReply = z.looseObject({ ...state, find_miner: bool() });

const system = part({
  uptime: text(64),
  network_status: part({ mac: asWritten(), hostname: text() }),
});

export const replies = z.object({
  summary: reply(
    z.looseObject({
      system,
      /** Null while nothing runs. */
      miner: z
        .union([
          z.null(),
          z.looseObject({
            miner_type: text(),
            miner_status: part(state),
            hr_realtime: rate(),
            hr_average: rate(),
            hr_nominal: rate(),
            hr_stock: rate(),
            /** Of older versions. */
            instant_hashrate: rate(),
            average_hashrate: rate(),
            power_usage: watts(),
            power_consumption: watts(),
            chip_temp: range(),
            pcb_temp: range(),
            chains: list(chain, 64),
            pools: list(pool, 64),
            cooling: part({
              fans: list(z.looseObject({ id: int({ min: 0, max: 31 }), rpm: num({ min: 0, max: 30_000 }) }), 32),
              fan_num: int({ min: 0, max: 31 }),
              fan_duty: num({ min: 0, max: 100 }),
              settings: part({ mode: part({ name: text(32) }) }),
            }),
            psu: part({ temps: part(psuTemps) }),
          }),
        ])
        .optional()
        .catch(undefined),
    }),
  ),
  info: reply(
    z.looseObject({
      miner: text(),
      model: text(),
      fw_version: text(),
      platform: text(16),
      serial: asWritten(),
      hr_measure: text(16),
      system,
    }),
  ),
  status: reply(statusReply),
  perf: reply(z.looseObject({ current_preset: part({ name: text(64) }) })),
  factory: reply(
    z.looseObject({
      psu_model: text(),
      psu_serial: text(),
      chains: list(z.looseObject({ id: int({ min: 0, max: 63 }), serial: text() }), 64),
    }),
  ),
  tcpSummary: reply(summaryReply.refine(({ SUMMARY }) => SUMMARY !== undefined)),
  tcpStats: reply(statsReply.refine(({ STATS }) => STATS !== undefined)),
  tcpPools: reply(poolsReply.refine(({ POOLS }) => POOLS !== undefined)),
});
export type Replies = z.output<typeof replies>;

// What a Proto rig answers, as far as we read it (atlas 12). Telemetry values carry their unit.
import { z } from 'zod';
import { reply } from '../../src/driver/contract.ts';
import {
  field,
  int,
  list,
  num,
  partSerial,
  poolAddress,
  temp,
  text,
  toNumber,
  toTempC,
  toText,
} from '../../src/driver/fields.ts';
import { rateHs, rateUnit } from '../_dialects/cgminer.ts';

const asWritten = () => field((value) => toText(value, 128));
const object = <S extends z.ZodRawShape>(shape: S) => z.looseObject(shape).optional().catch(undefined);
const count = () => int({ min: 0, max: 1e15 });
const slot = () => int({ min: 1, max: 64 });
const seconds = () => num({ min: 0, max: 4e9 });
const ghs = () => field((value) => rateHs(value, 'G'));
const watts = () => num({ min: 0, max: 100_000 });

const metric = z.looseObject({ value: z.unknown().optional(), unit: text(16) });
/** H/s. */
const rate = () =>
  field((value) => {
    const { data } = metric.safeParse(value);
    const unit = rateUnit(data?.unit);
    return data === undefined || unit === undefined ? undefined : rateHs(data.value, unit);
  });
const power = () =>
  field((value) => {
    const { data } = metric.safeParse(value);
    return scaled(data?.value, data?.unit, 'W', 100_000);
  });
const voltage = () =>
  field((value) => {
    const { data } = metric.safeParse(value);
    return scaled(data?.value, data?.unit, 'V', 100);
  });
/** Input and output of a power supply, in the unit that is written beside them. */
const twoSided = (unit: 'W' | 'V', max: number) =>
  field((value) => {
    const { data } = z
      .looseObject({ input: z.unknown(), output: z.unknown(), unit: text(16) })
      .partial()
      .safeParse(value);
    return (
      data && { input: scaled(data.input, data.unit, unit, max), output: scaled(data.output, data.unit, unit, max) }
    );
  });

/** kW and mV as W and V; undefined for other units. */
function scaled(value: unknown, written: string | undefined, unit: 'W' | 'V', max: number): number | undefined {
  const factor = { [unit]: 1, [`k${unit}`]: 1_000, [`m${unit}`]: 0.001 }[written?.trim() ?? ''];
  const number = toNumber(value, { min: 0 });
  const found = factor === undefined || number === undefined ? undefined : number * factor;
  return found !== undefined && found <= max ? found : undefined;
}

/** One value per chip; 0 is none. Undefined where the unit is another one. */
const chipTemps = () =>
  field((value) => {
    const { data } = z.looseObject({ unit: text(16), values: z.array(z.unknown()).max(1_024) }).safeParse(value);
    if (data === undefined || !/^(\u00b0 ?)?C$/i.test(data.unit ?? 'C')) return undefined;
    const temps = data.values.flatMap((each) => toTempC(each) ?? []);
    return temps.length === 0 ? undefined : temps;
  });

const pool = z.looseObject({
  url: poolAddress(),
  user: text(512),
  priority: int({ min: 0, max: 63 }),
  status: text(32),
  accepted: count(),
  accepted_shares: count(),
  rejected: count(),
  rejected_shares: count(),
  difficulty_accepted_shares: num({ min: 0 }),
  difficulty_rejected_shares: num({ min: 0 }),
  current_difficulty: num({ min: 0 }),
  difficulty: num({ min: 0 }),
});

export const miningReply = z.looseObject({
  'mining-status': z.looseObject({
    status: text(32),
    hashrate_ghs: ghs(),
    average_hashrate_ghs: ghs(),
    ideal_hashrate_ghs: ghs(),
    power_usage_watts: watts(),
    power_target_watts: watts(),
    mining_uptime_s: seconds(),
    reboot_uptime_s: seconds(),
    average_asic_temp_c: temp(),
    hashboards_installed: int({ min: 0, max: 63 }),
    hashboards_mining: int({ min: 0, max: 63 }),
  }),
});

export const targetReply = z.looseObject({
  power_target_watts: watts(),
  power_target_min_watts: watts(),
  power_target_max_watts: watts(),
  default_power_target_watts: watts(),
  performance_mode: text(32),
});

/** One schema per ask of index.ts. */
export const replies = z.object({
  mining: reply(miningReply),
  telemetry: reply(
    z
      .looseObject({
        miner: object({ hashrate: rate(), power: power() }),
        hashboards: list(
          z.looseObject({
            index: int({ min: 0, max: 63 }),
            serial_number: partSerial(),
            hashrate: rate(),
            power: power(),
            voltage: voltage(),
            temperature: object({ inlet: temp(), outlet: temp(), average: temp() }),
            asics: object({ temperature: chipTemps() }),
          }),
          64,
        ),
        psus: list(
          z.looseObject({
            index: int({ min: 0, max: 63 }),
            serial_number: partSerial(),
            voltage: twoSided('V', 1_000),
            power: twoSided('W', 100_000),
            temperature: object({ average: temp() }),
          }),
          16,
        ),
      })
      .refine((found) => found.miner !== undefined || found.hashboards !== undefined),
  ),
  cooling: reply(
    z.looseObject({
      'cooling-status': z.looseObject({
        fans: list(
          z.looseObject({
            slot: int({ min: 1, max: 32 }),
            rpm: num({ min: 0, max: 30_000 }),
            speed_percentage: num({ min: 0, max: 100 }),
          }),
          32,
        ),
      }),
    }),
  ),
  pools: reply(z.looseObject({ pools: list(pool, 64) }).refine(({ pools }) => pools !== undefined)),
  errors: reply(
    z.array(z.unknown()).transform((rows) =>
      list(
        z.looseObject({
          source: text(64),
          slot: slot(),
          error_code: asWritten(),
          code: asWritten(),
          message: text(),
        }),
        256,
      ).parse(rows),
    ),
  ),
  target: reply(
    targetReply.refine((found) => found.power_target_watts !== undefined || found.performance_mode !== undefined),
  ),
  system: reply(
    z.looseObject({
      'system-info': z.looseObject({
        product_name: text(),
        model: text(),
        cb_sn: asWritten(),
        board: text(),
        os: object({ version: text() }),
        web_server: object({ version: text() }),
      }),
    }),
  ),
  network: reply(
    z.looseObject({ 'network-info': z.looseObject({ mac: asWritten(), mac_address: asWritten(), hostname: text() }) }),
  ),
  hardware: reply(
    z.looseObject({
      'hardware-info': z.looseObject({
        'cb-info': object({ serial_number: asWritten() }),
        'hashboards-info': list(
          z.looseObject({ slot: slot(), hb_sn: partSerial(), mining_asic_count: int({ min: 1, max: 100_000 }) }),
          63,
        ),
        'fans-info': list(z.looseObject({ slot: slot() }), 31),
        'psus-info': list(z.looseObject({ slot: slot(), psu_sn: partSerial(), model: text() }), 16),
      }),
    }),
  ),
});
export type Replies = z.output<typeof replies>;

// The miner of the interface document, v1, as zod schemas: the part an agent reports and the part the service adds when it serves.
// Units: H/s, W, degrees Celsius, J/TH, seconds, MHz; timestamps ISO 8601 UTC. `null` = not known; see the interface document, "Miner".
import { z } from 'zod';
import { flagSchema } from './flags.ts';
import { unstableReasonSchema } from './identity-facts.ts';
import { COOLINGS } from './reading.ts';

const nullableNumber = z.number().nullable();
const nullableText = z.string().nullable();
const isoTime = z.iso.datetime();

export const minerErrorSchema = z.strictObject({ code: z.string(), message: nullableText });

export const hashboardSchema = z.strictObject({
  serial_number: nullableText,
  hashrate: nullableNumber,
  chips: nullableNumber,
  chip_frequency: nullableNumber,
});

export const poolSchema = z.strictObject({
  url: z.string(),
  worker_id: z.string(),
  difficulty_accepted: nullableNumber,
  difficulty_rejected: nullableNumber,
  difficulty_stale: nullableNumber,
});

export const psuSchema = z.strictObject({ serial_number: nullableText, temperature: nullableNumber });

/** What the agent says of one miner: stored and served as it is. `last_updated_at` is the time of the newest successful reading. */
export const minerDocumentSchema = z.strictObject({
  serial_number: nullableText,
  model: nullableText,
  ip: z.ipv4(),
  /** Upper case with colons; `""` when unknown. */
  mac: z.string(),
  firmware_version: nullableText,
  is_mining: z.boolean(),
  /** Whether the newest poll succeeded. */
  last_check_succeed: z.boolean(),
  unstable_reason: unstableReasonSchema.nullable(),
  mining_mode: z.string(),
  mining_mode_preset: nullableText,
  hashrate: nullableNumber,
  hashrate_24h: nullableNumber,
  power: nullableNumber,
  temp: nullableNumber,
  temperature_inlet_avg: nullableNumber,
  temperature_outlet_avg: nullableNumber,
  efficiency: nullableNumber,
  /** 0 when the device does not say: the field is a required number. */
  uptime: z.number(),
  last_updated_at: isoTime.nullable(),
  errors: z.array(minerErrorSchema),
  hashboards: z.array(hashboardSchema),
  total_chips: nullableNumber,
  expected_chips: nullableNumber,
  anomaly_flags: z.int().min(0),
  pools: z.array(poolSchema),
  psus: z.array(psuSchema),
});
export type MinerDocument = z.infer<typeof minerDocumentSchema>;

/** What v2 serves beside the v1 fields (spec decisions, "v2"). Same order of boards as `hashboards`. */
export const minerExtrasSchema = z.strictObject({
  make: nullableText,
  /** Id of the driver that read it, e.g. `antminer-stock`. */
  firmware: z.string(),
  hostname: nullableText,
  controller_serial_number: nullableText,
  expected_hashrate: nullableNumber,
  power_limit: nullableNumber,
  cooling: z.enum(COOLINGS).nullable(),
  light_on: z.boolean().nullable(),
  fans: z.array(z.strictObject({ index: z.int(), rpm: nullableNumber, duty_percent: nullableNumber })),
  board_details: z.array(
    z.strictObject({
      slot: z.int(),
      temperatures: z.array(z.number()),
      chip_temperature_max: nullableNumber,
      chip_temperature_avg: nullableNumber,
      expected_chips: nullableNumber,
      bad_chips: nullableNumber,
      expected_hashrate: nullableNumber,
    }),
  ),
  /** Present and true while the miner lets in whoever knows the family's factory login. */
  default_password: z.literal(true).optional(),
  flags: z.array(flagSchema),
});
export type MinerExtras = z.infer<typeof minerExtrasSchema>;

export const RUN_STATUSES = ['online', 'stale'] as const;
export const OPS_STATUSES = ['maintenance', 'retired', 'off_rack', 'transit', 'archived'] as const;
export type OpsStatus = (typeof OPS_STATUSES)[number];

export const farmReferenceSchema = z.strictObject({ id: z.uuid(), name: nullableText });

/** The miner as v1 serves it. */
export const minerV1Schema = z.strictObject({
  id: z.string(),
  farm_id: z.uuid(),
  farm: farmReferenceSchema,
  workspace_id: z.string(),
  ...minerDocumentSchema.shape,
  rack: nullableText,
  position: z.int().min(1).nullable(),
  stale: z.boolean(),
  overheat: z.literal(false),
  low_hashrate: z.literal(false),
  overpower: z.literal(false),
  underpower: z.literal(false),
  status: z.enum(RUN_STATUSES),
  ops_status: z.enum(OPS_STATUSES).nullable(),
  lifecycle_status: z
    .enum(['online', 'offline', 'stale', 'archived', 'off_rack', 'transit', 'maintenance', 'retired'])
    .nullable(),
  health_status: z.null(),
  created_at: isoTime.nullable(),
});
export type MinerV1 = z.infer<typeof minerV1Schema>;

// The miner of the interface document, v1, as zod schemas: the part that an agent reports and the part that the service
// adds. Units: H/s, W, degrees Celsius, J/TH, seconds, MHz; timestamps ISO 8601 UTC; `null` = not known (interface
// document, "Miner").

import { z } from 'zod';
import { ANOMALY_TYPES } from './flags/anomaly-types.ts';
import { flagSchema } from './flags/flags.ts';
import { unstableReasonSchema } from './identity-facts.ts';
import { COOLINGS } from './reading.ts';

const nullableNumber = z.number().nullable();
const nullableText = z.string().nullable();
const isoTime = z.iso.datetime();

/** What clients read in the OpenAPI document; null where it is not known. */
const amount = (description: string) => nullableNumber.meta({ description });
const text = (description: string) => nullableText.meta({ description });

const ANOMALY_BITS = `Bits: ${ANOMALY_TYPES.map((type, bit) => `${bit} ${type}`).join(', ')}`;

export const minerErrorSchema = z.strictObject({ code: z.string(), message: nullableText });

export const hashboardSchema = z.strictObject({
  serial_number: nullableText,
  hashrate: amount('H/s'),
  chips: amount('Chips that answer'),
  chip_frequency: amount('MHz'),
});

export const poolSchema = z.strictObject({
  url: z.string(),
  worker_id: z.string(),
  difficulty_accepted: amount('Sum of the difficulty of accepted shares'),
  difficulty_rejected: amount('Sum of the difficulty of rejected shares'),
  difficulty_stale: amount('Sum of the difficulty of stale shares'),
});

export const psuSchema = z.strictObject({ serial_number: nullableText, temperature: amount('Degrees Celsius') });

/**
 * What the agent reports of one miner: stored and served as it is. `last_updated_at` = time of the newest successful
 * reading.
 */
export const minerDocumentSchema = z.strictObject({
  serial_number: nullableText,
  model: nullableText,
  ip: z.ipv4(),
  mac: z.string().meta({ description: 'Upper case with colons; empty when it is not known' }),
  firmware_version: nullableText,
  is_mining: z.boolean().meta({ description: 'Actively mining, when it was last reported' }),
  last_check_succeed: z.boolean().meta({ description: 'Whether the newest poll that was reported succeeded' }),
  unstable_reason: unstableReasonSchema
    .nullable()
    .meta({ description: 'null when MAC and serial number are valid and those of this miner alone' }),
  mining_mode: z.string().meta({ description: 'Such as sleep, low, normal, high' }),
  mining_mode_preset: text('Name of the preset, of miners that have presets'),
  hashrate: amount('H/s'),
  hashrate_24h: amount('Average of 24 hours, H/s'),
  power: amount('W'),
  temp: amount('Degrees Celsius'),
  temperature_inlet_avg: amount('Degrees Celsius'),
  temperature_outlet_avg: amount('Degrees Celsius'),
  efficiency: amount('J/TH'),
  uptime: z.number().meta({ description: 'Seconds; 0 when the device does not say' }),
  last_updated_at: isoTime.nullable().meta({ description: 'Of the newest successful reading' }),
  errors: z.array(minerErrorSchema),
  hashboards: z.array(hashboardSchema),
  total_chips: amount('Chips that answer, of all boards'),
  expected_chips: amount('Chips that a whole miner of this model has'),
  anomaly_flags: z.int().min(0).meta({ description: ANOMALY_BITS }),
  pools: z.array(poolSchema),
  psus: z.array(psuSchema),
});
export type MinerDocument = z.infer<typeof minerDocumentSchema>;

/** What v2 serves beside the v1 fields (spec decisions, "v2"). Same order of boards as `hashboards`. */
export const minerExtrasSchema = z.strictObject({
  make: nullableText,
  /** An agent of an earlier version does not report it. */
  algorithm: nullableText
    .default(null)
    .meta({ description: 'What it mines by, such as sha256; null where its model is not known' }),
  /** Id of the driver that read it, e.g. `antminer-stock`. */
  firmware: z.string(),
  /** Present where that driver is no part of the program: it is a file on the host of the agent. */
  driver_origin: z.literal('folder').optional(),
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
      /** Of the board, in V and W; absent where the device reports none. */
      voltage: z.number().optional(),
      power: z.number().optional(),
    }),
  ),
  /** Present and false while the device reports no mode: v1 requires `mining_mode`, so it is `normal` then. */
  mining_mode_reported: z.literal(false).optional(),
  /** Present and true while the miner accepts its family's factory login. */
  default_password: z.literal(true).optional(),
  hung: z
    .literal(true)
    .optional()
    .meta({ description: 'Present and true while its network answers and its interface does not' }),
  flags: z.array(flagSchema),
});
export type MinerExtras = z.infer<typeof minerExtrasSchema>;

export const RUN_STATUSES = ['online', 'stale'] as const;
export const OPS_STATUSES = ['maintenance', 'retired', 'off_rack', 'transit', 'archived'] as const;
export type OpsStatus = (typeof OPS_STATUSES)[number];

export const farmReferenceSchema = z.strictObject({ id: z.uuid(), name: nullableText });

const former = (description: string) => z.literal(false).meta({ deprecated: true, description });

/** The miner as v1 serves it. */
export const minerV1Schema = z.strictObject({
  id: z.string(),
  farm_id: z.uuid(),
  farm: farmReferenceSchema,
  workspace_id: z.string(),
  ...minerDocumentSchema.shape,
  rack: text('null when it stands in none'),
  position: z.int().min(1).nullable().meta({ description: 'Slot of the rack, from 1' }),
  stale: z.boolean().meta({ description: 'No recent reports: everything else is as it was last reported' }),
  overheat: former('Always false; use the bit temperature of anomaly_flags'),
  low_hashrate: former('Always false; use hashrate and what is expected of it'),
  overpower: former('Always false; use the bit power of anomaly_flags'),
  underpower: former('Always false; use the bit power of anomaly_flags'),
  status: z.enum(RUN_STATUSES).meta({ description: 'Whether it is reported now' }),
  ops_status: z.enum(OPS_STATUSES).nullable().meta({ description: 'What operators say of it; null = in operation' }),
  lifecycle_status: z
    .enum(['online', 'offline', 'stale', 'archived', 'off_rack', 'transit', 'maintenance', 'retired'])
    .nullable()
    .meta({ deprecated: true, description: 'ops_status if that is set, else status' }),
  health_status: z.null().meta({ deprecated: true, description: 'Always null' }),
  created_at: isoTime.nullable().meta({ description: 'When an agent first registered the miner' }),
});
export type MinerV1 = z.infer<typeof minerV1Schema>;

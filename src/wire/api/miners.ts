// Miners of v2: what is answered of them, what they are searched by, and what operators set.
import { z } from 'zod';
import { ANOMALY_TYPES } from '../../model/flags/anomaly-types.ts';
import { anomalyTypeSchema } from '../../model/flags/flags.ts';
import { minerExtrasSchema, minerV1Schema, OPS_STATUSES, RUN_STATUSES } from '../../model/miner.ts';
import { orNull } from '../../model/tasks/or-null.ts';
import { selectSchema } from './board/messages.ts';
import { EXTENSION, named } from './components.ts';
import { searchPage } from './envelope.ts';
import { locationNameSchema, positionSchema } from './farm/locations.ts';
import { atLeastOneOf, closedObject, dateFilter, givenId, valueFilter } from './forms.ts';

/**
 * What a substring is looked for in. `serial_number` means those of hashboards, power supplies and the controller too.
 */
export const SEARCH_FIELDS = ['ip', 'mac', 'serial_number', 'model', 'firmware_version', 'hostname', 'rack'] as const;
export type SearchField = (typeof SEARCH_FIELDS)[number];

const { temp: temperature } = minerV1Schema.shape;

const defaultPassword = minerExtrasSchema.shape.default_password.meta({
  ...EXTENSION,
  description:
    'Present and true while the miner accepts the factory login of its family; never shown to who came by a grant',
});

const miningMode = minerV1Schema.shape.mining_mode
  .nullable()
  .meta({ description: 'Such as sleep, low, normal, high; null when the device tells none' });

/** What says that the mode is null need not be said beside it. */
const { mining_mode_reported: _, ...extrasShape } = minerExtrasSchema.shape;

/** `board_details` has the boards in the order of `hashboards`. */
export const minerV2Schema = named(
  'MinerV2',
  minerV1Schema
    .omit({ farm: true, stale: true, temp: true })
    .extend({ temperature, ...extrasShape, mining_mode: miningMode, default_password: defaultPassword }),
);

const words = () => orNull(valueFilter(z.string().max(256)));

/** What miners are searched by; all that is given must hold. */
const conditions = {
  select: orNull(selectSchema),
  status: orNull(valueFilter(z.enum(RUN_STATUSES))),
  ops_status: orNull(valueFilter(z.enum(OPS_STATUSES))),
  anomaly_flags: orNull(
    closedObject({
      in: z
        .array(anomalyTypeSchema)
        .min(1)
        .max(ANOMALY_TYPES.length)
        .meta({ description: 'Miners with any of these anomalies' }),
    }),
  ),
  mining_mode: words(),
  model: words(),
  firmware: words(),
  rack: words(),
  agent_id: orNull(valueFilter(givenId)),
  search: orNull(
    closedObject({
      field: z.enum(SEARCH_FIELDS),
      value: z
        .string()
        .min(1)
        .max(256)
        .regex(/^\P{Cc}*$/u, { error: 'accepted: printable text' })
        .meta({ description: 'A part of the value; case does not matter' }),
    }),
  ),
  last_updated_at: orNull(dateFilter()),
};

export const minerSearchSchema = closedObject({ ...conditions, ...searchPage }).prefault({});

/** The miners of a task batch: the body of a search without its page. */
export const minerFilterSchema = atLeastOneOf(conditions);
export type MinerConditions = z.output<typeof minerFilterSchema>;

export const operatorFieldsSchema = named(
  'MinerOperatorFields',
  z.strictObject({
    id: z.uuid(),
    ops_status: z.string().nullable(),
    rack: z.string().nullable(),
    position: z.int().min(1).nullable(),
  }),
);

export const operatorEditSchema = atLeastOneOf({
  ops_status: z.enum(OPS_STATUSES).nullish(),
  rack: locationNameSchema
    .nullish()
    .meta({ description: 'null takes the miner out of its rack, and so out of its position' }),
  position: positionSchema.nullish().meta({ description: 'One miner per position of a rack; needs a rack' }),
});

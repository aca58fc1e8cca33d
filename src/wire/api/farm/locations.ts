// Locations of v2: containers, racks with their shape and slots, where miners stand, and changes of that.
import { z } from 'zod';
import { isLocationName, MAX_POSITION, NAME_RULE } from '../../../model/locations/location.ts';
import { rackShapeSchema } from '../../../model/locations/rack-shape.ts';
import { actorSchema } from '../../../model/task.ts';
import { orDefault } from '../../../model/tasks/or-null.ts';
import { named } from '../components.ts';
import { answerOf, listOf } from '../envelope.ts';
import { atLeastOneOf, closedObject, givenId } from '../forms.ts';

/** Of a rack or a container. */
export const locationNameSchema = z.string().trim().min(1, { error: NAME_RULE }).refine(isLocationName, {
  error: NAME_RULE,
});
export const positionSchema = z.int().min(1).max(MAX_POSITION);

const count = z.int().min(0);
const rackName = z.string().nullable();
const position = z.int().min(1).nullable();
const container = z.string().nullable().meta({ description: 'Where the rack stands; null = not known' });

const shape = named('RackShape', rackShapeSchema);

export const containerSchema = named(
  'Container',
  z.strictObject({ name: z.string(), rack_count: count, miner_count: count }),
);

const rackFields = {
  name: z.string(),
  container,
  shape: shape.nullable().meta({ description: 'null = not known: any position is taken then' }),
  miner_count: count,
};
export const rackSchema = named('Rack', z.strictObject(rackFields));

const occupant = named(
  'RackMiner',
  z.strictObject({
    id: z.uuid(),
    ip: z.ipv4(),
    mac: z.string(),
    serial_number: z.string().nullable(),
    model: z.string().nullable(),
  }),
);

export const rackDetailSchema = named(
  'RackDetail',
  z.strictObject({
    ...rackFields,
    slots: z
      .array(
        z.strictObject({
          position: z.int().min(1),
          label: z.string().meta({ description: 'Rack and position, such as C03-12' }),
          row: z.int().min(1).nullable().meta({ description: 'From the top; null = the shape is not known' }),
          column: z.int().min(1).nullable().meta({ description: 'From the left; null = the shape is not known' }),
          miner: occupant.nullable().meta({ description: 'null = the slot is empty' }),
        }),
      )
      .meta({
        description: 'In the order of their positions, empty ones too; without a shape, those where a miner stands',
      }),
    unplaced: z.array(occupant).meta({ description: 'Miners of the rack without a position' }),
  }),
);

export const rackEditSchema = atLeastOneOf({
  container: locationNameSchema.nullish().meta({ description: 'One that is known; null = not known' }),
  shape: closedObject(rackShapeSchema.shape)
    .nullish()
    .meta({ description: 'null = not known. Refused while a miner stands at a position that it does not have' }),
});

export const containersSchema = answerOf(z.array(containerSchema));
export const racksSchema = answerOf(z.array(rackSchema));

export const minerLocationSchema = named(
  'MinerLocation',
  z.strictObject({ ...occupant.shape, container, rack: rackName, position }),
);
export const minerLocationsSchema = listOf(minerLocationSchema);

const place = z.strictObject({ rack: rackName, position });

const moveSchema = named('MinerMove', z.strictObject({ id: z.uuid(), ip: z.ipv4(), before: place, after: place }));

export const movedSchema = answerOf(z.array(moveSchema)).extend({
  meta: z.strictObject({
    dry_run: z.boolean().meta({ description: 'true = nothing was changed' }),
    changed_count: count,
    change_id: z
      .string()
      .nullable()
      .meta({ description: 'By which the moves can be undone; null = no miner was moved' }),
    ignored_columns: z.array(z.string()).meta({ description: 'Columns of the file that say nothing of a location' }),
    rack_containers: z
      .array(z.strictObject({ rack: locationNameSchema, container: locationNameSchema }))
      .meta({ description: 'Racks that stood in no container and stand in one now, or would' }),
  }),
});

/** Most miners of one request; larger changes come as CSV. */
const MOST_PLACES = 1_000;
const placement = closedObject({
  miner: z
    .string()
    .min(1)
    .max(128)
    .meta({ description: 'Id, address, MAC address in any spelling, or serial number of it or of a part' }),
  rack: locationNameSchema.nullable().meta({ description: 'null takes the miner out of its rack' }),
  position: positionSchema.nullish().meta({ description: 'null or absent = at no position of the rack' }),
});

export const locationChangeSchema = closedObject({
  miners: z.array(placement).min(1).max(MOST_PLACES),
  swap: orDefault(z.boolean(), false).meta({
    description: 'true = a miner that holds the slot of another one goes where that one comes from',
  }),
  dry_run: orDefault(z.boolean(), false).meta({ description: 'true = say what would change, and change nothing' }),
});

export const locationUndoSchema = closedObject({
  dry_run: orDefault(z.boolean(), false).meta({ description: 'true = say what would change, and change nothing' }),
}).prefault({});

export const locationChangesSchema = answerOf(
  z.array(
    named(
      'LocationChange',
      z.strictObject({
        id: z.uuid(),
        at: z.iso.datetime(),
        actor: actorSchema,
        miner_count: count,
        undoes: z.string().nullable().meta({ description: 'The change that this one undid' }),
        undone_by: z.string().nullable().meta({ description: 'The change that undid this one; null = it holds' }),
      }),
    ),
  ),
);

export const chassisKeptSchema = answerOf(
  named('ChassisKept', z.strictObject({ ...occupant.shape, rack: rackName, position })),
);

export const sameChassisSchema = closedObject({
  replaces: givenId.meta({ description: 'Id of the miner that stood there, which is continued' }),
});

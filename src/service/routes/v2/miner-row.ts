// One miner as v2 serves it, as schema and as text: the stored documents one after the other, with what only the service knows in front.
import { minerExtrasSchema, minerV1Schema } from '../../../model/miner.ts';
import type { Farm, Item } from '../../store/store.ts';
import { SERVICE_FIELDS } from '../miner-text.ts';
import { EXTENSION, named } from '../openapi.ts';

const { temp: temperature } = minerV1Schema.shape;

const defaultPassword = minerExtrasSchema.shape.default_password.meta({
  ...EXTENSION,
  description: 'Present and true while the miner lets in whoever knows the factory login of its family',
});

/** `board_details` has the boards in the order of `hashboards`. */
export const minerV2Schema = named(
  'MinerV2',
  minerV1Schema
    .omit({ farm: true, stale: true, temp: true })
    .extend({ temperature, ...minerExtrasSchema.shape, default_password: defaultPassword }),
);

/** A miner of this farm (schema: minerV2Schema). */
export function minerItem(farm: Farm): Item {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return [
    `{${farmPart},`,
    ...SERVICE_FIELDS,
    ',',
    { membersOf: 'document', rename: ['temp', 'temperature'] },
    ',',
    { membersOf: 'extras' },
    '}',
  ];
}

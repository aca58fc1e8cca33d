// One miner as v2 serves it, as schema and as text: the stored documents one after the other, with what only the service knows in front.
import { minerExtrasSchema, minerV1Schema } from '../../../model/miner.ts';
import type { Farm, MinerPageRow } from '../../store/store.ts';
import { writeServiceFields } from '../miner-text.ts';
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

/** JSON text of the miners (schema: minerV2Schema), without brackets. */
export function writeMinerRows(farm: Farm, rows: readonly MinerPageRow[], nowMs: number): string {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return rows
    .map(
      (row) =>
        `{${farmPart},${writeServiceFields(row, nowMs)},${renamed(row.document).slice(1, -1)},${row.extras.slice(1)}`,
    )
    .join(',');
}

/** Inside a JSON text a quote is escaped, so these characters are the field and nothing that a miner says of itself. */
const renamed = (document: string) => document.replace('"temp":', '"temperature":');

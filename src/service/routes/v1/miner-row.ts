// One miner as v1 serves it: the stored document as it is, with what only the service knows put in front of it.
import type { Farm, MinerRow } from '../../store/store.ts';
import { isStale, writeServiceFields } from '../miner-text.ts';

/** JSON text of the miners (schema: minerV1Schema), without brackets. */
export function writeMinerRows(farm: Farm, rows: readonly MinerRow[], nowMs: number): string {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"farm":${JSON.stringify({ id: farm.id, name: farm.name })},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return rows
    .map(
      (row) => `{${farmPart},"stale":${isStale(row, nowMs)},${writeServiceFields(row, nowMs)},${row.document.slice(1)}`,
    )
    .join(',');
}

// One miner as v1 serves it: the stored document as it is, with what only the service knows put in front of it. Text, because a page holds
// thousands and parsing them to write them again would cost more than everything else together.
import type { Farm, MinerRow } from '../../store/store.ts';
import { toIso } from '../window.ts';

/** JSON text of the miner (schema: minerV1Schema). */
export function writeMinerRows(farm: Farm, rows: readonly MinerRow[], nowMs: number): string {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"farm":${JSON.stringify({ id: farm.id, name: farm.name })},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  return rows.map((row) => writeMinerRow(farmPart, row, nowMs)).join(',');
}

/** Deprecated by the interface document, and constant. */
const CONSTANT_PART = '"overheat":false,"low_hashrate":false,"overpower":false,"underpower":false,"health_status":null';

function writeMinerRow(farmPart: string, row: MinerRow, nowMs: number): string {
  const isStale = row.stale_at === null || row.stale_at <= nowMs;
  const status = isStale ? 'stale' : 'online';
  const opsStatus = row.ops_status === null ? 'null' : JSON.stringify(row.ops_status);
  const lifecycle = row.ops_status === null ? `"${status}"` : opsStatus;
  return (
    `{"id":"${row.id}",${farmPart},"rack":${JSON.stringify(row.rack)},"position":${row.position ?? 'null'},` +
    `"stale":${isStale},"status":"${status}","ops_status":${opsStatus},"lifecycle_status":${lifecycle},` +
    `"created_at":"${toIso(row.created_at)}",${CONSTANT_PART},${row.document.slice(1)}`
  );
}

// What the service knows of a miner, as JSON text to put in front of its document. Text, because a page holds thousands, and parsing them to
// write them again would cost more than everything else together.
import type { MinerRow } from '../store/store.ts';
import { toIso } from './window.ts';

/** Deprecated by the interface document, and constant. */
const CONSTANT_PART = '"overheat":false,"low_hashrate":false,"overpower":false,"underpower":false,"health_status":null';

export const isStale = ({ stale_at }: MinerRow, nowMs: number): boolean => stale_at === null || stale_at <= nowMs;

/** The fields that both versions have, without braces. */
export function writeServiceFields(row: MinerRow, nowMs: number): string {
  const status = isStale(row, nowMs) ? 'stale' : 'online';
  const opsStatus = row.ops_status === null ? 'null' : JSON.stringify(row.ops_status);
  const lifecycle = row.ops_status === null ? `"${status}"` : opsStatus;
  return (
    `"id":"${row.id}","rack":${JSON.stringify(row.rack)},"position":${row.position ?? 'null'},` +
    `"status":"${status}","ops_status":${opsStatus},"lifecycle_status":${lifecycle},` +
    `"created_at":"${toIso(row.created_at)}",${CONSTANT_PART}`
  );
}

// What both versions say of an agent in the same words.
import type { AgentV1 } from '../../model/host.ts';
import type { AgentRow } from '../store/store.ts';
import { toIso } from './window.ts';

/** Before an agent has said anything, it was heard of when it was enrolled. */
export function toAgentFields(
  row: AgentRow,
  workspaceId: string,
  status: AgentV1['status'],
): Omit<AgentV1, 'farm' | 'host'> {
  return {
    id: row.id,
    farm_id: row.farm_id,
    workspace_id: workspaceId,
    status,
    last_updated_at: toIso(row.host_at ?? row.enrolled_at),
    last_online_at: toIso(row.last_seen_at ?? row.enrolled_at),
    version: row.version,
    uptime: row.uptime_s ?? 0,
  };
}

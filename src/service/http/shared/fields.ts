// What both versions show in the same way: of a miner beside its documents, and of an agent.
import type { AgentV1 } from '../../../model/host.ts';
import type { AgentRow, Item } from '../../store/store.ts';

/** Deprecated by the interface document, and constant. */
const CONSTANT_PART = '"overheat":false,"low_hashrate":false,"overpower":false,"underpower":false,"health_status":null';

const STORED = ['id', 'rack', 'position', 'status', 'ops_status', 'lifecycle_status', 'created_at'] as const;

/** Members of a miner that only the service knows, without braces. */
export const SERVICE_FIELDS: Item = [
  ...STORED.flatMap((value, index) => [`${index > 0 ? ',' : ''}"${value}":`, { value }]),
  `,${CONSTANT_PART}`,
];

export const toAgentFields = (row: AgentRow, workspaceId: string, status: AgentV1['status']) => ({
  id: row.id,
  farm_id: row.farm_id,
  workspace_id: workspaceId,
  status,
  version: row.version,
});

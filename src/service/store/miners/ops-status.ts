// The ops status of an agent's miners, by the agent's keys. Setting it is operator-fields.ts.
import type { Databases } from '../databases.ts';
import { chunks } from '../rows.ts';

export type MinerOpsStatus = { readonly key: string; readonly opsStatus: string };
export type OpsStatusStore = ReturnType<typeof createOpsStatusStore>;

export function createOpsStatusStore({ read }: Databases) {
  return {
    /** The miners of each agent that have an ops status, by key; agents without any are not in it. */
    async listOfAgents(agentIds: readonly string[]): Promise<ReadonlyMap<string, readonly MinerOpsStatus[]>> {
      const found = new Map<string, MinerOpsStatus[]>();
      for (const part of chunks(agentIds)) {
        const rows = await read
          .selectFrom('miners')
          .select(['agent_id', 'agent_key', 'ops_status'])
          .where('agent_id', 'in', part)
          .where('ops_status', 'is not', null)
          .orderBy('agent_key')
          .execute();
        for (const { agent_id, agent_key, ops_status } of rows) {
          if (agent_id === null || agent_key === null || ops_status === null) continue;
          const ofAgent = found.get(agent_id) ?? [];
          ofAgent.push({ key: agent_key, opsStatus: ops_status });
          found.set(agent_id, ofAgent);
        }
      }
      return found;
    },
  };
}

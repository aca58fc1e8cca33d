// Which connection of an agent counts when two copies of the service hold one each: the one with the later hello.
import type { Databases } from '../databases.ts';

export type LinkStore = ReturnType<typeof createLinkStore>;

export function createLinkStore({ read, write }: Databases) {
  return {
    /** From now on this is the agent's connection. */
    async claim(agentId: string, linkId: string, nowMs: number): Promise<void> {
      const row = { link_id: linkId, linked_at: nowMs };
      await write
        .insertInto('agent_links')
        .values({ agent_id: agentId, ...row })
        .onConflict((conflict) => conflict.column('agent_id').doUpdateSet(row))
        .execute();
    },
    /** The newest connection of each agent that ever had one. */
    async current(agentIds: readonly string[]): Promise<ReadonlyMap<string, string>> {
      if (agentIds.length === 0) return new Map();
      const rows = await read
        .selectFrom('agent_links')
        .select(['agent_id', 'link_id'])
        .where('agent_id', 'in', agentIds)
        .execute();
      return new Map(rows.map(({ agent_id, link_id }) => [agent_id, link_id]));
    },
  };
}

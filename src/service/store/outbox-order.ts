// Decides which of two reports of one agent is newer, without any clock: an agent numbers its slices, and the numbers
// begin again only with a new outbox, which counts as newer than all before. It does not compare reports of two agents.
import type { Databases } from './databases.ts';

/**
 * More slices than one outbox ever has: one a second for two thousand years. Below it is the number of the outbox:
 * together they fit 53 bits.
 */
const ORDERS = 2 ** 36;
export const MAX_ORDER = ORDERS - 1;
const MAX_OUTBOXES = 2 ** 17 - 1;

export type OutboxStore = {
  /**
   * The order before the first slice of the outbox that the agent sends from now on: its slices count from there, by
   * numbers from 1 to MAX_ORDER. The outbox is the one it has, or a newer one when the name is another than the last
   * one, or when `isRolledBack`: it is a copy from before what it sent to us.
   */
  beginOutbox(agentId: string, name: string, options?: { isRolledBack: boolean }): Promise<number>;
};

export function createOutboxStore({ transact, lock }: Pick<Databases, 'transact' | 'lock'>): OutboxStore {
  return {
    beginOutbox: (agentId, name, { isRolledBack } = { isRolledBack: false }) =>
      transact(async (trx) => {
        await lock(trx, `uplink ${agentId}`);
        const agent = await trx
          .selectFrom('agents')
          .select(['outbox', 'outbox_number'])
          .where('id', '=', agentId)
          .executeTakeFirstOrThrow();
        if (agent.outbox === name && !isRolledBack) return agent.outbox_number * ORDERS;
        const isFull = agent.outbox_number >= MAX_OUTBOXES;
        const outbox_number = isFull ? 1 : agent.outbox_number + 1;
        const host = isFull ? { host_order: 0 } : {};
        await trx
          .updateTable('agents')
          .set({ outbox: name, outbox_number, ...host })
          .where('id', '=', agentId)
          .execute();
        // The numbers begin anew: what is stored is older than all of them.
        if (isFull)
          await trx.updateTable('miners').set({ reported_order: 0 }).where('agent_id', '=', agentId).execute();
        return outbox_number * ORDERS;
      }),
  };
}

// How agents come into the store: with a one-time code, or because the service already knows them. Tokens and codes are
// here as hashes only.

import type { Insertable } from 'kysely';
import { DEFAULT_MAX_MINERS } from '../../../model/grant.ts';
import type { Databases } from '../databases.ts';
import type { Row, Tables } from '../schema.ts';

type NewAgent = {
  readonly id: string;
  readonly name: string;
  readonly tokenHash: string;
  readonly identityKey: string;
  readonly version: string;
  readonly nowMs: number;
};

type NewCode = {
  readonly hash: string;
  readonly farmId: string;
  readonly nowMs: number;
  readonly expiresAtMs: number;
  readonly maxMiners?: number;
};

export function createEnrolment({ write, transact }: Pick<Databases, 'write' | 'transact'>) {
  return {
    async createCode({ hash, farmId, nowMs, expiresAtMs, maxMiners = DEFAULT_MAX_MINERS }: NewCode): Promise<void> {
      const times = { created_at: nowMs, expires_at: expiresAtMs };
      await write
        .insertInto('enrolment_codes')
        .values({ hash, farm_id: farmId, ...times, max_miners: maxMiners })
        .execute();
    },
    /**
     * Uses the code up and creates the agent, both or neither; undefined when the code is unknown, used or expired, or
     * its farm archived.
     */
    enrol: (codeHash: string, agent: NewAgent): Promise<{ workspaceId: string; farmId: string } | undefined> =>
      transact(async (trx) => {
        const used = await trx
          .updateTable('enrolment_codes')
          .set({ used_at: agent.nowMs, agent_id: agent.id })
          .where('hash', '=', codeHash)
          .where('used_at', 'is', null)
          .where('expires_at', '>', agent.nowMs)
          .where('farm_id', 'in', trx.selectFrom('farms').select('id').where('archived_at', 'is', null))
          .returning(['farm_id', 'max_miners'])
          .executeTakeFirst();
        if (used === undefined) return undefined;
        const farm = await trx
          .selectFrom('farms')
          .select('workspace_id')
          .where('id', '=', used.farm_id)
          .executeTakeFirstOrThrow();
        await trx.insertInto('agents').values(newAgent(agent, used)).execute();
        return { workspaceId: farm.workspace_id, farmId: used.farm_id };
      }),
    /** Without a code: for an agent that has already proven who it is. */
    async admit(agent: NewAgent, farmId: string, maxMiners = DEFAULT_MAX_MINERS): Promise<void> {
      await write
        .insertInto('agents')
        .values(newAgent(agent, { farm_id: farmId, max_miners: maxMiners }))
        .execute();
    },
  };
}

const newAgent = (
  { nowMs, ...agent }: NewAgent,
  { farm_id, max_miners }: Pick<Row<'enrolment_codes'>, 'farm_id' | 'max_miners'>,
): Insertable<Tables['agents']> => ({
  id: agent.id,
  farm_id,
  name: agent.name,
  token_hash: agent.tokenHash,
  identity_key: agent.identityKey,
  version: agent.version,
  enrolled_at: nowMs,
  outbox_number: 0,
  host_order: 0,
  max_miners,
  new_miners_left: max_miners,
  new_miners_at: nowMs,
  events_used: 0,
  events_used_at: nowMs,
});

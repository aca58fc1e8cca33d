// The audit trails of agents, as their reports name the newest entry: a trail that goes back, or has another entry in
// the same place, was cut, written anew or lost. The entries themselves stay on site.

import { SYSTEM } from '../../../model/audit/entry.ts';
import type { HostRecord } from '../../../wire/records.ts';
import type { ServiceAct } from '../databases.ts';
import type { Db } from '../schema.ts';

/** An agent that claims one thing and another fills no trail with it. */
const AGAIN_MS = 3_600_000;

export type AgentTrail = {
  readonly id: string;
  readonly name: string;
  /** The newest entry that it has named; null where it has named none. */
  readonly head: { readonly seq: number; readonly hash: string } | null;
  /** When its trail was last found to go back. */
  readonly cutAtMs: number | null;
};

/** Notes the newest head; gives what belongs into the audit trail of the service. */
export async function noteTrailHead(
  db: Db,
  { agentId, farmId, nowMs }: { readonly agentId: string; readonly farmId: string; readonly nowMs: number },
  record: HostRecord | undefined,
): Promise<readonly ServiceAct[]> {
  const is = record?.audit_head;
  if (is === undefined) return [];
  const was = await db
    .selectFrom('agents')
    .select(['trail_seq as seq', 'trail_hash as hash', 'trail_cut_at as cutAtMs'])
    .where('id', '=', agentId)
    .executeTakeFirst();
  if (was === undefined || (was.seq === is.seq && was.hash === is.hash)) return [];
  const isCut = was.seq !== null && is.seq <= was.seq;
  const isNews = isCut && (was.cutAtMs === null || Math.abs(nowMs - was.cutAtMs) >= AGAIN_MS);
  await db
    .updateTable('agents')
    .set({ trail_seq: is.seq, trail_hash: is.hash, ...(isNews ? { trail_cut_at: nowMs } : {}) })
    .where('id', '=', agentId)
    .execute();
  if (!isNews) return [];
  const detail = { was: `${was.seq}:${was.hash}`, is: `${is.seq}:${is.hash}` };
  const subject = { agent: agentId, farm: farmId };
  return [{ action: 'agent.trail_cut', actor: SYSTEM, subject, detail, atMs: nowMs }];
}

/** Of all agents that are not revoked. */
export async function listAgentTrails(db: Db): Promise<readonly AgentTrail[]> {
  const rows = await db
    .selectFrom('agents')
    .select(['id', 'name', 'trail_seq', 'trail_hash', 'trail_cut_at'])
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map(({ id, name, trail_seq: seq, trail_hash: hash, trail_cut_at: cutAtMs }) => ({
    ...{ id, name, cutAtMs },
    head: seq === null || hash === null ? null : { seq, hash },
  }));
}

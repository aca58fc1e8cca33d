// Miners of a farm that two agents claim. The agent that serves a miner keeps it, and an event names both agents. If
// both report it at the same address it is one device that both see: the second agent's reports change nothing. If the
// addresses differ, what the second agent reports becomes a miner of its own, a rival. The two become one miner when
// the first agent is revoked or has lost the miner for long enough. So a reinstalled agent gets its miners back, and so
// does an agent to which miners were carried.
import { normaliseMac } from '../../../../model/identity-facts.ts';
import type { MinerRecord } from '../../../../wire/records.ts';
import type { NewEvent } from '../../events/append.ts';
import { chunks } from '../../rows.ts';
import type { Db } from '../../schema.ts';
import { findRevoked } from '../../tenants/revocation.ts';
import { findRows, identityOf, type KnownMiner, LIVE_KEY_MS, type Registered } from './known-miner.ts';
import { removeMiners } from './removal.ts';

/**
 * Agents keep reporting a miner that has gone: when it has not been read for so long, another agent that reads it may
 * have it.
 */
const LOST_MS = 60 * 60_000;

type Reporter = { readonly agentId: string; readonly farmId: string; readonly nowMs: number };

/**
 * Those of the miners that another agent serves: it is not revoked, has reported the miner just now and read it not
 * long ago.
 */
export async function findServedElsewhere(
  db: Db,
  { agentId, nowMs }: Reporter,
  miners: readonly KnownMiner[],
): Promise<Set<number>> {
  const claimed = miners.filter(
    (miner) =>
      miner.agent_id !== null &&
      miner.agent_id !== agentId &&
      miner.reported_at > nowMs - LIVE_KEY_MS &&
      (miner.seen_at ?? miner.created_at) > nowMs - LOST_MS,
  );
  const owners = [...new Set(claimed.flatMap(({ agent_id }) => (agent_id === null ? [] : [agent_id])))];
  if (owners.length === 0) return new Set();
  const gone = await findRevoked(db, owners);
  return new Set(claimed.filter(({ agent_id }) => !gone.has(agent_id ?? '')).map(({ row_id }) => row_id));
}

/** Whether a record and a miner show the same valid MAC or serial. */
export function sharesIdentity(record: MinerRecord, miner: Pick<KnownMiner, 'mac' | 'serial'>): boolean {
  const { mac, serial } = identityOf(record);
  return (mac !== '' && miner.mac === mac) || (serial !== '' && miner.serial === serial);
}

/** Whether it is the same device, seen by two agents. */
export const isSameDevice = (record: MinerRecord, miner: KnownMiner): boolean =>
  sharesIdentity(record, miner) && identityOf(record).ipNum === miner.ip_num;

/**
 * The registrations of the agent, without those that it has lost. `unchanged` = keys of miners that another agent
 * serves now, and that this agent sees at the same address or has not read since: its reports change nothing. A key
 * that it reads at another address becomes a rival: it is registered no longer.
 */
export async function resolveRivals(
  db: Db,
  agent: Reporter,
  registered: ReadonlyMap<string, Registered>,
  records: ReadonlyMap<string, MinerRecord>,
): Promise<{ registered: Map<string, Registered>; unchanged: ReadonlySet<string> }> {
  const resolved = new Map(registered);
  const unchanged = new Set<string>();
  const elsewhere = await findServedElsewhere(db, agent, [...registered.values()]);
  const lost: string[] = [];
  for (const [key, miner] of registered) {
    if (!elsewhere.has(miner.row_id)) continue;
    const record = records.get(key);
    const readAt = record?.document.last_updated_at ?? null;
    const isRead = readAt !== null && Date.parse(readAt) > (miner.seen_at ?? 0);
    if (record === undefined || !isRead || isSameDevice(record, miner)) unchanged.add(key);
    else lost.push(key);
  }
  for (const part of chunks(lost))
    await db.deleteFrom('registrations').where('agent_id', '=', agent.agentId).where('key', 'in', part).execute();
  for (const key of lost) resolved.delete(key);
  await reunite(db, agent, resolved, records);
  return { registered: resolved, unchanged };
}

/** Rivals of miners that no other agent serves any more: the key continues the older miner, and the newer row goes. */
async function reunite(
  db: Db,
  agent: Reporter,
  registered: Map<string, Registered>,
  records: ReadonlyMap<string, MinerRecord>,
): Promise<void> {
  const rivals = [...registered.values()].filter(({ rival_row_id }) => rival_row_id !== null);
  if (rivals.length === 0) return;
  const older = new Map(
    (
      await findRows(
        db,
        rivals.flatMap(({ rival_row_id }) => rival_row_id ?? []),
      )
    ).map((row) => [row.row_id, row]),
  );
  const elsewhere = await findServedElsewhere(db, agent, [...older.values()]);
  const kept = await findKept(db, rivals);
  for (const rival of rivals) {
    const { key, epoch, last_at } = rival;
    const record = records.get(key);
    const miner = older.get(rival.rival_row_id ?? -1);
    if (miner === undefined || record === undefined || elsewhere.has(miner.row_id) || kept.has(rival.row_id)) continue;
    if (!sharesIdentity(record, miner)) continue;
    // Of two rivals the first that comes has it.
    older.delete(miner.row_id);
    await removeMiners(db, [rival.row_id]);
    await db
      .deleteFrom('registrations')
      .where('agent_id', '=', agent.agentId)
      .where('row_id', '=', miner.row_id)
      .execute();
    const registration = { agent_id: agent.agentId, key, row_id: miner.row_id, epoch, last_at };
    await db.insertInto('registrations').values(registration).execute();
    registered.set(key, { ...miner, key, epoch, last_at, replaced_at: null });
  }
}

/** Those of which operators have set something, or that have tasks. */
async function findKept(db: Db, miners: readonly KnownMiner[]): Promise<Set<number>> {
  const kept = new Set<number>();
  for (const part of chunks(miners.map(({ row_id }) => row_id))) {
    const rows = await db
      .selectFrom('miners')
      .select('row_id')
      .where('row_id', 'in', part)
      .where((eb) =>
        eb.or([
          eb('ops_status', 'is not', null),
          eb('rack', 'is not', null),
          eb.exists(eb.selectFrom('tasks').select('tasks.id').whereRef('tasks.row_id', '=', 'miners.row_id')),
        ]),
      )
      .execute();
    for (const { row_id } of rows) kept.add(row_id);
  }
  return kept;
}

/** Of more, some are named; all are counted. */
const MAX_NAMED = 20;

/**
 * One event for all miners that this agent serves from now on, and that another one served which is not revoked: it may
 * only have been silent.
 */
export async function takenOverEvents(
  db: Db,
  { agentId, farmId, nowMs }: Reporter,
  changes: readonly { readonly known: KnownMiner | undefined }[],
): Promise<NewEvent[]> {
  const taken = changes.flatMap(({ known }) =>
    known === undefined || known.agent_id === null || known.agent_id === agentId
      ? []
      : [{ id: known.id, from: known.agent_id }],
  );
  if (taken.length === 0) return [];
  const owners = [...new Set(taken.map(({ from }) => from))];
  const gone = await findRevoked(db, owners);
  const miners = taken.filter(({ from }) => !gone.has(from));
  if (miners.length === 0) return [];
  const detail = {
    from: owners.filter((id) => !gone.has(id)),
    count: miners.length,
    miner_ids: miners.slice(0, MAX_NAMED).map(({ id }) => id),
  };
  return [{ farmId, agentId, minerId: null, type: 'miners_taken_over', atMs: nowMs, detail }];
}

export type Claim = { readonly minerId: string; readonly record: MinerRecord; readonly rival: KnownMiner };

/** One event of each of the two miners, which names both agents and both miners. */
export function claimEvents(agent: Reporter, claims: readonly Claim[]): NewEvent[] {
  return claims.flatMap(({ minerId, record, rival }) => {
    const { mac, serial } = identityOf(record);
    const detail = {
      mac: mac !== '' && mac === rival.mac ? normaliseMac(mac) : null,
      serial_number: serial !== '' && serial === rival.serial ? serial : null,
      served_by: { agent_id: rival.agent_id, miner_id: rival.id },
      claimed_by: { agent_id: agent.agentId, miner_id: minerId },
    };
    const event = { farmId: agent.farmId, type: 'duplicate', atMs: agent.nowMs, detail };
    return [
      { ...event, agentId: agent.agentId, minerId },
      { ...event, agentId: rival.agent_id ?? agent.agentId, minerId: rival.id },
    ];
  });
}

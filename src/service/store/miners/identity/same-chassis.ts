// A new unit where another one stood, such as after the control board was changed: on the word of a person the row of
// the old miner goes on with the facts of the new one, and its id, location, ops status and history stay. The row of
// the new one goes. Later reports of the old unit change nothing until it is read again: then it is another miner.
import { formatIpv4 } from '../../../../base/net/ipv4.ts';
import { type Actor, shownActor } from '../../../../model/task.ts';
import type { Audited } from '../../databases.ts';
import { appendEvents, type NewEvent } from '../../events/append.ts';
import { flagChanges, readStoredFlags } from '../../events/flag-changes.ts';
import { mergePresence } from '../../history/accounting.ts';
import { readPresence, writePresence } from '../../history/history-write.ts';
import { mergeDays } from '../../history/miner/miner-days.ts';
import { type Db, MOVING, STEADY } from '../../schema.ts';
import { removeMiners } from './removal.ts';

export type ChassisRequest = {
  readonly workspaceId: string;
  readonly farmId: string;
  /** Id of the miner that is there now, and of the one that stood there. */
  readonly unit: string;
  readonly replaces: string;
  readonly actor: Actor;
  readonly nowMs: number;
};

export type ChassisMiner = Awaited<ReturnType<typeof findMiner>>;
type Miner = NonNullable<ChassisMiner>;

export type ChassisOutcome =
  | { readonly kind: 'done'; readonly miner: Miner; readonly agentIds: readonly string[] }
  | { readonly kind: 'unknown'; readonly which: 'unit' | 'replaces' | 'both' }
  | { readonly kind: 'same' }
  /** It was read this long ago. */
  | { readonly kind: 'answers'; readonly miner: Miner; readonly ageMs: number }
  /** Two agents report it, or it changed its agent just now. */
  | { readonly kind: 'claimed'; readonly miner: Miner };

export type ChassisStore = ReturnType<typeof createChassisStore>;

export function createChassisStore({ transact, lock, audit }: Audited) {
  return {
    join: (request: ChassisRequest): Promise<ChassisOutcome> =>
      transact(async (trx) => {
        const { farmId, nowMs, actor, workspaceId } = request;
        // What an agent reports meanwhile would go to the row that is about to go.
        const agents = await agentsOf(trx, request);
        for (const agentId of agents) await lock(trx, `uplink ${agentId}`);
        await lock(trx, `identity ${farmId}`);
        await lock(trx, `history ${farmId}`);
        await lock(trx, `locations ${farmId}`);
        await lock(trx, `tasks ${farmId}`);
        const [unit, old] = [
          await findMiner(trx, farmId, request.unit),
          await findMiner(trx, farmId, request.replaces),
        ];
        const refusal = await refusalOf(trx, { unit, old, agents, nowMs });
        if (refusal !== undefined) return refusal;
        if (unit === undefined || old === undefined) return { kind: 'unknown', which: 'both' };
        const cleared = await clearedFlags(trx, unit, old, request);
        await joinRows(trx, { unit, old, nowMs });
        const facts = { replaced: factsOf(old), unit: factsOf(unit) };
        const detail = { actor: shownActor(actor), ...facts };
        const event = {
          farmId,
          agentId: unit.agent_id ?? '',
          minerId: old.id,
          type: 'chassis_kept',
          atMs: nowMs,
          detail,
        };
        await appendEvents(trx, [...cleared, event]);
        const act = { action: 'miners.joined', actor, workspaceId, atMs: nowMs } as const;
        await audit(trx, [{ ...act, subject: { farm: farmId, miner: old.id, joined: unit.id }, detail: facts }]);
        const miner = (await findMiner(trx, farmId, old.id)) ?? old;
        return { kind: 'done', miner, agentIds: miner.ops_status === null ? [] : agents };
      }),
  };
}

const findMiner = (db: Db, farmId: string, id: string) =>
  db
    .selectFrom('miners')
    .select(['id', 'row_id', 'agent_id', 'created_at', 'seen_at', 'stale_at', 'ip_num', 'mac', 'serial', 'model'])
    .select(['rack', 'position', 'ops_status', 'rival_row_id', 'anomaly_flags'])
    .where('farm_id', '=', farmId)
    .where('id', '=', id)
    .executeTakeFirst();

/** Agents that report or have reported one of the two, in one order for all. */
async function agentsOf(db: Db, { farmId, unit, replaces }: ChassisRequest): Promise<readonly string[]> {
  const rows = await db
    .selectFrom('miners')
    .leftJoin('registrations', 'registrations.row_id', 'miners.row_id')
    .select(['miners.agent_id', 'registrations.agent_id as registered_by'])
    .where('farm_id', '=', farmId)
    .where('miners.id', 'in', [unit, replaces])
    .execute();
  const agents = rows.flatMap(({ agent_id, registered_by }) => [agent_id ?? [], registered_by ?? []].flat());
  return [...new Set(agents)].toSorted();
}

type Pair = { readonly unit: ChassisMiner; readonly old: ChassisMiner };

async function refusalOf(
  db: Db,
  { unit, old, agents, nowMs }: Pair & { readonly agents: readonly string[]; readonly nowMs: number },
): Promise<ChassisOutcome | undefined> {
  if (unit === undefined || old === undefined)
    return { kind: 'unknown', which: unit !== undefined ? 'replaces' : old !== undefined ? 'unit' : 'both' };
  if (unit.id === old.id) return { kind: 'same' };
  for (const miner of [unit, old]) {
    const rivals = db.selectFrom('miners').select('row_id').where('rival_row_id', '=', miner.row_id).limit(1);
    const isClaimed = miner.rival_row_id !== null || (await rivals.executeTakeFirst()) !== undefined;
    // Its agent changed before the locks were held.
    const isMoving = miner.agent_id !== null && !agents.includes(miner.agent_id);
    if (isClaimed || isMoving) return { kind: 'claimed', miner };
  }
  if (old.stale_at === null || old.stale_at <= nowMs) return undefined;
  return { kind: 'answers', miner: old, ageMs: Math.max(0, nowMs - (old.seen_at ?? nowMs)) };
}

const factsOf = ({ ip_num, mac, serial, model }: Miner) => ({
  ...{ ip: formatIpv4(ip_num), mac, serial_number: serial, model },
});

/** Flags of the old unit that the new one does not have; those of the new one were raised when it came. */
async function clearedFlags(
  db: Db,
  unit: Miner,
  old: Miner,
  { farmId, nowMs }: ChassisRequest,
): Promise<readonly NewEvent[]> {
  const flags = (await readStoredFlags(db, [old.row_id])).get(old.row_id) ?? [];
  const changes = flagChanges({ mask: old.anomaly_flags, flags }, { mask: unit.anomaly_flags, flags: [] });
  return changes
    .filter(({ type }) => type === 'flag_cleared')
    .map((change) => ({ farmId, agentId: unit.agent_id ?? '', minerId: old.id, atMs: nowMs, ...change }));
}

/** With the room that they take: see events/sizes.ts. */
async function moveEvents(trx: Db, from: string, to: string): Promise<void> {
  const sizes = trx.selectFrom('event_sizes').select('bytes');
  const moved = await sizes.where('miner_id', '=', from).executeTakeFirst();
  await trx.updateTable('events').set({ miner_id: to }).where('miner_id', '=', from).execute();
  await trx
    .insertInto('event_sizes')
    .values({ miner_id: to, bytes: moved?.bytes ?? 0 })
    .onConflict((conflict) =>
      conflict
        .column('miner_id')
        .doUpdateSet((eb) => ({ bytes: eb('event_sizes.bytes', '+', eb.ref('excluded.bytes')) })),
    )
    .execute();
}

async function joinRows(trx: Db, { unit, old, nowMs }: { unit: Miner; old: Miner; nowMs: number }): Promise<void> {
  const facts = await trx
    .selectFrom('miners')
    .select([...STEADY, ...MOVING])
    .where('row_id', '=', unit.row_id)
    .executeTakeFirstOrThrow();
  const { rack, position } = old.rack === null ? unit : old;
  const presence = await readPresence(trx, [unit.row_id, old.row_id]);
  const both = mergePresence(presence.get(old.row_id), presence.get(unit.row_id));
  await trx.updateTable('registrations').set({ replaced_at: nowMs }).where('row_id', '=', old.row_id).execute();
  await trx.updateTable('registrations').set({ row_id: old.row_id }).where('row_id', '=', unit.row_id).execute();
  for (const table of ['miner_documents', 'miner_serials'] as const) {
    await trx.deleteFrom(table).where('row_id', '=', old.row_id).execute();
    await trx.updateTable(table).set({ row_id: old.row_id }).where('row_id', '=', unit.row_id).execute();
  }
  for (const table of ['tasks', 'miner_notes'] as const)
    await trx.updateTable(table).set({ row_id: old.row_id }).where('row_id', '=', unit.row_id).execute();
  await moveEvents(trx, unit.id, old.id);
  await mergeDays(trx, unit.row_id, old.row_id);
  // First: two rows cannot have one position.
  await removeMiners(trx, [unit.row_id]);
  await writePresence(trx, new Map([[old.row_id, both]]));
  await trx
    .updateTable('miners')
    .set({ ...facts, rack, position, ops_status: old.ops_status ?? unit.ops_status })
    .where('row_id', '=', old.row_id)
    .execute();
}

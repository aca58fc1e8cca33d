// Reads the miners or agents that a task is for, with the facts that decide whether they get it. It decides nothing.
import { z } from 'zod';
import { formatIpv4 } from '../../../base/net/ipv4.ts';
import type { PoolFacts } from '../../../model/pools/resolve-pools.ts';
import { isAboutAgents, type TaskName } from '../../../model/task.ts';
import { textList } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { OPEN_STATUSES } from './task-outcomes.ts';

/** A miner that a task is wanted for, or an agent. */
export type TaskCandidate = {
  /** 0 = no miner: rows count from 1. */
  readonly rowId: number;
  readonly id: string;
  /** Null = it is an agent. */
  readonly ip: string | null;
  readonly agentId: string | null;
  readonly agentKey: string | null;
  readonly opsStatus: string | null;
  /** Names of the tasks that its driver can do. */
  readonly abilities: readonly string[];
  /** The same task is pending or running on it. */
  readonly isBusy: boolean;
  /** Of a miner that shall have other pools. */
  readonly poolFacts?: PoolFacts;
};

export type Wanted = {
  readonly farmId: string;
  /** Of miners, or of agents where the task is about agents. */
  readonly ids: readonly string[];
  readonly name: TaskName;
};

export async function findCandidates(db: Db, wanted: Wanted): Promise<TaskCandidate[]> {
  // A filter may fit no miner, and not every database takes an empty list.
  if (wanted.ids.length === 0) return [];
  return (isAboutAgents(wanted.name) ? findAgents : findMiners)(db, wanted);
}

async function findMiners(db: Db, { farmId, ids, name }: Wanted): Promise<TaskCandidate[]> {
  const rows = await db
    .selectFrom('miners')
    .leftJoin('miner_documents', 'miner_documents.row_id', 'miners.row_id')
    // A revoked agent takes no tasks.
    .leftJoin('agents', (join) => join.onRef('agents.id', '=', 'agent_id').on('revoked_at', 'is', null))
    .select(['miners.row_id', 'miners.id', 'agents.id as agent_id', 'agent_key', 'ops_status', 'abilities', 'ip_num'])
    .$if(name === 'miner.pool.update', (query) => query.select(POOL_FACTS))
    .where('miners.farm_id', '=', farmId)
    .where('miners.id', 'in', ids)
    .execute();
  const rowIds = rows.map(({ row_id }) => row_id);
  if (rowIds.length === 0) return [];
  const busy = await openTasks(db, name).select('row_id').where('row_id', 'in', rowIds).execute();
  const busyRows = new Set(busy.map(({ row_id }) => row_id));
  return rows.map((row) => ({
    rowId: row.row_id,
    id: row.id,
    ip: formatIpv4(row.ip_num),
    agentId: row.agent_id,
    agentKey: row.agent_key,
    opsStatus: row.ops_status,
    abilities: row.abilities === null ? [] : textList(row.abilities),
    isBusy: busyRows.has(row.row_id),
    ...(name === 'miner.pool.update' ? { poolFacts: toPoolFacts(row) } : {}),
  }));
}

const POOL_FACTS = ['ip_num', 'mac', 'serial', 'model', 'rack', 'position', 'document'] as const;

/** What the document of a miner says of its pools. */
const withPools = z.object({ pools: z.array(z.object({ url: z.string(), worker_id: z.string() })) });

function toPoolFacts(
  row: Partial<Pick<Row<'miners'>, Exclude<(typeof POOL_FACTS)[number], 'document'>>> & {
    readonly document?: string | null;
  },
): PoolFacts {
  const { pools } = withPools.safeParse(JSON.parse(row.document ?? '{}')).data ?? { pools: [] };
  return {
    ip: formatIpv4(row.ip_num ?? 0),
    mac: row.mac || undefined,
    serial: row.serial || undefined,
    model: row.model ?? undefined,
    rack: row.rack ?? undefined,
    position: row.position ?? undefined,
    shown: pools.map(({ url, worker_id: user }) => ({ url, user })),
    set: 'elsewhere',
  };
}

/** Every agent takes tasks about itself, and fails those that it cannot do. Its id is used as the key of a miner. */
async function findAgents(db: Db, { farmId, ids, name }: Wanted): Promise<TaskCandidate[]> {
  const agents = await db
    .selectFrom('agents')
    .select('id')
    .where('farm_id', '=', farmId)
    .where('id', 'in', ids)
    .where('revoked_at', 'is', null)
    .execute();
  const agentIds = agents.map(({ id }) => id);
  if (agentIds.length === 0) return [];
  const busy = await openTasks(db, name).select('agent_id').where('agent_id', 'in', agentIds).execute();
  const busyAgents = new Set(busy.map(({ agent_id }) => agent_id));
  return agentIds.map((id) => ({
    rowId: 0,
    id,
    ip: null,
    agentId: id,
    agentKey: id,
    opsStatus: null,
    abilities: [name],
    isBusy: busyAgents.has(id),
  }));
}

/** Those of the same name that are not over. */
const openTasks = (db: Db, name: TaskName) =>
  db.selectFrom('tasks').where('name', '=', name).where('status', 'in', OPEN_STATUSES);

// What operators set of miners: ops status, rack and position. All edits of a request or none, each recorded as a batch
// of event tasks.
import { z } from 'zod';
import type { OpsStatus } from '../../../model/miner.ts';
import type { Actor } from '../../../model/task.ts';
import { minersEdited } from '../audit/task-acts.ts';
import type { Audited } from '../databases.ts';
import { assignContainers } from '../locations/racks.ts';
import { findLocationProblems, type LocationProblem } from '../locations/standing.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { insertBatch } from '../tasks/batch-write.ts';
import { type Once, onceOnly } from '../tenants/answered.ts';
import { listLocations, type MinerLocation } from './locations.ts';

/** Absent = stays as it is; null = none. Without a rack there is no position. */
type OperatorFields = {
  readonly opsStatus?: OpsStatus | null | undefined;
  readonly rack?: string | null | undefined;
  readonly position?: number | null | undefined;
};

type OperatorValues = {
  readonly opsStatus: string | null;
  readonly rack: string | null;
  readonly position: number | null;
};

type EditRequest = {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly edits: readonly (OperatorFields & { readonly id: string })[];
  readonly actor: Actor;
  readonly nowMs: number;
  /** Says what would be done, and does nothing. */
  readonly isDryRun?: boolean;
  /** Kept with the batch that records a change of locations. */
  readonly metadata?: object;
  /** The containers that racks stand in, by rack: of racks that stand in none yet. */
  readonly containers?: ReadonlyMap<string, string>;
  readonly once?: Once | undefined;
};

export type Edited = {
  readonly id: string;
  readonly ipNum: number;
  readonly before: OperatorValues;
  readonly after: OperatorValues;
};

export type EditProblem = { readonly id: string; readonly reason: 'not-found' } | LocationProblem;

export type EditOutcome =
  /**
   * `values` of every miner that was named, `changed` those that are different now, `agentIds` whose miners have
   * another ops status now; `changeId` of the batch that records a change of locations.
   */
  | {
      readonly kind: 'done';
      readonly values: ReadonlyMap<string, OperatorValues>;
      readonly changed: readonly Edited[];
      readonly agentIds: readonly string[];
      readonly changeId: string | null;
    }
  | { readonly kind: 'refused'; readonly problems: readonly EditProblem[] };

export type OperatorStore = ReturnType<typeof createOperatorStore>;

type Current = OperatorValues &
  Pick<Row<'miners'>, 'id' | 'row_id' | 'agent_id' | 'agent_key'> & { readonly ipNum: number };
type Change = Edited & { readonly miner: Current };

export function createOperatorStore(databases: Audited, newId: (nowMs: number) => string) {
  const { read, transact, lock } = databases;
  return {
    /** A request that was carried out before gives what it changed then. */
    edit: (request: EditRequest): Promise<EditOutcome> =>
      transact((trx) => {
        const work = () => applyEdits(trx, databases, request, newId);
        return onceOnly(trx, lock, { ...request, once: request.once }, { work, write: writeDone, read: readDone });
      }),
    /** In the order of addresses. Read in pages, with a yield to the event loop between them. */
    listLocations: (farmId: string): Promise<readonly MinerLocation[]> => listLocations(read, farmId),
  };
}

/** What is refused changes nothing, so it may be asked again. */
const writeDone = (outcome: EditOutcome): string | undefined =>
  outcome.kind === 'done' ? JSON.stringify({ changed: outcome.changed, changeId: outcome.changeId }) : undefined;

function readDone(text: string): EditOutcome {
  const { changed, changeId } = keptSchema.parse(JSON.parse(text));
  return { kind: 'done', values: new Map(), changed, agentIds: [], changeId };
}

const valuesSchema = z.object({
  opsStatus: z.string().nullable(),
  rack: z.string().nullable(),
  position: z.int().nullable(),
});
const keptSchema = z.object({
  changed: z.array(z.object({ id: z.string(), ipNum: z.int(), before: valuesSchema, after: valuesSchema })),
  changeId: z.string().nullable(),
});

/** In a transaction, as the last thing that it does. */
export async function applyEdits(
  trx: Db,
  { lock, audit }: Pick<Audited, 'lock' | 'audit'>,
  request: EditRequest,
  newId: (nowMs: number) => string,
): Promise<EditOutcome> {
  const { farmId, isDryRun = false } = request;
  await lock(trx, `locations ${farmId}`);
  const edits = new Map(request.edits.map((edit) => [edit.id, edit]));
  const miners = await readMiners(trx, farmId, [...edits.keys()]);
  const values = new Map([...miners].map(([id, miner]) => [id, merge(miner, edits.get(id) ?? {})]));
  const unknown = [...edits.keys()].filter((id) => !values.has(id));
  const problems = [
    ...unknown.map((id) => ({ id, reason: 'not-found' as const })),
    ...(await findLocationProblems(trx, farmId, values)),
  ];
  if (problems.length > 0) return { kind: 'refused', problems };
  const changes = [...edits.keys()].flatMap((id): Change[] => {
    const miner = miners.get(id);
    const after = values.get(id);
    if (miner === undefined || after === undefined) return [];
    const { ipNum, opsStatus, rack, position } = miner;
    const before = { opsStatus, rack, position };
    return isSame(before, after) ? [] : [{ id, ipNum, before, after, miner }];
  });
  let changeId: string | null = null;
  if (!isDryRun) {
    const acts = await assignContainers(trx, request, request.containers ?? new Map());
    await writeChanges(trx, changes);
    changeId = await record(trx, request, changes, newId);
    if (changes.length > 0) acts.push(minersEdited(request, changes));
    if (acts.length > 0) await audit(trx, acts);
  }
  const changed = changes.map(({ id, ipNum, before, after }) => ({ id, ipNum, before, after }));
  return { kind: 'done', values, changed, agentIds: isDryRun ? [] : agentsToNotify(changes), changeId };
}

async function readMiners(db: Db, farmId: string, ids: readonly string[]): Promise<Map<string, Current>> {
  const found = new Map<string, Current>();
  for (const part of chunks(ids)) {
    const rows = await db
      .selectFrom('miners')
      .select(['id', 'row_id', 'agent_id', 'agent_key', 'ip_num', 'ops_status', 'rack', 'position'])
      .where('farm_id', '=', farmId)
      .where('id', 'in', part)
      .execute();
    for (const { ops_status: opsStatus, ip_num: ipNum, ...miner } of rows)
      found.set(miner.id, { ...miner, opsStatus, ipNum });
  }
  return found;
}

/** A miner that leaves its rack leaves its position. */
function merge(miner: Current, { opsStatus, rack, position }: OperatorFields): OperatorValues & { ipNum: number } {
  const left = rack === null && position === undefined;
  return {
    ipNum: miner.ipNum,
    opsStatus: opsStatus === undefined ? miner.opsStatus : opsStatus,
    rack: rack === undefined ? miner.rack : rack,
    position: left ? null : position === undefined ? miner.position : position,
  };
}

const isSameLocation = (a: OperatorValues, b: OperatorValues) => a.rack === b.rack && a.position === b.position;
const isSame = (a: OperatorValues, b: OperatorValues) => a.opsStatus === b.opsStatus && isSameLocation(a, b);

async function writeChanges(db: Db, changes: readonly Change[]): Promise<void> {
  const moved = changes.filter(({ before, after }) => !isSameLocation(before, after));
  // First out, then in: miners may swap positions.
  for (const part of chunks(moved.map(({ miner }) => miner.row_id)))
    await db.updateTable('miners').set({ position: null }).where('row_id', 'in', part).execute();
  for (const { miner, after } of changes)
    await db
      .updateTable('miners')
      .set({ ops_status: after.opsStatus, rack: after.rack, position: after.position })
      .where('row_id', '=', miner.row_id)
      .execute();
}

const agentsToNotify = (changes: readonly Change[]): string[] => [
  ...new Set(
    changes.flatMap(({ before, after, miner }) => (before.opsStatus === after.opsStatus ? [] : (miner.agent_id ?? []))),
  ),
];

/** The name of a batch that records a change of locations. */
export const LOCATION_CHANGE = 'miner.rack_location.update';

const EVENTS = [
  {
    name: LOCATION_CHANGE,
    isMeant: ({ before, after }: Edited) => !isSameLocation(before, after),
    show: ({ rack, position }: OperatorValues) => ({ rack, position }),
  },
  {
    name: 'miner.asset.update',
    isMeant: ({ before, after }: Edited) => before.opsStatus !== after.opsStatus,
    show: ({ opsStatus }: OperatorValues) => ({ ops_status: opsStatus }),
  },
] as const;

/**
 * One batch per kind of change, done at once; what was before and after is the evidence of each task. Gives the id of
 * that for locations.
 */
async function record(
  db: Db,
  request: EditRequest,
  changes: readonly Change[],
  newId: (nowMs: number) => string,
): Promise<string | null> {
  const { nowMs } = request;
  let changeId: string | null = null;
  for (const { name, isMeant, show } of EVENTS) {
    const meant = changes.filter(isMeant);
    const [first] = meant;
    if (first === undefined) continue;
    const id = newId(nowMs);
    if (name === LOCATION_CHANGE) changeId = id;
    const tasks = meant.map(({ miner, before, after }) => ({
      id: newId(nowMs),
      rowId: miner.row_id,
      minerKey: miner.agent_key ?? '',
      evidence: { before: show(before), after: show(after) },
    }));
    await insertBatch(
      db,
      { ...request, name },
      {
        id,
        agentId: '',
        status: 'succeeded',
        params: JSON.stringify(meant.length === 1 ? show(first.after) : {}),
        metadata: name === LOCATION_CHANGE ? (request.metadata ?? {}) : {},
        expiresAtMs: nowMs,
        tasks,
      },
    );
  }
  return changeId;
}

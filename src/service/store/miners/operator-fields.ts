// What operators set of miners: ops status, rack and position. All edits of a request or none, each recorded as a batch
// of event tasks.
import type { OpsStatus } from '../../../model/miner.ts';
import type { Actor } from '../../../model/task.ts';
import { minersEdited } from '../audit/task-acts.ts';
import type { Audited } from '../databases.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { insertBatch } from '../tasks/batch-write.ts';
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
};

export type Edited = { readonly id: string; readonly before: OperatorValues; readonly after: OperatorValues };

/** `by` is the id of the miner that has the position. */
export type EditProblem =
  | { readonly id: string; readonly reason: 'not-found' | 'no-rack' }
  | { readonly id: string; readonly reason: 'taken'; readonly by: string };

type EditOutcome =
  /**
   * `values` of every miner that was named, `changed` those that are different now, `agentIds` whose miners have
   * another ops status now.
   */
  | {
      readonly kind: 'done';
      readonly values: ReadonlyMap<string, OperatorValues>;
      readonly changed: readonly Edited[];
      readonly agentIds: readonly string[];
    }
  | { readonly kind: 'refused'; readonly problems: readonly EditProblem[] };

export type OperatorStore = ReturnType<typeof createOperatorStore>;

type Current = OperatorValues & Pick<Row<'miners'>, 'id' | 'row_id' | 'agent_id' | 'agent_key'>;
type Change = Edited & { readonly miner: Current };

export function createOperatorStore({ read, transact, lock, audit }: Audited, newId: (nowMs: number) => string) {
  return {
    edit: (request: EditRequest) =>
      transact(async (trx): Promise<EditOutcome> => {
        await lock(trx, `locations ${request.farmId}`);
        const edits = new Map(request.edits.map((edit) => [edit.id, edit]));
        const miners = await readMiners(trx, request.farmId, [...edits.keys()]);
        const values = new Map([...miners].map(([id, miner]) => [id, merge(miner, edits.get(id) ?? {})]));
        const problems = [...findProblems(edits.keys(), values), ...(await findTaken(trx, request.farmId, values))];
        if (problems.length > 0) return { kind: 'refused', problems };
        const changes = [...edits.keys()].flatMap((id): Change[] => {
          const miner = miners.get(id);
          const after = values.get(id);
          if (miner === undefined || after === undefined) return [];
          const { opsStatus, rack, position } = miner;
          const before = { opsStatus, rack, position };
          return isSame(before, after) ? [] : [{ id, before, after, miner }];
        });
        if (request.isDryRun !== true) {
          await writeChanges(trx, changes);
          await record(trx, request, changes, newId);
          if (changes.length > 0) await audit(trx, [minersEdited(request, changes)]);
        }
        const changed = changes.map(({ id, before, after }) => ({ id, before, after }));
        return { kind: 'done', values, changed, agentIds: request.isDryRun === true ? [] : agentsToNotify(changes) };
      }),
    /** In the order of addresses. Read in pages, with a yield to the event loop between them. */
    listLocations: (farmId: string): Promise<readonly MinerLocation[]> => listLocations(read, farmId),
  };
}

async function readMiners(db: Db, farmId: string, ids: readonly string[]): Promise<Map<string, Current>> {
  const found = new Map<string, Current>();
  for (const part of chunks(ids)) {
    const rows = await db
      .selectFrom('miners')
      .select(['id', 'row_id', 'agent_id', 'agent_key', 'ops_status', 'rack', 'position'])
      .where('farm_id', '=', farmId)
      .where('id', 'in', part)
      .execute();
    for (const { ops_status: opsStatus, ...miner } of rows) found.set(miner.id, { ...miner, opsStatus });
  }
  return found;
}

/** A miner that leaves its rack leaves its position. */
function merge(miner: OperatorValues, { opsStatus, rack, position }: OperatorFields): OperatorValues {
  const left = rack === null && position === undefined;
  return {
    opsStatus: opsStatus === undefined ? miner.opsStatus : opsStatus,
    rack: rack === undefined ? miner.rack : rack,
    position: left ? null : position === undefined ? miner.position : position,
  };
}

const isSameLocation = (a: OperatorValues, b: OperatorValues) => a.rack === b.rack && a.position === b.position;
const isSame = (a: OperatorValues, b: OperatorValues) => a.opsStatus === b.opsStatus && isSameLocation(a, b);

function* findProblems(
  ids: Iterable<string>,
  values: ReadonlyMap<string, OperatorValues>,
): Generator<EditProblem, void, undefined> {
  for (const id of ids) {
    const after = values.get(id);
    if (after === undefined) yield { id, reason: 'not-found' };
    else if (after.rack === null && after.position !== null) yield { id, reason: 'no-rack' };
  }
}

/** Positions that would hold two miners, of those named and of the others. */
async function findTaken(
  db: Db,
  farmId: string,
  values: ReadonlyMap<string, OperatorValues>,
): Promise<readonly EditProblem[]> {
  const locationKeyOf = ({ rack, position }: { rack: string | null; position: number | null }) =>
    rack === null || position === null ? undefined : JSON.stringify([rack, position]);
  const holders = new Map<string, string>();
  const racks = [...new Set([...values.values()].flatMap(({ rack }) => (rack === null ? [] : [rack])))];
  for (const part of chunks(racks)) {
    const rows = await db
      .selectFrom('miners')
      .select(['id', 'rack', 'position'])
      .where('farm_id', '=', farmId)
      .where('rack', 'in', part)
      .where('position', 'is not', null)
      .execute();
    for (const row of rows) {
      const location = locationKeyOf(row);
      if (location !== undefined && !values.has(row.id)) holders.set(location, row.id);
    }
  }
  const problems: EditProblem[] = [];
  for (const [id, after] of values) {
    const location = locationKeyOf(after);
    if (location === undefined) continue;
    const by = holders.get(location);
    if (by === undefined) holders.set(location, id);
    else problems.push({ id, reason: 'taken', by });
  }
  return problems;
}

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

const EVENTS = [
  {
    name: 'miner.rack_location.update',
    isMeant: ({ before, after }: Edited) => !isSameLocation(before, after),
    show: ({ rack, position }: OperatorValues) => ({ rack, position }),
  },
  {
    name: 'miner.asset.update',
    isMeant: ({ before, after }: Edited) => before.opsStatus !== after.opsStatus,
    show: ({ opsStatus }: OperatorValues) => ({ ops_status: opsStatus }),
  },
] as const;

/** One batch per kind of change, done at once; what was before and after is the evidence of each task. */
async function record(
  db: Db,
  request: EditRequest,
  changes: readonly Change[],
  newId: (nowMs: number) => string,
): Promise<void> {
  const { nowMs } = request;
  for (const { name, isMeant, show } of EVENTS) {
    const meant = changes.filter(isMeant);
    const [first] = meant;
    if (first === undefined) continue;
    const id = newId(nowMs);
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
        metadata: {},
        expiresAtMs: nowMs,
        tasks,
      },
    );
  }
}

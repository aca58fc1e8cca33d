// Containers and racks of a farm: which container a rack stands in and its shape. A rack that only miners name is
// listed too, without either. All changes of locations of a farm wait for each other, so no miner gets a position that
// the shape of its rack does not have.
import { RefusedError } from '../../../base/errors.ts';
import { capacityOf, type RackShape } from '../../../model/locations/rack-grid.ts';
import type { Actor } from '../../../model/task.ts';
import type { Audited, ServiceAct } from '../databases.ts';
import { countAll } from '../rows.ts';
import type { Db } from '../schema.ts';
import { findRow, listContainers, listRacks, type Rack, toColumns, toRack } from './rack-rows.ts';
import { findStanding, type Standing } from './standing.ts';

type By = { readonly workspaceId: string; readonly farmId: string; readonly actor: Actor; readonly nowMs: number };

/** Absent = stays as it is. */
type RackChange = By & {
  readonly name: string;
  readonly container?: string | null | undefined;
  readonly shape?: RackShape | null | undefined;
};

export type RackOutcome =
  | { readonly kind: 'done'; readonly rack: Rack }
  | { readonly kind: 'no-container' }
  /** The shape has no room for these, of which some are named. */
  | { readonly kind: 'occupied'; readonly miners: readonly Standing[]; readonly count: number }
  | { readonly kind: 'full' };

/** Of a farm. */
export const MOST_RACKS = 10_000;
const MAX_NAMED = 5;
export const TOO_MANY = `The farm has ${MOST_RACKS} racks or containers already, and may have no more`;

export type RackStore = ReturnType<typeof createRackStore>;

export function createRackStore({ read, transact, lock, audit }: Audited) {
  return {
    listContainers: (farmId: string) => listContainers(read, farmId),
    listRacks: (farmId: string) => listRacks(read, farmId),
    /** With the miners that stand in it; undefined where nothing knows the rack. */
    async findRack(farmId: string, name: string) {
      const row = await findRow(read, farmId, name);
      const miners = await findStanding(read, farmId, name);
      if (row === undefined && miners.length === 0) return undefined;
      return { ...toRack(name, row, miners.length), miners };
    },
    putRack: (change: RackChange): Promise<RackOutcome> =>
      transact(async (trx) => {
        const { farmId, name } = change;
        await lock(trx, `locations ${farmId}`);
        const outcome = await writeRack(trx, change);
        if (outcome.kind === 'done') await audit(trx, [actOf('rack.changed', change, outcome.detail)]);
        return outcome.kind === 'done' ? { kind: 'done', rack: await readRack(trx, farmId, name) } : outcome;
      }),
    /** Its miners keep its name. Gives whether there was one. */
    removeRack: (request: By & { name: string }): Promise<boolean> =>
      transact(async (trx) => {
        await lock(trx, `locations ${request.farmId}`);
        const isRemoved = await remove(trx, 'racks', request.farmId, request.name);
        if (isRemoved) await audit(trx, [actOf('rack.removed', request, {})]);
        return isRemoved;
      }),
    /** Gives false where the farm has as many as it may have. */
    putContainer: (request: By & { name: string }): Promise<boolean> =>
      transact(async (trx) => {
        await lock(trx, `locations ${request.farmId}`);
        const made = await addContainer(trx, request, request.name);
        if (made === 'added') await audit(trx, [actOf('container.added', request, {})]);
        return made !== 'full';
      }),
    /** Of one that holds racks nothing is changed: gives their names. */
    removeContainer: (request: By & { name: string }): Promise<'removed' | 'unknown' | readonly string[]> =>
      transact(async (trx) => {
        const { farmId, name } = request;
        await lock(trx, `locations ${farmId}`);
        const racks = trx.selectFrom('racks').select('name').where('farm_id', '=', farmId);
        const held = await racks.where('container', '=', name).orderBy('name').execute();
        if (held.length > 0) return held.map((rack) => rack.name);
        if (!(await remove(trx, 'containers', farmId, name))) return 'unknown';
        await audit(trx, [actOf('container.removed', request, {})]);
        return 'removed';
      }),
  };
}

const actOf = (
  action: 'rack.changed' | 'rack.removed' | 'container.added' | 'container.removed',
  { workspaceId, farmId: farm, actor, nowMs: atMs, name }: By & { readonly name: string },
  detail: Readonly<Record<string, unknown>>,
): ServiceAct => ({ action, actor, workspaceId, atMs, subject: { farm, name }, detail });

/** Inside a transaction that holds the lock of the locations. */
async function writeRack(trx: Db, change: RackChange) {
  const { farmId, name } = change;
  const before = await findRow(trx, farmId, name);
  const was = toRack(name, before, 0);
  const container = change.container === undefined ? was.container : change.container;
  const shape = change.shape === undefined ? was.shape : change.shape;
  if (container !== null && !(await hasContainer(trx, farmId, container))) return { kind: 'no-container' } as const;
  if (before === undefined && (await isFull(trx, 'racks', farmId))) return { kind: 'full' } as const;
  const capacity = shape === null ? undefined : capacityOf(shape);
  const miners = await findStanding(trx, farmId, name);
  const beyond =
    capacity === undefined ? [] : miners.filter(({ position }) => position !== null && position > capacity);
  if (beyond.length > 0) return { kind: 'occupied', miners: beyond.slice(0, MAX_NAMED), count: beyond.length } as const;
  const values = { farm_id: farmId, name, container, ...toColumns(shape) };
  await trx
    .insertInto('racks')
    .values(values)
    .onConflict((conflict) => conflict.columns(['farm_id', 'name']).doUpdateSet(values))
    .execute();
  const detail = { container: [was.container, container], shape: [was.shape, shape] };
  return { kind: 'done', detail } as const;
}

/** For rows of a file: a rack that stands in no container yet gets one; both are made where they are missing. */
export async function assignContainers(
  trx: Db,
  by: By,
  containers: ReadonlyMap<string, string>,
): Promise<ServiceAct[]> {
  const acts: ServiceAct[] = [];
  for (const [name, container] of containers) {
    const before = await findRow(trx, by.farmId, name);
    if (before?.container === container) continue;
    if ((await addContainer(trx, by, container)) === 'added')
      acts.push(actOf('container.added', { ...by, name: container }, {}));
    const written = await writeRack(trx, { ...by, name, container });
    if (written.kind !== 'done') throw new RefusedError('request.conflict', TOO_MANY);
    acts.push(actOf('rack.changed', { ...by, name }, written.detail));
  }
  return acts;
}

async function addContainer(trx: Db, { farmId, nowMs }: By, name: string): Promise<'added' | 'there' | 'full'> {
  if (await hasContainer(trx, farmId, name)) return 'there';
  if (await isFull(trx, 'containers', farmId)) return 'full';
  await trx.insertInto('containers').values({ farm_id: farmId, name, created_at: nowMs }).execute();
  return 'added';
}

async function hasContainer(db: Db, farmId: string, name: string): Promise<boolean> {
  const found = db.selectFrom('containers').select('name').where('farm_id', '=', farmId).where('name', '=', name);
  return (await found.executeTakeFirst()) !== undefined;
}

async function isFull(db: Db, table: 'racks' | 'containers', farmId: string): Promise<boolean> {
  return (await countAll(db.selectFrom(table).where('farm_id', '=', farmId))) >= MOST_RACKS;
}

async function remove(db: Db, table: 'racks' | 'containers', farmId: string, name: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom(table)
    .where('farm_id', '=', farmId)
    .where('name', '=', name)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

async function readRack(db: Db, farmId: string, name: string): Promise<Rack> {
  const standing = db.selectFrom('miners').where('farm_id', '=', farmId).where('rack', '=', name);
  return toRack(name, await findRow(db, farmId, name), await countAll(standing));
}

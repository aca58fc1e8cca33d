// Reads what the tables hold of racks and containers. It changes nothing.
import type { RackShape } from '../../../model/locations/rack-grid.ts';
import { rackShapeSchema } from '../../../model/locations/rack-shape.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';

export type Rack = {
  readonly name: string;
  readonly container: string | null;
  readonly shape: RackShape | null;
  readonly minerCount: number;
};
export type Container = { readonly name: string; readonly rackCount: number; readonly minerCount: number };

type RackRow = Row<'racks'>;

export const findRow = (db: Db, farmId: string, name: string): Promise<RackRow | undefined> =>
  db.selectFrom('racks').selectAll().where('farm_id', '=', farmId).where('name', '=', name).executeTakeFirst();

/** Of these racks, those that have a shape. */
export async function readShapes(db: Db, farmId: string, names: readonly string[]): Promise<Map<string, RackShape>> {
  const shapes = new Map<string, RackShape>();
  for (const part of chunks(names))
    for (const row of await db
      .selectFrom('racks')
      .selectAll()
      .where('farm_id', '=', farmId)
      .where('name', 'in', part)
      .execute()) {
      const shape = toShape(row);
      if (shape !== null) shapes.set(row.name, shape);
    }
  return shapes;
}

export async function listRacks(db: Db, farmId: string): Promise<readonly Rack[]> {
  const rows = await db.selectFrom('racks').selectAll().where('farm_id', '=', farmId).execute();
  const counts = await db
    .selectFrom('miners')
    .select((eb) => ['rack', eb.fn.countAll<number>().as('count')])
    .where('farm_id', '=', farmId)
    .where('rack', 'is not', null)
    .groupBy('rack')
    .execute();
  const known = new Map(rows.map((row) => [row.name, row]));
  const minersOf = new Map(counts.map(({ rack, count }) => [rack ?? '', Number(count)]));
  const names = new Set([...known.keys(), ...minersOf.keys()]);
  return [...names].map((name) => toRack(name, known.get(name), minersOf.get(name) ?? 0)).toSorted(byName);
}

export async function listContainers(db: Db, farmId: string): Promise<readonly Container[]> {
  const rows = await db.selectFrom('containers').select('name').where('farm_id', '=', farmId).execute();
  const ofContainer = Map.groupBy(await listRacks(db, farmId), ({ container }) => container);
  return rows
    .map(({ name }) => {
      const racks = ofContainer.get(name) ?? [];
      return { name, rackCount: racks.length, minerCount: racks.reduce((sum, { minerCount }) => sum + minerCount, 0) };
    })
    .toSorted(byName);
}

const names = new Intl.Collator('en', { numeric: true });
/** C2 before C10. */
const byName = (a: { readonly name: string }, b: { readonly name: string }) => names.compare(a.name, b.name);

export const toRack = (name: string, row: RackRow | undefined, minerCount: number): Rack => ({
  ...{ name, container: row?.container ?? null, shape: row === undefined ? null : toShape(row), minerCount },
});

function toShape(row: RackRow): RackShape | null {
  const { row_count: rows, column_count: columns, first_corner: first, direction, is_serpentine } = row;
  return rackShapeSchema.safeParse({ rows, columns, first, direction, serpentine: is_serpentine === 1 }).data ?? null;
}

export const toColumns = (shape: RackShape | null) => ({
  row_count: shape?.rows ?? null,
  column_count: shape?.columns ?? null,
  first_corner: shape?.first ?? null,
  direction: shape?.direction ?? null,
  is_serpentine: shape === null ? null : Number(shape.serpentine),
});

// Who stands where: the miners of a rack, and what keeps a miner from a position. It changes nothing.

import type { Location } from '../../../model/locations/location.ts';
import { capacityOf } from '../../../model/locations/rack-grid.ts';
import { chunks } from '../rows.ts';
import type { Db, Row } from '../schema.ts';
import { readShapes } from './rack-rows.ts';

/** A miner as a person knows it, with its location. */
export type Standing = Readonly<Pick<Row<'miners'>, 'id' | 'mac' | 'serial' | 'model' | 'position'>> & {
  readonly ipNum: number;
};

/** By position; those without one last. Not more than a rack can hold by its positions, in practice. */
export async function findStanding(db: Db, farmId: string, rack: string): Promise<readonly Standing[]> {
  const rows = await db
    .selectFrom('miners')
    .select(['id', 'ip_num', 'mac', 'serial', 'model', 'position'])
    .where('farm_id', '=', farmId)
    .where('rack', '=', rack)
    .orderBy('ip_num')
    .execute();
  const last = Number.POSITIVE_INFINITY;
  return rows
    .map(({ ip_num: ipNum, ...row }) => ({ ...row, ipNum }))
    .toSorted((a, b) => (a.position ?? last) - (b.position ?? last) || a.ipNum - b.ipNum);
}

/** Why miners cannot stand where they are to stand. */
export type LocationProblem =
  | { readonly id: string; readonly reason: 'no-rack' }
  | {
      readonly id: string;
      readonly reason: 'taken';
      readonly location: Location;
      readonly by: { readonly id: string; readonly ipNum: number };
    }
  | { readonly id: string; readonly reason: 'beyond'; readonly location: Location; readonly capacity: number };

type Wanted = Location & { readonly ipNum: number };

/** `wanted` = where the miners of these ids are to stand. Those of the farm that are not named stay where they are. */
export async function findLocationProblems(
  db: Db,
  farmId: string,
  wanted: ReadonlyMap<string, Wanted>,
): Promise<readonly LocationProblem[]> {
  const problems: LocationProblem[] = [];
  const racks = [...new Set([...wanted.values()].flatMap(({ rack }) => rack ?? []))];
  const shapes = await readShapes(db, farmId, racks);
  for (const [id, { rack, position }] of wanted) {
    if (position === null) continue;
    if (rack === null) problems.push({ id, reason: 'no-rack' });
    const shape = shapes.get(rack ?? '');
    if (shape !== undefined && position > capacityOf(shape))
      problems.push({ id, reason: 'beyond', location: { rack, position }, capacity: capacityOf(shape) });
  }
  return [...problems, ...(await findTaken(db, farmId, wanted, racks))];
}

const keyOf = ({ rack, position }: Location) =>
  rack === null || position === null ? undefined : JSON.stringify([rack, position]);

/** Positions that would hold two miners, of those named and of the others. */
async function findTaken(
  db: Db,
  farmId: string,
  wanted: ReadonlyMap<string, Wanted>,
  racks: readonly string[],
): Promise<readonly LocationProblem[]> {
  const holders = new Map<string, { id: string; ipNum: number }>();
  for (const part of chunks(racks)) {
    const rows = await db
      .selectFrom('miners')
      .select(['id', 'ip_num', 'rack', 'position'])
      .where('farm_id', '=', farmId)
      .where('rack', 'in', part)
      .where('position', 'is not', null)
      .execute();
    for (const { id, ip_num: ipNum, ...location } of rows) {
      const key = keyOf(location);
      if (key !== undefined && !wanted.has(id)) holders.set(key, { id, ipNum });
    }
  }
  const problems: LocationProblem[] = [];
  for (const [id, { ipNum, rack, position }] of wanted) {
    const key = keyOf({ rack, position });
    if (key === undefined) continue;
    const by = holders.get(key);
    if (by === undefined) holders.set(key, { id, ipNum });
    else problems.push({ id, reason: 'taken', location: { rack, position }, by });
  }
  return problems;
}

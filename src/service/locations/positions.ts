// Locations of miners out as CSV, and changes of them in: from CSV, or for miners that are named one by one. All rows
// or none, and every problem is named with its line. How CSV is read is csv.ts, which miner a row means named-miner.ts.
import { yieldToEventLoop } from '../../base/clock.ts';
import { ConfigError, type Problem } from '../../base/errors.ts';
import { formatIpv4 } from '../../base/net/ipv4.ts';
import { type Location, shownLocation } from '../../model/locations/location.ts';
import type { Edited, EditProblem, MinerLocation, OperatorStore, Rack, RackStore } from '../store/store.ts';
import { EXPORTED, readCsv, toCsv } from './csv.ts';
import { indexMiners, type Named } from './named-miner.ts';
import { type RacksOfFile, type RowLocation, readLocation, takeContainer } from './row-location.ts';
import { wordsOf } from './words.ts';

type Stores = { readonly operators: OperatorStore; readonly racks: Pick<RackStore, 'listRacks'> };

const MAX_PROBLEMS = 50;
/** Rows that are written at a time; between them the event loop goes on. */
const PORTION = 2_000;

export type PlacedMiner = MinerLocation & { readonly container: string | null };

/** In the order of addresses, with the containers of their racks. */
export async function listPlaced({ operators, racks }: Stores, farmId: string): Promise<readonly PlacedMiner[]> {
  const containers = new Map((await racks.listRacks(farmId)).map(({ name, container }) => [name, container]));
  const miners = await operators.listLocations(farmId);
  return miners.map((miner) => ({ ...miner, container: containers.get(miner.rack ?? '') ?? null }));
}

export async function exportPositions(stores: Stores, farmId: string): Promise<string> {
  const miners = await listPlaced(stores, farmId);
  const texts = [toCsv([EXPORTED])];
  for (let from = 0; from < miners.length; from += PORTION) {
    const rows = miners
      .slice(from, from + PORTION)
      .map(({ id, mac, serial, ipNum, rack, position, container }) => [
        ...[id, mac, serial, formatIpv4(ipNum)],
        ...[rack, position, container],
      ]);
    texts.push(toCsv(rows));
    await yieldToEventLoop();
  }
  return texts.join('');
}

type Request = Omit<Parameters<OperatorStore['edit']>[0], 'edits' | 'containers'>;

export type Moved = {
  readonly changed: readonly Edited[];
  readonly changeId: string | null;
  /** Columns of the file that say nothing of a location. */
  readonly ignored: readonly string[];
  /** Of racks that stood in none, by rack. */
  readonly containers: ReadonlyMap<string, string>;
};

/**
 * Applies all rows or none; miners that are not in the file keep their positions. Gives what changes, or would in a dry
 * run. Throws ConfigError that names every line that is wrong.
 */
export async function importPositions(stores: Stores, request: Request & { readonly text: string }): Promise<Moved> {
  const { text, ...edit } = request;
  const table = readCsv(text);
  if ('problem' in table) throw refused([table.problem]);
  const { index, racks } = await readFarm(stores, edit.farmId);
  const placements = table.rows.map(({ line, cell }): Placement => {
    const facts = { id: cell('id'), mac: cell('mac'), serial_number: cell('serial_number'), ip: cell('ip') };
    return { path: `line ${line}`, miner: index.byFacts(facts), ...readLocation(cell, racks) };
  });
  return { ...(await place(stores, edit, placements, racks)), ignored: table.ignored };
}

/** `miner` = any text that names it. */
export type GivenPlace = { readonly miner: string; readonly rack: string | null; readonly position: number | null };

/** With `swap` a miner that holds the slot of another one goes where that one comes from. */
export async function placeMiners(
  stores: Stores,
  request: Request & { readonly miners: readonly GivenPlace[]; readonly swap: boolean },
): Promise<Moved> {
  const { miners, swap, ...edit } = request;
  const { index, racks } = await readFarm(stores, edit.farmId);
  const placements = miners.map(({ miner, rack, position }, at): Placement => {
    return { path: `miners[${at}]`, miner: index.byText(miner), location: { rack, position }, problems: [] };
  });
  return { ...(await place(stores, edit, placements, racks, swap)), ignored: [] };
}

async function readFarm({ operators, racks }: Stores, farmId: string) {
  const known: ReadonlyMap<string, Rack> = new Map((await racks.listRacks(farmId)).map((rack) => [rack.name, rack]));
  const ofFile: RacksOfFile = { known, containers: new Map() };
  return { index: indexMiners(await operators.listLocations(farmId)), racks: ofFile };
}

type Placement = RowLocation & { readonly path: string; readonly miner: Named };

async function place(
  { operators }: Stores,
  request: Request,
  placements: readonly Placement[],
  racks: RacksOfFile,
  swap = false,
) {
  const problems: Problem[] = [];
  const seen: Seen = { miners: new Map(), slots: new Map() };
  const rows = placements.flatMap((placement) => {
    const problem = (message: string) => problems.push({ path: placement.path, message });
    const { miner, location, path } = placement;
    if ('problem' in miner) problem(miner.problem);
    for (const message of placement.problems) problem(message);
    if ('problem' in miner || location === undefined) return [];
    for (const message of repeated(seen, { path, miner, location })) problem(message);
    const conflict = takeContainer(racks, location.rack, placement.container);
    if (conflict !== undefined) problem(conflict);
    return [{ path, id: miner.id, from: { rack: miner.rack, position: miner.position }, ...location }];
  });
  if (problems.length > 0) throw refused(problems);
  const edits = rows.map(({ id, rack, position }) => ({ id, rack, position }));
  const edit = { ...request, containers: racks.containers };
  let outcome = await operators.edit({ ...edit, edits });
  if (swap && outcome.kind === 'refused') {
    const others = swapsOf(outcome.problems, new Map(rows.map(({ id, from }) => [id, from])));
    if (others.length > 0) outcome = await operators.edit({ ...edit, edits: [...edits, ...others] });
  }
  if (outcome.kind === 'done')
    return { changed: outcome.changed, changeId: outcome.changeId, containers: racks.containers };
  const pathOf = new Map(rows.map(({ id, path }) => [id, path]));
  throw refused(
    outcome.problems.map((problem) => ({ path: pathOf.get(problem.id) ?? 'request', message: wordsOf(problem) })),
  );
}

/** Miners that hold the slots of others go where those come from. */
const swapsOf = (problems: readonly EditProblem[], cameFrom: ReadonlyMap<string, Location>) =>
  problems.flatMap((problem) => {
    const from = cameFrom.get(problem.id);
    return problem.reason === 'taken' && from !== undefined ? [{ id: problem.by.id, ...from }] : [];
  });

/** By miner and by slot, where it was named first. */
type Seen = { readonly miners: Map<string, string>; readonly slots: Map<string, string> };

/** A miner goes to one slot, and a slot holds one miner. */
function repeated(
  seen: Seen,
  { path, miner, location }: { path: string; miner: MinerLocation; location: NonNullable<RowLocation['location']> },
): string[] {
  const messages: string[] = [];
  const before = seen.miners.get(miner.id);
  if (before === undefined) seen.miners.set(miner.id, path);
  else messages.push(`the miner ${formatIpv4(miner.ipNum)} is also in ${before}`);
  if (location.rack === null || location.position === null) return messages;
  const slot = JSON.stringify([location.rack, location.position]);
  const holder = seen.slots.get(slot);
  if (holder === undefined) seen.slots.set(slot, path);
  else if (before === undefined) messages.push(`${shownLocation(location)} is also given in ${holder}`);
  return messages;
}

const refused = (problems: readonly Problem[]) =>
  new ConfigError('change locations: nothing was changed', problems.slice(0, MAX_PROBLEMS));

// The location that one row of a file gives: a rack, and a position, or a row and a column of a rack whose shape is
// known. It does not know who stands where.
import type { Location } from '../../model/locations/location.ts';
import { positionOf } from '../../model/locations/rack-grid.ts';
import { locationNameSchema, positionSchema } from '../../wire/api/farm/locations.ts';
import type { Rack } from '../store/store.ts';
import type { CsvRow } from './csv.ts';

/** The racks of the farm, and the containers that the file gives to those that have none. */
export type RacksOfFile = {
  readonly known: ReadonlyMap<string, Rack>;
  readonly containers: Map<string, string>;
};

/** Without a location there is a problem. */
export type RowLocation = {
  readonly location?: Location;
  readonly container?: string;
  readonly problems: readonly string[];
};

type Cells = CsvRow['cell'];

export function readLocation(cell: Cells, { known }: RacksOfFile): RowLocation {
  const problems: string[] = [];
  const name = (column: 'rack' | 'container') => {
    if (cell(column) === '') return null;
    const read = locationNameSchema.safeParse(cell(column));
    if (!read.success) problems.push(`${column}: ${read.error.issues[0]?.message ?? ''}`);
    return read.data ?? null;
  };
  const rack = name('rack');
  const container = name('container');
  const position = readPosition(cell, problems, known.get(rack ?? '')?.shape ?? undefined);
  if (container !== null && rack === null) problems.push('a container needs a rack');
  if (problems.length > 0) return { problems };
  return { location: { rack, position }, ...(container !== null && { container }), problems };
}

/** Null = at no position; also where there is a problem. */
function readPosition(cell: Cells, problems: string[], shape: Rack['shape'] | undefined): number | null {
  const number = (column: 'position' | 'row' | 'column') => {
    const text = cell(column);
    if (text === '') return null;
    const read = positionSchema.safeParse(/^\d+$/.test(text) ? Number(text) : -1);
    if (!read.success) problems.push(`${column}: received '${text}', accepted: a whole number from 1, or nothing`);
    return read.data ?? null;
  };
  const [position, row, column] = [number('position'), number('row'), number('column')];
  if (row === null && column === null) return position;
  if (row === null || column === null) {
    problems.push('a row needs a column, and a column a row');
    return null;
  }
  if (shape === undefined || shape === null) {
    if (position !== null) return position;
    problems.push(`row and column need the shape of the rack ${cell('rack')}, which is not known`);
    return null;
  }
  const counted = positionOf(shape, { row, column });
  if (counted === undefined)
    problems.push(`the rack ${cell('rack')} has ${shape.rows} rows and ${shape.columns} columns`);
  else if (position !== null && position !== counted)
    problems.push(`row ${row} and column ${column} are the position ${counted}, not ${position}`);
  return counted ?? null;
}

/** Notes the container of a rack that has none; a problem where the rack stands in another one. */
export function takeContainer(
  { known, containers }: RacksOfFile,
  rack: string | null,
  container: string | undefined,
): string | undefined {
  if (rack === null || container === undefined) return undefined;
  const now = known.get(rack)?.container ?? containers.get(rack);
  if (now === undefined) containers.set(rack, container);
  return now === undefined || now === container
    ? undefined
    : `the rack ${rack} stands in the container ${now}, not in ${container}`;
}

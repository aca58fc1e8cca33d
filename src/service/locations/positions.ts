// Positions of miners as CSV, out and in: the same columns in the same order for ever, safe to open in a spreadsheet.
// Miners are identified by their id; the other identity columns are for people and are never written.
import { parse } from 'csv-parse/sync';
import { stringify } from 'csv-stringify/sync';
import { z } from 'zod';
import { yieldToEventLoop } from '../../base/clock.ts';
import { ConfigError, type Problem } from '../../base/errors.ts';
import { formatIpv4 } from '../../base/net/ipv4.ts';
import { positionSchema, rackSchema } from '../../wire/api/miners.ts';
import type { Edited, EditProblem, MinerLocation, OperatorStore } from '../store/store.ts';

const POSITION_COLUMNS = ['id', 'mac', 'serial_number', 'ip', 'rack', 'position'] as const;

const MAX_CSV_BYTES = 32 * 1024 * 1024;
const MAX_PROBLEMS = 50;
/** Rows that are written at a time; between them the event loop goes on. */
const PORTION = 2_000;

export async function exportPositions(store: Pick<OperatorStore, 'listLocations'>, farmId: string): Promise<string> {
  const miners = await store.listLocations(farmId);
  const texts = [toCsv([POSITION_COLUMNS])];
  for (let from = 0; from < miners.length; from += PORTION) {
    const rows = miners
      .slice(from, from + PORTION)
      .map(({ id, mac, serial, ipNum, rack, position }) => [id, mac, serial, formatIpv4(ipNum), rack, position]);
    texts.push(toCsv(rows));
    await yieldToEventLoop();
  }
  return texts.join('');
}

const toCsv = (rows: readonly (readonly (string | number | null)[])[]) =>
  stringify([...rows], { escape_formulas: true });

type PositionImport = Omit<Parameters<OperatorStore['edit']>[0], 'edits'> & { readonly text: string };

type Row = {
  readonly line: number;
  readonly id: string;
  readonly rack: string | null;
  readonly position: number | null;
};

/**
 * Applies all rows or none; miners that are not in the file keep their positions. Gives the miners whose position
 * changes (or would, in a dry run). Throws ConfigError that names every line that is wrong.
 */
export async function importPositions(
  store: OperatorStore,
  { text, ...request }: PositionImport,
): Promise<readonly Edited[]> {
  const known = new Map((await store.listLocations(request.farmId)).map((miner) => [miner.id, miner]));
  const problems: Problem[] = [];
  const rows = readRows(text, known, problems);
  if (problems.length > 0) throw refused(problems);
  const edits = rows.map(({ id, rack, position }) => ({ id, rack, position }));
  const outcome = await store.edit({ ...request, edits });
  if (outcome.kind === 'done') return outcome.changed;
  const lineOf = new Map(rows.map(({ id, line }) => [id, line]));
  throw refused(
    outcome.problems.map((problem) => ({ path: `line ${lineOf.get(problem.id) ?? '?'}`, message: wordsOf(problem) })),
  );
}

const refused = (problems: readonly Problem[]) =>
  new ConfigError('import positions: nothing was changed', problems.slice(0, MAX_PROBLEMS));

function wordsOf(problem: EditProblem): string {
  switch (problem.reason) {
    case 'not-found':
      return `no miner of the farm has the id ${problem.id}`;
    case 'no-rack':
      return 'a position needs a rack';
    case 'taken':
      return `this place is also that of the miner ${problem.by}`;
  }
}

const recordsSchema = z.array(z.object({ record: z.array(z.string()), info: z.object({ lines: z.int() }) }));

/** `line` is that of the file on which the record begins: there may be blank lines, and cells of several. */
type Written = { readonly line: number; readonly cells: readonly string[] };

/** Rows that name a miner of the farm; whatever is wrong goes to `problems`. */
function readRows(text: string, known: ReadonlyMap<string, MinerLocation>, problems: Problem[]): Row[] {
  const [{ line: headerLine, cells: header } = { line: 1, cells: [] }, ...records] = parseCsv(text);
  const at = (name: (typeof POSITION_COLUMNS)[number]) => header.indexOf(name);
  const odd = header.find((name) => !POSITION_COLUMNS.some((column) => column === name));
  const missing = (['id', 'rack', 'position'] as const).filter((name) => at(name) < 0);
  const repeated = header.find((name, index) => header.indexOf(name) !== index);
  if (odd !== undefined || repeated !== undefined || missing.length > 0) {
    const received =
      odd !== undefined
        ? `with the column '${odd}'`
        : repeated !== undefined
          ? `with the column '${repeated}' twice`
          : `without ${missing.join(', ')}`;
    problems.push({
      path: `line ${headerLine}`,
      message: `received ${received}, accepted: ${POSITION_COLUMNS.join(',')}`,
    });
    return [];
  }
  const seen = new Set<string>();
  return records.flatMap(({ line, cells }) => {
    const problem = (message: string) => problems.push({ path: `line ${line}`, message });
    const cell = (name: (typeof POSITION_COLUMNS)[number]) => withoutGuard((cells[at(name)] ?? '').trim());
    const id = cell('id').toLowerCase();
    const miner = known.get(id);
    if (miner === undefined) problem(`no miner of the farm has the id '${id}'`);
    else if (seen.has(id)) problem(`the miner ${id} is in the file twice`);
    else {
      // A mark that does not fit its id is a file whose rows have slipped. Addresses change by themselves and say
      // nothing.
      const marks = [
        ['mac', miner.mac],
        ['serial_number', miner.serial],
      ] as const;
      for (const [name, value] of marks)
        if (at(name) >= 0 && cell(name) !== value)
          problem(`${name} is '${cell(name)}', but that of this miner is '${value}' and cannot be changed here`);
    }
    seen.add(id);
    const rack = rackSchema.nullable().safeParse(cell('rack') === '' ? null : cell('rack'));
    if (!rack.success) problem(`rack: ${rack.error.issues[0]?.message ?? ''}`);
    const written = cell('position');
    const position = positionSchema
      .nullable()
      .safeParse(written === '' ? null : /^\d+$/.test(written) ? Number(written) : -1);
    if (!position.success) problem(`position: received '${written}', accepted: a whole number from 1, or nothing`);
    return rack.success && position.success ? [{ line, id, rack: rack.data, position: position.data }] : [];
  });
}

function parseCsv(text: string): Written[] {
  if (Buffer.byteLength(text) > MAX_CSV_BYTES)
    throw refused([{ path: 'file', message: `is larger than ${MAX_CSV_BYTES} bytes` }]);
  try {
    const records: unknown = parse(text, {
      bom: true,
      info: true,
      relax_column_count: false,
      skip_empty_lines: true,
      record_delimiter: ['\r\n', '\n', '\r'],
    });
    return recordsSchema.parse(records).map(({ record: cells, info }) => ({
      line: info.lines - (cells.join('').match(/\r\n|\n|\r/g)?.length ?? 0),
      cells,
    }));
  } catch (error) {
    throw new ConfigError(
      'import positions: nothing was changed',
      [{ path: 'file', message: error instanceof Error ? error.message : 'is no CSV' }],
      error,
    );
  }
}

/** Spreadsheets take cells that begin like a formula for one; the export puts an apostrophe before them. */
const withoutGuard = (cell: string) => cell.replace(/^'(?=[=+\-@\t\r\uFF1D\uFF0B\uFF0D\uFF20])/, '');

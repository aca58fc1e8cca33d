// `pithead position`: where miners stand. One miner by its address, MAC or serial number; many by a file; and back
// again with undo. The service keeps it and decides what may be.
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { ConfigError } from '../../base/errors.ts';
import { NAME_RULE, parseLocation } from '../../model/locations/location.ts';
import { wrongOption } from '../options.ts';
import { UNKNOWN } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { type LocationFlags, moveLines, onLocations, print, withLocations } from './location-options.ts';
import type { Moved, PlacedMiner } from './location-service.ts';
import { keepChassis } from './same-chassis.ts';
import { type UndoFlags, undo } from './undo.ts';

const FILE_HELP = `
The file is CSV with comma, semicolon or tab, with headers in any order: one of id, mac, serial_number (also of a board or a PSU) or ip; then rack
and position, or rack, row and column; container where a rack has none yet. Other columns are ignored. All rows or none are taken.
`;

const CHASSIS_HELP = `
For a control board that was changed: the miner of before goes on with the facts of the new unit. The old unit must be silent for three minutes.
It cannot be undone. When the old unit is read again, it is a miner of its own.
`;

export function addPosition(program: Command, context: CliContext): void {
  const position = program
    .command('position')
    .description('where miners stand: rack and position')
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead position set 10.31.3.9 C03/12\n  $ pithead position export > racks.csv',
    );
  const set = ['pithead position set 10.31.3.9 C03/12', 'pithead position set 02:55:F7:00:00:05 C03/12 --swap'];
  onLocations(position, 'set', 'say where a miner stands', set)
    .argument('<miner>', 'its address, MAC address in any spelling, or serial number')
    .argument('<location>', 'rack/position, or only the rack')
    .option('--swap', 'a miner that holds the position goes where this one comes from')
    .option('--dry-run', 'show what would change and change nothing')
    .action((miner: string, location: string, flags: ChangeFlags) => setPosition(miner, location, flags, context));
  onLocations(position, 'clear', 'say that miners stand in no rack', ['pithead position clear 10.31.3.9'])
    .argument('<miners...>', 'addresses, MAC addresses or serial numbers')
    .option('--dry-run', 'show what would change and change nothing')
    .action((miners: string[], flags: ChangeFlags) => clearPositions(miners, flags, context));
  onLocations(position, 'list', 'print where each miner stands', ['pithead position list --rack C03'])
    .option('--rack <name>', 'only miners of this rack')
    .action((flags: ListFlags) => listPositions(flags, context));
  onLocations(position, 'export', 'print the locations of all miners as CSV', [
    'pithead position export > racks.csv',
  ]).action((flags: LocationFlags) => exportPositions(flags, context));
  const imports = ['pithead position import --dry-run racks.csv', 'pithead position import racks.csv'];
  onLocations(position, 'import', 'set racks and positions from CSV: all of it or nothing', imports, FILE_HELP)
    .argument('<file>', 'CSV, such as `position export` prints it; - reads standard input')
    .option('--dry-run', 'show what would change and change nothing')
    .action((path: string, flags: ChangeFlags) => importPositions(path, flags, context));
  const undos = ['pithead position undo --list', 'pithead position undo', 'pithead position undo --dry-run'];
  onLocations(position, 'undo', 'put the miners of a change back, the newest one if none is named', undos)
    .argument('[change]', 'its id, as --list shows it')
    .option('--list', 'show the newest changes, and undo nothing')
    .option('--dry-run', 'show what would change and change nothing')
    .option('-y, --yes', 'ask nothing; without a terminal it is needed where no change is named')
    .action((id: string | undefined, flags: UndoFlags) => undo(id, flags, context));
  const chassis = ['pithead position same-chassis 02:55:F7:00:00:09 02:55:F7:00:00:05'];
  const kept = 'say that a new unit stands where another one stood: location, id and history stay';
  onLocations(position, 'same-chassis', kept, chassis, CHASSIS_HELP)
    .argument('<new>', 'the unit that is there now: address, MAC address or serial number')
    .argument('<old>', 'the unit that stood there, which is silent')
    .action((unit: string, old: string, flags: LocationFlags) => keepChassis(unit, old, flags, context));
}

type ChangeFlags = LocationFlags & { dryRun?: boolean; swap?: boolean };
type ListFlags = LocationFlags & { rack?: string };

async function setPosition(miner: string, text: string, flags: ChangeFlags, context: CliContext): Promise<void> {
  const location = parseLocation(text);
  if (location === undefined)
    throw wrongOption('location', `'${text}' is neither rack/position nor a rack; of a rack ${NAME_RULE}`);
  const options = { swap: flags.swap === true, isDryRun: flags.dryRun === true };
  printMoved(
    await withLocations(flags, context, (locations) => locations.place([{ miner, ...location }], options)),
    flags,
    context,
  );
}

async function clearPositions(miners: readonly string[], flags: ChangeFlags, context: CliContext): Promise<void> {
  const placements = miners.map((miner) => ({ miner, rack: null }));
  const options = { isDryRun: flags.dryRun === true };
  printMoved(await withLocations(flags, context, (locations) => locations.place(placements, options)), flags, context);
}

async function importPositions(path: string, flags: ChangeFlags, context: CliContext): Promise<void> {
  const csv = readText(path);
  const moved = await withLocations(flags, context, (locations) => locations.importCsv(csv, flags.dryRun === true));
  const ignored = moved.meta.ignored_columns;
  if (ignored.length > 0) context.stderr.write(`ignored columns: ${ignored.join(', ')}\n`);
  printMoved(moved, flags, context);
}

function readText(path: string): string {
  try {
    return readFileSync(path === '-' ? 0 : path, 'utf8');
  } catch (error) {
    throw new ConfigError('import positions', [{ path, message: 'cannot be read' }], error);
  }
}

async function exportPositions(flags: LocationFlags, context: CliContext): Promise<void> {
  const csv = await withLocations(flags, context, (locations) => locations.exportCsv());
  context.stdout.write(flags.json ? `${JSON.stringify({ csv })}\n` : csv);
}

const printMoved = ({ data, meta }: Moved, flags: LocationFlags, context: CliContext): void =>
  print(flags, context, { ...meta, changes: data }, [
    ...meta.rack_containers.map(({ rack, container }) => `rack ${rack}  -> container ${container}`),
    ...moveLines(data, meta.dry_run),
  ]);

const COLUMNS: readonly Column<PlacedMiner>[] = [
  { title: 'RACK', text: ({ rack }) => rack ?? UNKNOWN },
  { title: 'POSITION', text: ({ position }) => position ?? UNKNOWN, align: 'right' },
  { title: 'CONTAINER', text: ({ container }) => container ?? UNKNOWN },
  { title: 'ADDRESS', text: ({ ip }) => ip, isWhole: true },
  { title: 'MAC', text: ({ mac }) => mac, under: 'ADDRESS' },
  { title: 'SERIAL', text: ({ serial_number: serial }) => serial ?? UNKNOWN, under: 'ADDRESS' },
  { title: 'MODEL', text: ({ model }) => model ?? UNKNOWN },
];

const names = new Intl.Collator('en', { numeric: true });
/** Those without a rack come last. */
const byLocation = (a: PlacedMiner, b: PlacedMiner) =>
  Number(a.rack === null) - Number(b.rack === null) ||
  names.compare(a.rack ?? '', b.rack ?? '') ||
  (a.position ?? 0) - (b.position ?? 0) ||
  names.compare(a.ip, b.ip);

async function listPositions(flags: ListFlags, context: CliContext): Promise<void> {
  const all = await withLocations(flags, context, (locations) => locations.listMiners());
  const miners = all.filter(({ rack }) => flags.rack === undefined || rack === flags.rack).toSorted(byLocation);
  const text = table(COLUMNS, miners, { width: screenWidth(context.stdout) });
  print(flags, context, miners, [miners.length === 0 ? 'none' : text]);
}

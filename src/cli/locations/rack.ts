// `pithead rack` and `pithead container`: which rack stands where, its shape, and who stands in its slots.
import type { Command } from 'commander';
import { DIRECTIONS, FIRST_CORNERS, MAX_LINES, type RackShape } from '../../model/locations/rack-grid.ts';
import { readWhole, wrongOption } from '../options.ts';
import { countOf, UNKNOWN } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { type LocationFlags, onLocations, print, withLocations } from './location-options.ts';
import type { Container, Rack, RackDetail } from './location-service.ts';

const SHAPE_HELP = `
Rows count from the top, columns from the left, seen from the front. Position 1 is at the corner that --first names; the others follow along rows or along
columns. With --serpentine every second row, or column, is numbered backwards.
`;

export function addRack(program: Command, context: CliContext): void {
  const rack = program
    .command('rack')
    .description('racks: container, shape, and who stands in their slots')
    .addHelpText('after', '\nExamples:\n  $ pithead rack show C03\n  $ pithead rack set C03 --container 1');
  onLocations(rack, 'list', 'print the racks', ['pithead rack list']).action((flags: LocationFlags) =>
    listRacks(flags, context),
  );
  onLocations(rack, 'show', 'print the slots of a rack, and the miner in each', ['pithead rack show C03'])
    .argument('<rack>', 'name of the rack')
    .action((name: string, flags: LocationFlags) => showRack(name, flags, context));
  const examples = [
    'pithead rack set C03 --container 1 --rows 8 --columns 6',
    'pithead rack set C03 --first bottom-left',
  ];
  onLocations(rack, 'set', 'set the container and the shape of a rack', examples, SHAPE_HELP)
    .argument('<rack>', 'name of the rack')
    .option('--container <name>', 'where it stands; `pithead container add` makes one')
    .option('--rows <n>', 'rows of slots')
    .option('--columns <n>', 'slots side by side')
    .option('--first <corner>', `corner of position 1: ${FIRST_CORNERS.join(', ')} (default: ${FIRST_CORNERS[0]})`)
    .option('--along <direction>', `numbers run along ${DIRECTIONS.join(' or ')} (default: ${DIRECTIONS[0]})`)
    .option('--serpentine', 'every second row or column is numbered backwards')
    .option('--no-serpentine', 'each row or column begins at the same side')
    .action((name: string, flags: RackFlags) => setRack(name, flags, context));
  onLocations(rack, 'remove', 'forget container and shape of a rack; its miners stay', ['pithead rack remove C03'])
    .argument('<rack>', 'name of the rack')
    .action(async (name: string, flags: LocationFlags) => {
      await withLocations(flags, context, (locations) => locations.removeRack(name));
      print(flags, context, { name, removed: true }, [`${name}: removed`]);
    });
}

export function addContainer(program: Command, context: CliContext): void {
  const container = program
    .command('container')
    .description('containers, in which racks stand')
    .addHelpText('after', '\nExamples:\n  $ pithead container add 1\n  $ pithead container list');
  onLocations(container, 'list', 'print the containers', ['pithead container list']).action(
    async (flags: LocationFlags) => {
      const containers = await withLocations(flags, context, (locations) => locations.containers());
      printTable(CONTAINER_COLUMNS, containers, flags, context);
    },
  );
  onLocations(container, 'add', 'make a container known', ['pithead container add 1'])
    .argument('<container>', 'name of the container')
    .action(async (name: string, flags: LocationFlags) => {
      const made = await withLocations(flags, context, (locations) => locations.addContainer(name));
      print(flags, context, made, [`${made.name}: ${countOf(made.rack_count, 'rack')}`]);
    });
  onLocations(container, 'remove', 'forget a container in which no rack stands', ['pithead container remove 1'])
    .argument('<container>', 'name of the container')
    .action(async (name: string, flags: LocationFlags) => {
      await withLocations(flags, context, (locations) => locations.removeContainer(name));
      print(flags, context, { name, removed: true }, [`${name}: removed`]);
    });
}

type RackFlags = LocationFlags & {
  container?: string;
  rows?: string;
  columns?: string;
  first?: string;
  along?: string;
  serpentine?: boolean;
};

async function setRack(name: string, flags: RackFlags, context: CliContext): Promise<void> {
  const given = shapeOf(flags);
  if (flags.container === undefined && given === undefined)
    throw wrongOption('rack set', 'nothing is given: --container, or --rows and --columns');
  const made = await withLocations(flags, context, async (locations) => {
    const before = given === undefined ? undefined : (await locations.racks()).find((rack) => rack.name === name);
    const shape = given === undefined ? undefined : wholeShape(given, before?.shape ?? undefined);
    return locations.setRack(name, { container: flags.container, shape });
  });
  print(flags, context, made, [rackLine(made)]);
}

/** Undefined where no option is about the shape. */
function shapeOf({ rows, columns, first, along, serpentine }: RackFlags): Partial<RackShape> | undefined {
  const shape: Partial<RackShape> = {
    ...(rows !== undefined && { rows: readWhole('--rows', rows, 1, MAX_LINES) }),
    ...(columns !== undefined && { columns: readWhole('--columns', columns, 1, MAX_LINES) }),
    ...(first !== undefined && { first: oneOf('--first', first, FIRST_CORNERS) }),
    ...(along !== undefined && { direction: oneOf('--along', along, DIRECTIONS) }),
    ...(serpentine !== undefined && { serpentine }),
  };
  return Object.keys(shape).length === 0 ? undefined : shape;
}

/** What is not given stays; of a new shape it is the usual. */
function wholeShape(given: Partial<RackShape>, before: RackShape | undefined): RackShape {
  const { rows, columns, ...rest } = { ...before, ...given };
  if (rows === undefined || columns === undefined)
    throw wrongOption(rows === undefined ? '--rows' : '--columns', 'a new shape needs rows and columns');
  return { first: 'top-left', direction: 'rows', serpentine: false, ...rest, rows, columns };
}

function oneOf<T extends string>(option: string, text: string, words: readonly T[]): T {
  const found = words.find((word) => word === text);
  if (found === undefined) throw wrongOption(option, `'${text}' is none of ${words.join(', ')}`);
  return found;
}

function shapeText(shape: RackShape | null): string {
  if (shape === null) return UNKNOWN;
  const { rows, columns, first, direction, serpentine } = shape;
  return `${rows} x ${columns} from ${first} along ${direction}${serpentine ? ', serpentine' : ''}`;
}

const rackLine = ({ name, container, shape, miner_count: miners }: Rack): string =>
  `${name}: container ${container ?? UNKNOWN}, shape ${shapeText(shape)}, ${countOf(miners, 'miner')}`;

const RACK_COLUMNS: readonly Column<Rack>[] = [
  { title: 'RACK', text: ({ name }) => name },
  { title: 'CONTAINER', text: ({ container }) => container ?? UNKNOWN },
  { title: 'MINERS', text: ({ miner_count: miners }) => miners, align: 'right' },
  { title: 'SLOTS', text: ({ shape }) => (shape === null ? UNKNOWN : shape.rows * shape.columns), align: 'right' },
  { title: 'SHAPE', text: ({ shape }) => shapeText(shape) },
];

const CONTAINER_COLUMNS: readonly Column<Container>[] = [
  { title: 'CONTAINER', text: ({ name }) => name },
  { title: 'RACKS', text: ({ rack_count: racks }) => racks, align: 'right' },
  { title: 'MINERS', text: ({ miner_count: miners }) => miners, align: 'right' },
];

type Slot = RackDetail['slots'][number];

const SLOT_COLUMNS: readonly Column<Slot>[] = [
  { title: 'SLOT', text: ({ label }) => label, isWhole: true },
  { title: 'ROW', text: ({ row }) => row ?? UNKNOWN, align: 'right' },
  { title: 'COLUMN', text: ({ column }) => column ?? UNKNOWN, align: 'right' },
  { title: 'ADDRESS', text: ({ miner }) => miner?.ip ?? UNKNOWN, isWhole: true },
  { title: 'SERIAL', text: ({ miner }) => miner?.serial_number ?? UNKNOWN },
  { title: 'MODEL', text: ({ miner }) => miner?.model ?? UNKNOWN },
];

async function listRacks(flags: LocationFlags, context: CliContext): Promise<void> {
  printTable(RACK_COLUMNS, await withLocations(flags, context, (locations) => locations.racks()), flags, context);
}

async function showRack(name: string, flags: LocationFlags, context: CliContext): Promise<void> {
  const rack = await withLocations(flags, context, (locations) => locations.rack(name));
  const slots = table(SLOT_COLUMNS, rack.slots, { width: screenWidth(context.stdout) });
  const unplaced = rack.unplaced.map(({ ip }) => ip).join(', ');
  const more = unplaced === '' ? [] : [`without a position: ${unplaced}`];
  print(flags, context, rack, [rackLine(rack), ...(rack.slots.length === 0 ? [] : [slots]), ...more]);
}

const printTable = <T>(columns: readonly Column<T>[], rows: readonly T[], flags: LocationFlags, context: CliContext) =>
  print(flags, context, rows, [
    rows.length === 0 ? 'none' : table(columns, rows, { width: screenWidth(context.stdout) }),
  ]);

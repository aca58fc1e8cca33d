// `pithead driver list`: the drivers that an agent here would load, those of the program and those of its folder.
import type { Command } from 'commander';
import { drivers } from '../../../drivers/index.ts';
import type { AgentConfig } from '../../agent/config/config.ts';
import { readAccessConfig } from '../miners/access-options.ts';
import { CommandFailed } from '../output/exit.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';

/** `allowed` = which of its commands the configuration allows. */
export type FolderDriver = {
  readonly id: string;
  readonly origin: string;
  readonly covers: readonly { readonly models: string }[];
  readonly commands: readonly string[];
  readonly allowed: readonly string[];
};
export type RefusedDriver = { readonly id: string; readonly origin: string; readonly reason: string };

/** What lies in the folder of the configuration. */
export type ListFolder = (
  config: AgentConfig,
) => Promise<{ readonly loaded: readonly FolderDriver[]; readonly refused: readonly RefusedDriver[] }>;

type Flags = { config?: string; json?: boolean };

type Row = {
  readonly id: string;
  /** `built in`, or where it lies. */
  readonly origin: string;
  readonly models: string;
  readonly commands: readonly string[];
  readonly refused: string | null;
};

const HELP = `
Drivers of the program are built in; others lie in driversDir of the configuration. One that is refused is named with
the reason, and the exit code is 1.

Examples:
  $ pithead driver list
  $ pithead driver list --config pithead.yaml
  $ pithead driver list --json`;

const NONE: ListFolder = async () => ({ loaded: [], refused: [] });

export function addList(driver: Command, context: CliContext, listFolder: ListFolder = NONE): void {
  driver
    .command('list')
    .description('list the drivers: built in, and of the folder of the configuration')
    .option('-c, --config <file>', 'configuration that names the folder (driversDir)')
    .option('--json', 'one JSON object per line and driver')
    .addHelpText('after', HELP)
    .action((flags: Flags) => run(flags, context, listFolder));
}

async function run(flags: Flags, context: CliContext, listFolder: ListFolder): Promise<void> {
  const { loaded, refused } = await listFolder(readAccessConfig(flags, context));
  const replaced = new Set(loaded.map(({ id }) => id));
  const rows: readonly Row[] = [
    ...drivers.filter(({ id }) => !replaced.has(id)).map(builtIn),
    ...loaded.map(
      ({ id, origin, covers, allowed }): Row => ({
        id,
        origin,
        models: modelsOf(covers),
        commands: allowed,
        refused: null,
      }),
    ),
    ...refused.map(({ id, origin, reason }): Row => ({ id, origin, models: '', commands: [], refused: reason })),
  ];
  const line = (text: string) => context.stdout.write(`${text}\n`);
  if (flags.json) for (const row of rows) line(JSON.stringify(row));
  else {
    const paint = painter(context.stdout);
    const paintRow = ({ refused: reason }: Row, text: string) => paint(reason === null ? 'reset' : 'red', text);
    const paintHead = (text: string) => paint('bold', text);
    line(table(COLUMNS, rows, { width: screenWidth(context.stdout), paintHead, paintRow }));
  }
  if (refused.length > 0) throw new CommandFailed('');
}

const builtIn = ({ id, covers, abilities }: (typeof drivers)[number]): Row => ({
  ...{ id, origin: 'built in', models: modelsOf(covers), refused: null },
  commands: Object.keys(abilities),
});

const modelsOf = (covers: FolderDriver['covers']): string =>
  [...new Set(covers.map(({ models }) => models))].join('; ');

const COLUMNS: readonly Column<Row>[] = [
  { title: 'DRIVER', isWhole: true, text: ({ id }) => id },
  { title: 'FROM', text: ({ origin }) => origin },
  { title: 'COMMANDS', text: ({ commands }) => commands.join(' ') },
  { title: 'MODELS', text: ({ models, refused }) => refused ?? models },
];

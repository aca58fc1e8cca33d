// Shared by the commands of an administrator: finds the database, opens it beside a running service, prints results.
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import type { Admin, OpenedAdmin } from '../../service/admin.ts';
import { CommandFailed } from '../output/exit.ts';
import { type Cell, type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { databaseOf } from '../run/local-service.ts';
import { CONFIG_FOR_STATE, keyFilesOrDefault, stateDirOrDefault } from '../setup/config-file.ts';

export type DatabaseFlags = { config?: string; database?: string; json?: boolean };

/** A new command of `parent` with its examples. */
export const addCommand = (
  parent: Command,
  name: string,
  description: string,
  ...examples: readonly string[]
): Command =>
  parent
    .command(name)
    .description(description)
    .addHelpText('after', ['\nExamples:', ...examples.map((line) => `  $ ${line}`)].join('\n'));

/** With the options of every administrator's command too. */
export const onDatabase = (...command: Parameters<typeof addCommand>): Command =>
  addCommand(...command)
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .option('--database <file>', 'database of the service')
    .option('--json', 'print JSON');

/** The key file of the configuration signs the audit trail, and opens what is encrypted in the database. */
export async function withAdmin<T>(
  flags: DatabaseFlags,
  context: CliContext,
  work: (admin: OpenedAdmin) => Promise<T>,
): Promise<T> {
  const { config, database } = flags;
  const keyFiles = keyFilesOrDefault(config, context);
  // Not for those who only need to know that there is such a command, as an agent that runs.
  const { openAdmin } = await import('../../service/admin.ts');
  const admin = await openAdmin(database ?? databaseOf(stateDirOrDefault(config, context)), {
    clock: systemClock,
    keyFiles,
  });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** One JSON value on one line, or the lines for people. */
export function print({ json }: DatabaseFlags, { stdout }: CliContext, value: unknown, lines: string): void {
  stdout.write(`${json ? JSON.stringify(value) : lines}\n`);
}

/** The named farm, else the first one. */
export const farmIdOf = async (admin: Admin, farm: string | undefined): Promise<string> =>
  farm ?? (await admin.ensureDefaults()).farmId;

/** `list` below `parent`: what `read` gives, as JSON or as a table of these columns. */
export function addList<T, Flags extends DatabaseFlags>(
  parent: Command,
  context: CliContext,
  description: string,
  read: (admin: Admin, flags: Flags) => Promise<readonly T[]>,
  columns: Readonly<Record<string, (item: T) => Cell>>,
): Command {
  const call = `pithead ${parent.name()} list`;
  return onDatabase(parent, 'list', description, call, `${call} --json`).action(async (flags: Flags) => {
    const items = await withAdmin(flags, context, (admin) => read(admin, flags));
    const asColumns = Object.entries(columns).map(([title, text]): Column<T> => ({ title, text }));
    const text = items.length === 0 ? 'none' : table(asColumns, items, { width: screenWidth(context.stdout) });
    print(flags, context, items, text);
  });
}

export const EXAMPLE_ID = '0198c0de-7a11-7000-8000-000000000000';

/** The argument of a command that takes one of what `list` of the same parent shows. */
export const idHelp = (parent: Command): string => `its id, as \`${parent.name()} list\` shows it`;

/** `revoke` below `parent`. It fails when there is nothing to end. */
export function addRevoke(
  parent: Command,
  context: CliContext,
  description: string,
  revoke: (admin: Admin, id: string) => Promise<boolean>,
  exampleId = EXAMPLE_ID,
): void {
  onDatabase(parent, 'revoke', description, `pithead ${parent.name()} revoke ${exampleId}`)
    .argument('<id>', idHelp(parent))
    .action(async (id: string, flags: DatabaseFlags) => {
      if (!(await withAdmin(flags, context, (admin) => revoke(admin, id))))
        throw new CommandFailed(`no ${parent.name()} has the id '${id}', or it has ended already`);
      if (flags.json) context.stdout.write(`${JSON.stringify({ id, revoked: true })}\n`);
    });
}

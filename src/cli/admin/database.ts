// What the commands of an administrator share: which database, how it is opened beside a running service, how results are printed.
import Table from 'cli-table3';
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { DURATION_FORMS, parseDurationMs } from '../../base/time/duration.ts';
import type { Admin } from '../../service/admin.ts';
import { CONFIG_HELP, configOrDefault } from '../config-file.ts';
import { CommandFailed } from '../exit.ts';
import { databaseOf, serverOf } from '../own-service.ts';
import type { CliContext } from '../terminal.ts';

export type DatabaseFlags = { config?: string; database?: string; json?: boolean };

/** The command with the options of every administrator's command, and its examples. */
export function onDatabase(command: Command, ...examples: readonly string[]): Command {
  return withExamples(command, ...examples)
    .option('-c, --config <file>', `${CONFIG_HELP}, for its state directory`)
    .option('--database <file>', 'database of the service')
    .option('--json', 'print JSON');
}

export const withExamples = (command: Command, ...examples: readonly string[]): Command =>
  command.addHelpText('after', ['\nExamples:', ...examples.map((line) => `  $ ${line}`)].join('\n'));

/** `opens` = it needs what lies sealed in the database, so the configuration is read for the key file. */
export async function withAdmin<T>(
  flags: DatabaseFlags,
  context: CliContext,
  work: (admin: Admin) => Promise<T>,
  { opens = false } = {},
): Promise<T> {
  const config = () => configOrDefault(flags.config, context);
  const keyFiles = opens ? serverOf(config()).keyFiles : undefined;
  // Not for those who only need to know that there is such a command, as an agent that runs.
  const { openAdmin } = await import('../../service/admin.ts');
  const admin = await openAdmin(flags.database ?? databaseOf(config().stateDir), { clock: systemClock, keyFiles });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** One JSON value on one line, or the lines for people. */
export function print(context: CliContext, flags: DatabaseFlags, value: unknown, lines: () => string): void {
  context.stdout.write(flags.json ? `${JSON.stringify(value)}\n` : `${lines()}\n`);
}

export function table(head: readonly string[], rows: readonly (readonly (string | number | null)[])[]): string {
  const drawn = new Table({ head: [...head], style: { head: [], border: [], compact: true } });
  drawn.push(...rows.map((row) => row.map((cell) => cell ?? '')));
  return drawn.toString();
}

/** A list as JSON or as a table. */
export function printList<T>(
  context: CliContext,
  flags: DatabaseFlags,
  items: readonly T[],
  head: readonly string[],
  toRow: (item: T) => readonly (string | number | null)[],
): void {
  print(context, flags, items, () => table(head, items.map(toRow)));
}

/** Reports what was ended, or fails when there was nothing to end. */
export function printRevoked(
  context: CliContext,
  flags: DatabaseFlags,
  what: string,
  id: string,
  isDone: boolean,
): void {
  if (!isDone) throw new CommandFailed(`no ${what} has the id '${id}', or it has ended already`);
  if (flags.json) context.stdout.write(`${JSON.stringify({ id, revoked: true })}\n`);
}

export function readTtl(text: string | undefined, option: string): number | undefined {
  if (text === undefined) return undefined;
  const ttlMs = parseDurationMs(text);
  if (ttlMs === undefined)
    throw new ConfigError('read the command line', [{ path: option, message: `'${text}' is not ${DURATION_FORMS}` }]);
  return ttlMs;
}

/** When something made now ends, as an ISO 8601 text. */
export function readExpiry(text: string | undefined, option: string): string | undefined {
  const ttlMs = readTtl(text, option);
  return ttlMs === undefined ? undefined : new Date(systemClock.nowMs() + ttlMs).toISOString();
}

/** `a,b` and repeated options alike. */
export const splitList = (texts: readonly string[] | undefined): string[] | undefined =>
  texts
    ?.flatMap((text) => text.split(','))
    .map((text) => text.trim())
    .filter((text) => text !== '');

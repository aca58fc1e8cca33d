// `pithead key`, `enroll`, `config check`: what an administrator does beside a running service, on its database file.

import Table from 'cli-table3';
import type { Command } from 'commander';
import { loadConfig } from '../agent/config.ts';
import { systemClock } from '../base/clock.ts';
import { DURATION_FORMS, formatDurationMs, parseDurationMs } from '../base/duration.ts';
import { ConfigError } from '../base/errors.ts';
import { type Admin, openAdmin } from '../service/admin.ts';
import { CommandFailed } from './exit.ts';
import { databaseOf } from './stack.ts';
import type { CliContext } from './terminal.ts';
import { configOrDefault, DEFAULT_CONFIG } from './up.ts';

type DatabaseFlags = { config?: string; database?: string; json?: boolean };

const addDatabaseOptions = (command: Command): Command =>
  command
    .option('-c, --config <file>', `configuration, for its state directory (default ${DEFAULT_CONFIG} if it exists)`)
    .option('--database <file>', 'database file of the service')
    .option('--json', 'print JSON');

async function withAdmin<T>(flags: DatabaseFlags, context: CliContext, work: (admin: Admin) => Promise<T>): Promise<T> {
  const path = flags.database ?? databaseOf(configOrDefault(flags.config, context).stateDir);
  const admin = await openAdmin(path, { clock: systemClock });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

const readTtl = (text: string | undefined, option: string): number | undefined => {
  if (text === undefined) return undefined;
  const ttlMs = parseDurationMs(text);
  if (ttlMs === undefined)
    throw new ConfigError('read the command line', [{ path: option, message: `'${text}' is not ${DURATION_FORMS}` }]);
  return ttlMs;
};

export function addKey(program: Command, context: CliContext): void {
  const key = program
    .command('key')
    .description('API keys of integrators')
    .addHelpText('after', '\nExamples:\n  $ pithead key create --name dashboard\n  $ pithead key list');
  addDatabaseOptions(key.command('create').description('make a key; it is shown once and only its hash is kept'))
    .requiredOption('--name <name>', 'who uses it')
    .option('--expires-in <duration>', 'how long it is valid, e.g. 90d (default: for ever)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead key create --name dashboard\n  $ pithead key create --name audit --expires-in 30d --json',
    )
    .action(async (flags: DatabaseFlags & { name: string; expiresIn?: string }) => {
      const ttlMs = readTtl(flags.expiresIn, '--expires-in');
      const made = await withAdmin(flags, context, async (admin) => {
        const { workspaceId, farmId } = await admin.ensureDefaults();
        const expiresAt = ttlMs === undefined ? undefined : new Date(systemClock.nowMs() + ttlMs).toISOString();
        return { ...(await admin.createKey({ workspaceId, name: flags.name, expiresAt })), workspaceId, farmId };
      });
      if (flags.json)
        context.stdout.write(
          `${JSON.stringify({ id: made.id, key: made.key, workspace_id: made.workspaceId, farm_id: made.farmId })}\n`,
        );
      else context.stdout.write(`${made.key}\n`);
    });
  addDatabaseOptions(key.command('list').description('keys, without their secrets'))
    .addHelpText('after', '\nExamples:\n  $ pithead key list\n  $ pithead key list --json')
    .action(async (flags: DatabaseFlags) => {
      const keys = await withAdmin(flags, context, (admin) => admin.listKeys());
      if (flags.json) context.stdout.write(`${JSON.stringify(keys)}\n`);
      else {
        const table = new Table({
          head: ['id', 'name', 'expires', 'last used', 'revoked'],
          style: { head: [], border: [], compact: true },
        });
        table.push(
          ...keys.map((entry) => [
            entry.id,
            entry.name,
            entry.expiresAt ?? 'never',
            entry.lastUsedAt ?? 'never',
            entry.revokedAt ?? '',
          ]),
        );
        context.stdout.write(`${table.toString()}\n`);
      }
    });
  addDatabaseOptions(
    key.command('revoke').description('end a key now').argument('<id>', 'its id, as `key list` shows it'),
  )
    .addHelpText('after', '\nExamples:\n  $ pithead key revoke 4f1c09ab')
    .action(async (id: string, flags: DatabaseFlags) => {
      if (!(await withAdmin(flags, context, (admin) => admin.revokeKey(id))))
        throw new CommandFailed(`no key has the id '${id}'`);
    });
}

export function addEnroll(program: Command, context: CliContext): void {
  addDatabaseOptions(
    program.command('enroll').alias('enrol').description('make a one-time code with which one agent joins a farm'),
  )
    .option('--farm <id>', 'farm (default: the first one)')
    .option('--valid-for <duration>', 'how long the code may be used', '1h')
    .addHelpText('after', '\nExamples:\n  $ pithead enroll\n  $ pithead enroll --valid-for 24h --json')
    .action(async (flags: DatabaseFlags & { farm?: string; validFor: string }) => {
      const ttlMs = readTtl(flags.validFor, '--valid-for') ?? 0;
      const made = await withAdmin(flags, context, async (admin) =>
        admin.createEnrolmentCode({ farmId: flags.farm ?? (await admin.ensureDefaults()).farmId, ttlMs }),
      );
      if (flags.json) context.stdout.write(`${JSON.stringify({ code: made.code, expires_at: made.expiresAt })}\n`);
      else
        context.stdout.write(
          `${made.code}\nOnce, within ${formatDurationMs(ttlMs)}: put it into the agent's configuration as service.enrolmentCode.\n`,
        );
    });
}

const CHECK_EXAMPLES = '\nExamples:\n  $ pithead config check\n  $ pithead config check /etc/pithead/pithead.yaml';

export function addConfig(program: Command, context: CliContext): void {
  program
    .command('config')
    .description('the configuration file')
    .addHelpText('after', CHECK_EXAMPLES)
    .command('check')
    .description('check a configuration and report every problem; exit code 78 if there is one')
    .argument('[file]', 'configuration', DEFAULT_CONFIG)
    .addHelpText('after', CHECK_EXAMPLES)
    .action((path: string) => {
      const config = loadConfig(path, context.environment);
      context.stdout.write(`${path} is fine\n${config.ranges.echo.map((line) => `  ${line}\n`).join('')}`);
    });
}

// `pithead restore`: the backups of the service's own database, and putting one back while nothing runs on it.
import { isAbsolute, resolve } from 'node:path';
import type { Command } from 'commander';
import { enrolledAs } from '../../agent/uplink/enrolment/credentials.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import { formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import type { CliContext } from '../output/terminal.ts';
import { CONFIG_FOR_STATE, configOrDefault } from '../setup/config-file.ts';
import { backupsOf, databaseOf, EMBEDDED, keyFilesOf } from './local-service.ts';

const HELP = `
The service must not run. The database that is there now is kept under another name beside it. The agents, the miners with their history, the
tasks and the keys for integrators are those of the backup; a gap is declared for what came after it. A backup needs the key file that its secrets were
encrypted with: \`--list\` names that key, and the one of this host.

Exit codes: 0 it is in place, 1 a service runs on the database, 78 the file is no whole backup, or it needs another key file.

Examples:
  $ pithead restore --list
  $ systemctl stop pithead
  $ pithead restore /var/lib/pithead/backups/service-20261122T030000Z.backup
  $ systemctl start pithead`;

type Flags = { config?: string; database?: string; json?: boolean; list?: boolean };

export function addRestore(program: Command, context: CliContext): void {
  program
    .command('restore')
    .description("put a backup in the place of the service's own database, or list the backups")
    .argument('[file]', 'the backup')
    .option('-l, --list', 'show what backups there are, and which key each needs')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .option('--database <file>', 'database of the service (default: the one in the state directory)')
    .option('--json', 'one JSON object')
    .addHelpText('after', HELP)
    .action((file: string | undefined, flags: Flags) =>
      file === undefined || flags.list ? showBackups(file, flags, context) : putBack(file, flags, context),
    );
}

async function surroundings(flags: Flags, context: CliContext) {
  const config = configOrDefault(flags.config, context);
  const databasePath = resolve(flags.database ?? databaseOf(config.stateDir));
  const { findServiceVault, keyFileOf } = await import('../../service/auth/key-file.ts');
  const { isPostgresUrl } = await import('../../service/store/postgres/postgres.ts');
  if (isPostgresUrl(flags.database ?? ''))
    throw new ConfigError('restore the database', [
      { path: '--database', message: "is no file: PostgreSQL's own tools put its backups back" },
    ]);
  const keyFiles = keyFilesOf(config);
  const vault = findServiceVault(databasePath, keyFiles);
  const ownAgent = enrolledAs(config.stateDir, EMBEDDED);
  return {
    ...{ databasePath, vault, keyFiles, ownAgent },
    keyFile: keyFileOf(databasePath, keyFiles),
    dir: backupsOf(config, databasePath).dir,
  };
}

async function showBackups(file: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  if (file === undefined && !flags.list)
    throw new ConfigError('restore the database', [
      { path: '<file>', message: 'which backup? `pithead restore --list` shows what there is' },
    ]);
  const { databasePath, vault, keyFile, dir } = await surroundings(flags, context);
  const { aboutOf, listBackups } = await import('../../service/store/sqlite/backup-files.ts');
  const own = vault?.fingerprint();
  const backups = listBackups(dir, databasePath).map(({ path, atMs, bytes }) => {
    const about = aboutOf(path);
    const key = about?.key_fingerprint ?? null;
    return { file: path, made_at: new Date(atMs).toISOString(), bytes, version: about?.version ?? null, key };
  });
  if (flags.json) {
    const said = { dir, database: databasePath, key_file: keyFile ?? null, key: own ?? null, backups };
    context.stdout.write(`${JSON.stringify(said)}\n`);
    return;
  }
  const keyOf = (key: string | null) => (key === null ? 'none' : key === own ? `${key} (here)` : key);
  const columns: readonly Column<(typeof backups)[number]>[] = [
    { title: 'file', text: ({ file }) => file },
    { title: 'made', text: ({ made_at }) => formatTime(made_at) },
    { title: 'size', text: ({ bytes }) => `${(bytes / 1024 ** 2).toFixed(1)} MiB` },
    { title: 'by version', text: ({ version }) => version ?? '?' },
    { title: 'needs key', text: ({ key }) => keyOf(key) },
  ];
  const width = screenWidth(context.stdout);
  const text = backups.length === 0 ? `no backups in ${dir}` : table(columns, backups, { width });
  context.stdout.write(`${text}\n${keyFile ?? '(no key file)'} holds the key ${own ?? '(none)'}\n`);
}

async function putBack(given: string, flags: Flags, context: CliContext): Promise<void> {
  const { databasePath, vault, keyFile, keyFiles, ownAgent } = await surroundings(flags, context);
  const file = isAbsolute(given) ? given : resolve(given);
  const [{ holdDatabase }, { restore }] = await Promise.all([
    import('../../service/store/sqlite/database-lock.ts'),
    import('../../service/store/sqlite/restore.ts'),
  ]);
  const release = await holdDatabase(databasePath, 0);
  try {
    const nowMs = systemClock.nowMs();
    const { about, miners, apiKeys, agents, keptAside, lostHead, knowsOwnAgent } = restore({
      ...{ file, databasePath, vault, keyFile, ownAgent, nowMs },
    });
    const madeAt = about === undefined ? null : new Date(about.made_at).toISOString();
    const { openAdmin } = await import('../../service/admin.ts');
    const admin = await openAdmin(databasePath, { clock: systemClock, keyFiles });
    await admin
      .recordRestore({ backup: file, made_at: madeAt, kept_aside: keptAside ?? null, lost_head: lostHead ?? null })
      .finally(() => admin.close());
    const counts = { miners, api_keys: apiKeys, agents, knows_own_agent: knowsOwnAgent ?? null };
    const said = { restored: file, made_at: madeAt, database: databasePath, kept_aside: keptAside ?? null, ...counts };
    const lines = [
      `${databasePath} is that of ${madeAt ?? file}: ${miners} miners, ${apiKeys} keys, ${agents} agents`,
      ...(keptAside === undefined ? [] : [`what was there is kept as ${keptAside}`]),
      ...(knowsOwnAgent === false
        ? [`it does not know the agent of this host, ${ownAgent}: is it of another farm?`]
        : []),
      'start the service again, for example: systemctl start pithead',
    ];
    context.stdout.write(`${flags.json ? JSON.stringify(said) : lines.join('\n')}\n`);
  } finally {
    release();
  }
}

// `pithead key`: keys of integrators.
import type { Command } from 'commander';
import type { CliContext } from '../terminal.ts';
import {
  type DatabaseFlags,
  onDatabase,
  print,
  printList,
  printRevoked,
  readExpiry,
  splitList,
  withAdmin,
  withExamples,
} from './database.ts';
import { readPermissions } from './permissions.ts';

type CreateFlags = DatabaseFlags & { name: string; workspace?: string; permissions?: string[]; expiresIn?: string };

export function addKey(program: Command, context: CliContext): void {
  const key = withExamples(
    program.command('key').description('API keys of integrators'),
    'pithead key create --name dashboard',
    'pithead key list',
  );
  onDatabase(
    key.command('create').description('make a key; it is shown once and only its hash is kept'),
    'pithead key create --name dashboard',
    'pithead key create --name audit --permissions miners.read,tasks.read --expires-in 30d --json',
  )
    .requiredOption('--name <name>', 'who uses it')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .option('--permissions <names...>', 'what it may do (default: everything)')
    .option('--expires-in <duration>', 'how long it is valid, e.g. 90d (default: for ever)')
    .action(async (flags: CreateFlags) => {
      const permissions = readPermissions(splitList(flags.permissions), '--permissions');
      const expiresAt = readExpiry(flags.expiresIn, '--expires-in');
      const made = await withAdmin(flags, context, async (admin) => {
        const { workspaceId, farmId } =
          flags.workspace === undefined
            ? await admin.ensureDefaults()
            : { workspaceId: flags.workspace, farmId: (await admin.listFarms(flags.workspace))[0]?.id ?? null };
        return {
          ...(await admin.createKey({ workspaceId, name: flags.name, permissions, expiresAt })),
          workspace_id: workspaceId,
          farm_id: farmId,
        };
      });
      print(context, flags, made, () => made.key);
    });
  onDatabase(
    key.command('list').description('keys, without their secrets'),
    'pithead key list',
    'pithead key list --json',
  ).action(async (flags: DatabaseFlags) => {
    const keys = await withAdmin(flags, context, (admin) => admin.listKeys());
    printList(context, flags, keys, ['id', 'name', 'expires', 'last used', 'revoked'], (entry) => [
      entry.id,
      entry.name,
      entry.expiresAt ?? 'never',
      entry.lastUsedAt ?? 'never',
      entry.revokedAt,
    ]);
  });
  onDatabase(
    key.command('revoke').description('end a key now').argument('<id>', 'its id, as `key list` shows it'),
    'pithead key revoke 4f1c09ab',
  ).action(async (id: string, flags: DatabaseFlags) => {
    printRevoked(context, flags, 'key', id, await withAdmin(flags, context, (admin) => admin.revokeKey(id)));
  });
}

// `pithead grant`: what one workspace opens to another.
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

type CreateFlags = DatabaseFlags & {
  from: string;
  to: string;
  farms?: string[];
  permissions: string[];
  expiresIn?: string;
};

const CREATE = 'pithead grant create --from 0198c0de-… --to 0198c0df-… --permissions miners.read --expires-in 90d';

export function addGrant(program: Command, context: CliContext): void {
  const grant = withExamples(
    program.command('grant').description('what a workspace opens to another'),
    CREATE,
    'pithead grant list',
  );
  onDatabase(grant.command('create').description('open a workspace, or farms of it, to another'), CREATE)
    .requiredOption('--from <id>', 'workspace that gives')
    .requiredOption('--to <id>', 'workspace that receives')
    .requiredOption('--permissions <names...>', 'what it may do there')
    .option('--farms <ids...>', 'only these farms (default: every one)')
    .option('--expires-in <duration>', 'how long it lasts, e.g. 90d (default: for ever)')
    .action(async (flags: CreateFlags) => {
      const permissions = readPermissions(splitList(flags.permissions), '--permissions') ?? [];
      const expiresAt = readExpiry(flags.expiresIn, '--expires-in');
      const farmIds = splitList(flags.farms);
      const made = await withAdmin(flags, context, (admin) =>
        admin.createGrant({ grantorId: flags.from, granteeId: flags.to, farmIds, permissions, expiresAt }),
      );
      print(context, flags, made, () => made.id);
    });
  onDatabase(
    grant.command('list').description('all grants, the ended ones too'),
    'pithead grant list',
    'pithead grant list --json',
  ).action(async (flags: DatabaseFlags) => {
    const grants = await withAdmin(flags, context, (admin) => admin.listGrants());
    printList(context, flags, grants, ['id', 'from', 'to', 'farms', 'permissions', 'expires', 'revoked'], (entry) => [
      entry.id,
      entry.grantorId,
      entry.granteeId,
      entry.farmIds?.join(' ') ?? 'all',
      entry.permissions.join(' '),
      entry.expiresAt ?? 'never',
      entry.revokedAt,
    ]);
  });
  onDatabase(
    grant.command('revoke').description('end a grant now').argument('<id>', 'its id, as `grant list` shows it'),
    'pithead grant revoke 0198c0de-7a11-7000-8000-000000000000',
  ).action(async (id: string, flags: DatabaseFlags) => {
    printRevoked(context, flags, 'grant', id, await withAdmin(flags, context, (admin) => admin.revokeGrant(id)));
  });
}

// `pithead farm`: the farms of workspaces.
import type { Command } from 'commander';
import type { CliContext } from '../terminal.ts';
import { type DatabaseFlags, onDatabase, print, printList, withAdmin, withExamples } from './database.ts';

export function addFarm(program: Command, context: CliContext): void {
  const farm = withExamples(
    program.command('farm').description('farms of a workspace'),
    'pithead farm create --name "Hall 2"',
    'pithead farm list',
  );
  onDatabase(farm.command('create').description('make a farm'), 'pithead farm create --name "Hall 2"')
    .requiredOption('--name <name>', 'name')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .action(async (flags: DatabaseFlags & { name: string; workspace?: string }) => {
      const made = await withAdmin(flags, context, async (admin) => {
        const workspaceId = flags.workspace ?? (await admin.ensureDefaults()).workspaceId;
        return admin.createFarm({ workspaceId, name: flags.name });
      });
      print(context, flags, made, () => made.id);
    });
  onDatabase(
    farm.command('list').description('farms, of one workspace or of all'),
    'pithead farm list',
    'pithead farm list --json',
  )
    .option('--workspace <id>', 'only those of this workspace')
    .action(async (flags: DatabaseFlags & { workspace?: string }) => {
      const farms = await withAdmin(flags, context, (admin) => admin.listFarms(flags.workspace));
      printList(context, flags, farms, ['id', 'name', 'workspace'], ({ id, name, workspaceId }) => [
        id,
        name,
        workspaceId,
      ]);
    });
}

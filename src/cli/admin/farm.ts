// `pithead farm`: the farms of workspaces.
import type { Command } from 'commander';
import type { Admin } from '../../service/admin.ts';
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
      printList(context, flags, farms, ['id', 'name', 'workspace', 'archived'], (one) => [
        one.id,
        one.name,
        one.workspaceId,
        one.archivedAt,
      ]);
    });
  const change = (
    name: 'archive' | 'restore',
    description: string,
    act: (admin: Admin, id: string) => Promise<boolean>,
  ) =>
    onDatabase(
      farm.command(name).description(description).argument('<id>', 'its id, as `farm list` shows it'),
      `pithead farm ${name} 0198c0de-7a11-7000-8000-000000000000`,
    ).action(async (id: string, flags: DatabaseFlags) => {
      const changed = await withAdmin(flags, context, (admin) => act(admin, id));
      const done = name === 'archive' ? 'archived' : 'restored';
      print(context, flags, { id, changed }, () => (changed ? `${id} is ${done}` : `${id} was ${done} before`));
    });
  change('archive', 'no longer run a farm: it takes no new agents, and shows what it has', (admin, id) =>
    admin.archiveFarm(id),
  );
  change('restore', 'run an archived farm again', (admin, id) => admin.restoreFarm(id));
}

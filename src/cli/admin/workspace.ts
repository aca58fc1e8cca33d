// `pithead workspace`: whose farms these are.
import type { Command } from 'commander';
import type { CliContext } from '../terminal.ts';
import { type DatabaseFlags, onDatabase, print, printList, withAdmin, withExamples } from './database.ts';

export function addWorkspace(program: Command, context: CliContext): void {
  const workspace = withExamples(
    program.command('workspace').description('workspaces: whose farms, keys and grants'),
    'pithead workspace create --slug north --name "North Mining"',
    'pithead workspace list',
  );
  onDatabase(
    workspace.command('create').description('make a workspace'),
    'pithead workspace create --slug north --name "North Mining"',
  )
    .requiredOption('--slug <slug>', 'short name, of this workspace only')
    .option('--name <name>', 'name (default: the slug)')
    .action(async (flags: DatabaseFlags & { slug: string; name?: string }) => {
      const { slug, name = slug } = flags;
      const made = await withAdmin(flags, context, (admin) => admin.createWorkspace({ slug, name }));
      print(context, flags, made, () => made.id);
    });
  onDatabase(
    workspace.command('list').description('all workspaces'),
    'pithead workspace list',
    'pithead workspace list --json',
  ).action(async (flags: DatabaseFlags) => {
    const workspaces = await withAdmin(flags, context, (admin) => admin.listWorkspaces());
    printList(context, flags, workspaces, ['id', 'slug', 'name'], ({ id, slug, name }) => [id, slug, name]);
  });
}

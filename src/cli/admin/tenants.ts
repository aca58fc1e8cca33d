// `pithead workspace` and `pithead farm`: whose farms these are.
import type { Command } from 'commander';
import type { Admin } from '../../service/admin.ts';
import type { CliContext } from '../output/terminal.ts';
import { addList, type DatabaseFlags, EXAMPLE_ID, idHelp, onDatabase, printResult, withExamples } from './database.ts';

type WorkspaceFlags = DatabaseFlags & { workspace?: string };

const CREATE_WORKSPACE = 'pithead workspace create --slug north --name "North Mining"';
const CREATE_FARM = 'pithead farm create --name "Hall 2"';

export function addWorkspace(program: Command, context: CliContext): void {
  const workspace = withExamples(
    program.command('workspace').description('workspaces: whose farms, keys and grants'),
    CREATE_WORKSPACE,
    'pithead workspace list',
  );
  onDatabase(workspace.command('create').description('make a workspace'), CREATE_WORKSPACE)
    .requiredOption('--slug <slug>', 'short name, of this workspace only')
    .option('--name <name>', 'name (default: the slug)')
    .action((flags: DatabaseFlags & { slug: string; name?: string }) => {
      const { slug, name = slug } = flags;
      return printResult(
        flags,
        context,
        (admin) => admin.createWorkspace({ slug, name }),
        ({ id }) => id,
      );
    });
  addList(workspace, context, 'all workspaces', (admin) => admin.listWorkspaces(), {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    name: ({ name }) => name,
  });
}

export function addFarm(program: Command, context: CliContext): void {
  const farm = withExamples(
    program.command('farm').description('farms of a workspace'),
    CREATE_FARM,
    'pithead farm list',
  );
  onDatabase(farm.command('create').description('make a farm'), CREATE_FARM)
    .requiredOption('--name <name>', 'name')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .action((flags: WorkspaceFlags & { name: string }) =>
      printResult(
        flags,
        context,
        async (admin) => {
          const workspaceId = flags.workspace ?? (await admin.ensureDefaults()).workspaceId;
          return admin.createFarm({ workspaceId, name: flags.name });
        },
        ({ id }) => id,
      ),
    );
  addList(
    farm,
    context,
    'farms, of one workspace or of all',
    (admin, { workspace }: WorkspaceFlags) => admin.listFarms(workspace),
    {
      id: ({ id }) => id,
      name: ({ name }) => name,
      workspace: ({ workspaceId }) => workspaceId,
      archived: ({ archivedAt }) => archivedAt,
    },
  ).option('--workspace <id>', 'only those of this workspace');
  const addChange = (
    name: 'archive' | 'restore',
    description: string,
    change: (admin: Admin, id: string) => Promise<boolean>,
  ) =>
    onDatabase(
      farm.command(name).description(description).argument('<id>', idHelp(farm)),
      `pithead farm ${name} ${EXAMPLE_ID}`,
    ).action((id: string, flags: DatabaseFlags) =>
      printResult(
        flags,
        context,
        async (admin) => ({ id, changed: await change(admin, id) }),
        ({ changed }) => (changed ? `${id} is ${name}d` : `${id} was ${name}d before`),
      ),
    );
  addChange('archive', 'no longer run a farm: it takes no new agents, and shows what it has', (admin, id) =>
    admin.archiveFarm(id),
  );
  addChange('restore', 'run an archived farm again', (admin, id) => admin.restoreFarm(id));
}

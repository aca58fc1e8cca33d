// `pithead workspace` and `pithead farm`: whose farms these are.
import type { Command } from 'commander';
import type { Admin } from '../../service/admin.ts';
import { formatTime } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import {
  addCommand,
  addList,
  type DatabaseFlags,
  EXAMPLE_ID,
  idHelp,
  onDatabase,
  print,
  withAdmin,
} from './database.ts';

type WorkspaceFlags = DatabaseFlags & { workspace?: string };

const CREATE_WORKSPACE = 'pithead workspace create --slug north --name "North Mining"';
const CREATE_FARM = 'pithead farm create --name "Hall 2"';

export function addWorkspace(program: Command, context: CliContext): void {
  const description = 'workspaces: whose farms, keys and grants';
  const workspace = addCommand(program, 'workspace', description, CREATE_WORKSPACE, 'pithead workspace list');
  onDatabase(workspace, 'create', 'make a workspace', CREATE_WORKSPACE)
    .requiredOption('--slug <slug>', 'short name, of this workspace only')
    .option('--name <name>', 'name (default: the slug)')
    .action(async (flags: DatabaseFlags & { slug: string; name?: string }) => {
      const { slug, name = slug } = flags;
      const made = await withAdmin(flags, context, (admin) => admin.createWorkspace({ slug, name }));
      print(flags, context, made, made.id);
    });
  addList(workspace, context, 'all workspaces', (admin) => admin.listWorkspaces(), {
    id: ({ id }) => id,
    slug: ({ slug }) => slug,
    name: ({ name }) => name,
  });
}

export function addFarm(program: Command, context: CliContext): void {
  const farm = addCommand(program, 'farm', 'farms of a workspace', CREATE_FARM, 'pithead farm list');
  onDatabase(farm, 'create', 'make a farm', CREATE_FARM)
    .requiredOption('--name <name>', 'name')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .action(async (flags: WorkspaceFlags & { name: string }) => {
      const made = await withAdmin(flags, context, async (admin) => {
        const workspaceId = flags.workspace ?? (await admin.ensureDefaults()).workspaceId;
        return admin.createFarm({ workspaceId, name: flags.name });
      });
      print(flags, context, made, made.id);
    });
  const readFarms = (admin: Admin, { workspace }: WorkspaceFlags) => admin.listFarms(workspace);
  addList(farm, context, 'farms, of one workspace or of all', readFarms, {
    id: ({ id }) => id,
    name: ({ name }) => name,
    workspace: ({ workspaceId }) => workspaceId,
    archived: ({ archivedAt }) => formatTime(archivedAt),
  }).option('--workspace <id>', 'only those of this workspace');
  const changes = [
    ['archive', 'no longer run a farm: it takes no tasks, changes or reports, and shows what it has', 'archiveFarm'],
    ['restore', 'run an archived farm again', 'restoreFarm'],
  ] as const;
  for (const [name, description, method] of changes) {
    onDatabase(farm, name, description, `pithead farm ${name} ${EXAMPLE_ID}`)
      .argument('<id>', idHelp(farm))
      .action(async (id: string, flags: DatabaseFlags) => {
        const changed = await withAdmin(flags, context, (admin) => admin[method](id));
        print(flags, context, { id, changed }, changed ? `${id} is ${name}d` : `${id} was ${name}d before`);
      });
  }
}

// `pithead key` and `pithead grant`: keys of integrators, and what one workspace opens to another.
import type { Command } from 'commander';
import { systemClock } from '../../base/clock.ts';
import {
  isRole,
  meantBy,
  PERMISSIONS,
  type Permission,
  ROLES,
  type Role,
  readPermissions,
} from '../../model/permissions/permissions.ts';
import { readDuration, splitList, wrongOption } from '../options.ts';
import { formatTime } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import { addCommand, addList, addRevoke, type DatabaseFlags, onDatabase, print, withAdmin } from './database.ts';

type KeyFlags = DatabaseFlags & {
  name: string;
  workspace?: string;
  role?: string;
  permissions?: string[];
  expiresIn: string;
};
type GrantFlags = Pick<KeyFlags, keyof DatabaseFlags | 'expiresIn'> & {
  from: string;
  to: string;
  farms?: string[];
  permissions: string[];
};

const PERMISSION_HELP = `
Permissions: ${PERMISSIONS.join(', ')}.
\`pithead help interface\` says what each allows.`;

/** A forgotten key ends by itself. */
const KEY_LIFE = '365d';
const NEVER = 'never';

const CREATE_KEY = 'pithead key create --name dashboard';
const CREATE_GRANT =
  'pithead grant create --from 0198c0de-… --to 0198c0df-… --permissions miners.read --expires-in 90d';

export function addKey(program: Command, context: CliContext): void {
  const key = addCommand(program, 'key', 'API keys of integrators', CREATE_KEY, 'pithead key list');
  const night = 'pithead key create --name "night shift" --role technician --expires-in 30d';
  const limited = 'pithead key create --name reboots --permissions miners.read,tasks.reboot --json';
  onDatabase(key, 'create', 'make a key; it is shown once and only its hash is kept', CREATE_KEY, night, limited)
    .requiredOption('--name <name>', 'who uses it')
    .option('--workspace <id>', 'workspace (default: the first one)')
    .option('--role <name>', `what it may do: ${ROLES.join(', ')} (default: viewer)`)
    .option('--permissions <names...>', 'what it may do, in place of a role, e.g. miners.read,tasks.reboot')
    .option('--expires-in <duration>', `how long it is valid, e.g. 90d, or ${NEVER}`, KEY_LIFE)
    .addHelpText('after', PERMISSION_HELP)
    .action(async (flags: KeyFlags) => {
      const scope = scopeIn(flags);
      const expiresAt = readExpiry(flags.expiresIn);
      const made = await withAdmin(flags, context, async (admin) => {
        const { workspaceId, farmId } =
          flags.workspace === undefined
            ? await admin.ensureDefaults()
            : { workspaceId: flags.workspace, farmId: (await admin.listFarms(flags.workspace))[0]?.id ?? null };
        const { id, key } = await admin.createKey({ workspaceId, name: flags.name, expiresAt, ...scope });
        return { id, key, workspace_id: workspaceId, farm_id: farmId };
      });
      print(flags, context, made, made.key);
    });
  addList(key, context, 'keys, without their secrets', (admin) => admin.listKeys(), {
    id: ({ id }) => id,
    name: ({ name }) => name,
    'may do': ({ role, permissions }) => role ?? permissions.join(' '),
    expires: ({ expiresAt }) => formatTime(expiresAt) ?? 'never',
    'last used': ({ lastUsedAt }) => formatTime(lastUsedAt) ?? 'never',
    revoked: ({ revokedAt }) => formatTime(revokedAt),
  });
  addRevoke(key, context, 'end a key now', (admin, id) => admin.revokeKey(id), '4f1c09ab');
}

export function addGrant(program: Command, context: CliContext): void {
  const grant = addCommand(program, 'grant', 'what a workspace opens to another', CREATE_GRANT, 'pithead grant list');
  onDatabase(grant, 'create', 'open a workspace, or farms of it, to another', CREATE_GRANT)
    .requiredOption('--from <id>', 'workspace that gives')
    .requiredOption('--to <id>', 'workspace that receives')
    .requiredOption('--permissions <names...>', 'what it may do there')
    .option('--farms <ids...>', 'only these farms (default: every one)')
    .option('--expires-in <duration>', 'how long it lasts, e.g. 90d', NEVER)
    .addHelpText('after', PERMISSION_HELP)
    .action(async (flags: GrantFlags) => {
      const permissions = permissionsIn(flags.permissions);
      const expiresAt = readExpiry(flags.expiresIn);
      const farmIds = flags.farms && splitList(flags.farms);
      const made = await withAdmin(flags, context, (admin) =>
        admin.createGrant({ grantorId: flags.from, granteeId: flags.to, farmIds, permissions, expiresAt }),
      );
      print(flags, context, made, made.id);
    });
  addList(grant, context, 'all grants, the ended ones too', (admin) => admin.listGrants(), {
    id: ({ id }) => id,
    from: ({ grantorId }) => grantorId,
    to: ({ granteeId }) => granteeId,
    farms: ({ farmIds }) => farmIds?.join(' ') ?? 'all',
    permissions: (entry) => entry.permissions.join(' '),
    expires: ({ expiresAt }) => formatTime(expiresAt) ?? 'never',
    revoked: ({ revokedAt }) => formatTime(revokedAt),
  });
  addRevoke(grant, context, 'end a grant now', (admin, id) => admin.revokeGrant(id));
}

/**
 * Throws ConfigError that names the wrong one and what it may mean; also when none is given, because such a key opens
 * nothing.
 */
function permissionsIn(texts: readonly string[]): readonly Permission[] {
  const names = splitList(texts);
  if (names.length === 0)
    throw wrongOption('--permissions', `received none, accepted: at least one of ${PERMISSIONS.join(', ')}`);
  const read = readPermissions(names);
  if ('wrong' in read) throw wrongOption('--permissions', read.wrong);
  return read.permissions;
}

function roleIn(text: string): Role {
  if (!isRole(text)) throw wrongOption('--role', `'${text}' is no role: ${meantBy(text, ROLES)}`);
  return text;
}

/** What a key may do: the least where nothing is said. */
function scopeIn({ role, permissions }: Pick<KeyFlags, 'role' | 'permissions'>) {
  if (permissions === undefined) return { role: roleIn(role ?? 'viewer') };
  if (role !== undefined) throw wrongOption('--permissions', 'received it and --role, accepted: one of them');
  return { permissions: permissionsIn(permissions) };
}

/** When something made now ends, as an ISO 8601 text; undefined = never. */
function readExpiry(text: string): string | undefined {
  if (text === NEVER) return undefined;
  return new Date(systemClock.nowMs() + readDuration('--expires-in', text)).toISOString();
}

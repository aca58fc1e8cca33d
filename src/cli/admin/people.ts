// `pithead people`: who uses the page, what each may do, and the one-time codes that let people in.
import type { Command } from 'commander';
import { renderUnicodeCompact } from 'uqr';
import { systemClock } from '../../base/clock.ts';
import { isRole, meantBy, ROLES, type Role } from '../../model/permissions/permissions.ts';
import type { Admin } from '../../service/admin.ts';
import type { ShownCode, ShownPerson } from '../../service/people/administer.ts';
import { readDuration, wrongOption } from '../options.ts';
import { formatTime } from '../output/format.ts';
import type { CliContext } from '../output/terminal.ts';
import { pageUrl } from '../run/local-service.ts';
import { listenOrDefault } from '../setup/config-file.ts';
import { addCommand, addList, type DatabaseFlags, EXAMPLE_ID, onDatabase, print, withAdmin } from './database.ts';

type RoleFlags = DatabaseFlags & { farmRole?: string[] };
type AddFlags = RoleFlags & { role?: string; workspace?: string; expiresIn?: string };

const ADD = 'pithead people add Ada --role technician';
const CLAIM = 'pithead people claim';
const FARM_ROLE = `role in one farm, as ${EXAMPLE_ID}=viewer; may be repeated`;
const NAME = 'name of the person, as `people list` shows it';

export function addPeople(program: Command, context: CliContext): void {
  const people = addCommand(program, 'people', 'who uses the page, and what each may do', CLAIM, ADD);
  addListing(people, context);
  addAdding(people, context);
  addRoles(people, context);
  addSwitches(people, context);
  addCodes(people, context);
  addClaim(people, context);
  addWall(people, context);
}

function addListing(people: Command, context: CliContext): void {
  const read = (admin: Admin, { workspace }: AddFlags) => admin.people.list(workspace);
  addList(people, context, 'people and screens, of one workspace or of all', read, {
    name: ({ name }: ShownPerson) => name,
    'may do': (person) => rolesOf(person),
    state: (person) => stateOf(person),
    expires: ({ expiresAt }) => formatTime(expiresAt) ?? 'never',
    'last seen': ({ lastSeenAt }) => formatTime(lastSeenAt) ?? 'never',
    sessions: ({ sessionCount }) => String(sessionCount),
  }).option('--workspace <id>', 'only those of this workspace');
}

const rolesOf = ({ role, farmRoles }: ShownPerson): string =>
  [role ?? [], farmRoles.map((one) => `${one.role} in ${one.farmId}`)].flat().join(', ');

function stateOf({ isDisabled, isWall, hasPassword }: ShownPerson): string {
  if (isDisabled) return 'disabled';
  if (isWall) return 'screen';
  return hasPassword ? 'active' : 'no password yet';
}

function addAdding(people: Command, context: CliContext): void {
  const contractor = 'pithead people add "Night shift" --role viewer --expires-in 30d';
  const inOneFarm = `pithead people add Grace --farm-role ${EXAMPLE_ID}=operator`;
  onDatabase(people, 'add', 'add a person; prints a code to set the first password with', ADD, contractor, inOneFarm)
    .argument('<name>', 'name, unique in this service')
    .option('--role <role>', `what it may do in every farm: ${ROLES.join(', ')}`)
    .option('--farm-role <farm=role...>', FARM_ROLE)
    .option('--workspace <id>', 'workspace (default: the first one)')
    .option('--expires-in <duration>', 'how long it is valid, e.g. 90d (default: without an end)')
    .action(async (name: string, flags: AddFlags) => {
      const farmRoles = farmRolesIn(flags);
      const role = flags.role === undefined ? null : roleIn('--role', flags.role);
      if (role === null && farmRoles.length === 0)
        throw wrongOption('--role', `received none and no --farm-role, accepted: ${ROLES.join(', ')}`);
      const expiresAt = flags.expiresIn && expiryIn(flags.expiresIn);
      const made = await withAdmin(flags, context, async (admin) => {
        const workspaceId = flags.workspace ?? (await admin.ensureDefaults()).workspaceId;
        return admin.people.add({ workspaceId, name, role, farmRoles, expiresAt });
      });
      printCode(flags, context, { ...made, purpose: 'reset' }, `${made.name} sets the first password with this code:`, {
        id: made.id,
        name: made.name,
      });
    });
}

function addRoles(people: Command, context: CliContext): void {
  const examples = ['pithead people role Ada operator', `pithead people role Ada --farm-role ${EXAMPLE_ID}=viewer`];
  onDatabase(people, 'role', 'give a person other roles, in place of all that it has', ...examples)
    .argument('<name>', NAME)
    .argument('[role]', `what it may do in every farm: ${ROLES.join(', ')}`)
    .option('--farm-role <farm=role...>', FARM_ROLE)
    .action(async (name: string, text: string | undefined, flags: RoleFlags) => {
      const role = text === undefined ? null : roleIn('<role>', text);
      const farmRoles = farmRolesIn(flags);
      await withAdmin(flags, context, (admin) => admin.people.change(name, { role, farmRoles }));
      print(flags, context, { name, role, farm_roles: farmRoles }, `${name} has other roles now`);
    });
}

function addSwitches(people: Command, context: CliContext): void {
  const changes = [
    ['disable', 'let a person use nothing, and end its sessions', 'is disabled', true],
    ['enable', 'let a disabled person in again', 'is enabled', false],
  ] as const;
  for (const [word, description, done, isDisabled] of changes)
    onDatabase(people, word, description, `pithead people ${word} Ada`)
      .argument('<name>', NAME)
      .action(async (name: string, flags: DatabaseFlags) => {
        await withAdmin(flags, context, (admin) => admin.people.change(name, { isDisabled }));
        print(flags, context, { name, is_disabled: isDisabled }, `${name} ${done}`);
      });
  onDatabase(people, 'remove', 'remove a person and end its sessions', 'pithead people remove Ada')
    .argument('<name>', NAME)
    .action(async (name: string, flags: DatabaseFlags) => {
      await withAdmin(flags, context, (admin) => admin.people.remove(name));
      print(flags, context, { name, removed: true }, `${name} is removed`);
    });
}

function addCodes(people: Command, context: CliContext): void {
  const purposes = [
    ['reset', 'let a person set a new password, against a lost one', 'sets a new password with this code'],
    ['pair', 'let a phone of a person in, without a password', 'opens this on the phone'],
  ] as const;
  for (const [word, description, what] of purposes)
    onDatabase(people, word, description, `pithead people ${word} Ada`)
      .argument('<name>', NAME)
      .action(async (given: string, flags: DatabaseFlags) => {
        const { name, ...made } = await withAdmin(flags, context, (admin) => admin.people[word](given));
        printCode(flags, context, { ...made, purpose: word }, `${name} ${what}:`, { name });
      });
}

function addClaim(people: Command, context: CliContext): void {
  const description = 'let the first admin of a workspace in; refused where there is one';
  onDatabase(people, 'claim', description, CLAIM, `${CLAIM} --workspace ${EXAMPLE_ID}`)
    .option('--workspace <id>', 'workspace (default: the first one)')
    .action(async (flags: DatabaseFlags & { workspace?: string }) => {
      const made = await withAdmin(flags, context, async (admin) =>
        admin.people.claim(flags.workspace ?? (await admin.ensureDefaults()).workspaceId),
      );
      printCode(flags, context, { ...made, purpose: 'claim' }, 'The first admin of the page opens this:', {});
    });
}

function addWall(people: Command, context: CliContext): void {
  const example = 'pithead people wall --name "hall 2"';
  onDatabase(people, 'wall', 'let a screen in that reads one farm, until it is removed', 'pithead people wall', example)
    .option('--farm <id>', 'farm that it shows (default: the first one)')
    .option('--name <name>', 'name of the screen (default: after the farm)')
    .action(async (flags: DatabaseFlags & { farm?: string; name?: string }) => {
      const { id, name, ...made } = await withAdmin(flags, context, async (admin) => {
        const farmId = flags.farm ?? (await admin.ensureDefaults()).farmId;
        return admin.people.wall({ farmId, name: flags.name });
      });
      printCode(flags, context, { ...made, purpose: 'pair' }, `The screen '${name}' opens this:`, { id, name });
    });
}

/** The code stands behind the `#`, which browsers send to no server, and what it is for, which the page asks by. */
function printCode(
  flags: DatabaseFlags,
  context: CliContext,
  { code, expiresAt, purpose }: ShownCode & { readonly purpose: 'claim' | 'reset' | 'pair' },
  heading: string,
  about: Readonly<Record<string, string>>,
): void {
  const listen = listenOrDefault(flags.config, context);
  const { tls, sealKeyFile } = listen;
  const url = `${pageUrl({ ...listen, tls, sealKeyFile })}/claim#${purpose}:${code}`;
  const qr = context.stdout.isTTY ? `\n\n${renderUnicodeCompact(url)}` : '';
  const lines = `${heading}\n\n  ${url}\n  code ${code}, once, until ${formatTime(expiresAt)}${qr}`;
  print(flags, context, { ...about, code, url, expires_at: expiresAt }, lines);
}

function roleIn(option: string, text: string): Role {
  if (!isRole(text)) throw wrongOption(option, `'${text}' is no role: ${meantBy(text, ROLES)}`);
  return text;
}

function farmRolesIn({ farmRole = [] }: RoleFlags) {
  return farmRole.map((text) => {
    const at = text.lastIndexOf('=');
    if (at <= 0) throw wrongOption('--farm-role', `'${text}' is not <farm>=<role>, as ${EXAMPLE_ID}=viewer`);
    return { farmId: text.slice(0, at).toLowerCase(), role: roleIn('--farm-role', text.slice(at + 1)) };
  });
}

const expiryIn = (text: string): string =>
  new Date(systemClock.nowMs() + readDuration('--expires-in', text)).toISOString();

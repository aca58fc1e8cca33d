// The people of all workspaces for the command line, on the database of a service. People are called by their names,
// which are unique; times are ISO 8601 texts, null = never.
import type { Clock } from '../../base/clock.ts';
import { ConfigError } from '../../base/errors.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import { PERMISSIONS, type Role } from '../../model/permissions/permissions.ts';
import { personName } from '../../wire/api/people/fields.ts';
import type { FarmRole, Person, PersonChanges, Store } from '../store/store.ts';
import { createPeopleManager, type Doer, type NewCode } from './manage.ts';

export type PeopleAdmin = ReturnType<typeof administerPeople>;

export type ShownPerson = ReturnType<typeof shownPerson>;
/** `code` is shown this once. */
export type ShownCode = { readonly code: string; readonly expiresAt: string };

export type NewPersonRequest = {
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role | null;
  readonly farmRoles: readonly FarmRole[];
  readonly expiresAt?: string | undefined;
};

type Parts = {
  readonly store: Pick<Store, 'audited' | 'people' | 'tenants'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly actor: AuditActor;
  /** Called for each person that may do other things from now on. */
  readonly notify: (personId: string) => void;
};

/** Throws ConfigError for a name that is none, and RefusedError for what does not fit. */
export function administerPeople({ store, clock, actor, notify }: Parts) {
  const manager = createPeopleManager({ store, clock, notifier: { notify } });
  const doerIn = (workspaceId: string): Doer => ({ actor, workspaceId, permissions: PERMISSIONS });
  const named = async (name: string): Promise<Person> => {
    const person = await store.people.findNamed(name.trim());
    if (person !== undefined) return person;
    throw problem('name', `'${name}' is no person of this service; \`pithead people list\` shows them`);
  };
  const makeCode = async (name: string, purpose: 'pair' | 'reset') => {
    const person = await named(name);
    const code = await manager.makeCode(doerIn(person.workspaceId), person.id, purpose);
    if (code === undefined) throw problem('name', `'${name}' was removed meanwhile`);
    return { ...shownCode(code), name: person.name };
  };
  return {
    async list(workspaceId?: string): Promise<readonly ShownPerson[]> {
      const people = await store.people.list(workspaceId);
      const ids = people.map(({ id }) => id);
      const counts = await store.people.countSessions(ids, clock.nowMs());
      return people.map((person) => shownPerson(person, counts.get(person.id) ?? 0));
    },
    async add({ workspaceId, name, role, farmRoles, expiresAt }: NewPersonRequest) {
      const expiresAtMs = expiresAt === undefined ? null : Date.parse(expiresAt);
      const request = { name: readName(name), role, farmRoles, expiresAtMs };
      const { person, code } = await manager.create(doerIn(workspaceId), request);
      return { ...shownPerson(person, 0), ...shownCode(code) };
    },
    async change(name: string, changes: PersonChanges) {
      const { id, workspaceId } = await named(name);
      return (await manager.update(doerIn(workspaceId), id, changes)) !== undefined;
    },
    async remove(name: string): Promise<boolean> {
      const { id, workspaceId } = await named(name);
      return (await manager.remove(doerIn(workspaceId), id)) !== undefined;
    },
    /** For a new password. */
    reset: (name: string) => makeCode(name, 'reset'),
    /** For a phone of the person. */
    pair: (name: string) => makeCode(name, 'pair'),
    /** For the first admin of the workspace. */
    claim: async (workspaceId: string) => shownCode(await manager.makeClaim(doerIn(workspaceId))),
    /** A screen that reads one farm; without a name it gets one. */
    async wall({ farmId, name }: { farmId: string; name?: string | undefined }) {
      const farm = await store.tenants.findFarm(farmId);
      if (farm === undefined) throw problem('farmId', `'${farmId}' is no farm of this service`);
      const own =
        name === undefined ? await freeName(store, `wall ${farm.name ?? farm.id.slice(0, 8)}`) : readName(name);
      const farmRoles = [{ farmId, role: 'viewer' as const }];
      const request = { name: own, role: null, farmRoles, expiresAtMs: null, isWall: true as const };
      const { person, code } = await manager.create(doerIn(farm.workspaceId), request);
      return { ...shownPerson(person, 0), ...shownCode(code) };
    },
  };
}

const shownCode = ({ text, expiresAtMs }: NewCode): ShownCode => ({
  code: text,
  expiresAt: new Date(expiresAtMs).toISOString(),
});

const isoOrNull = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString());

const shownPerson = (person: Person, sessionCount: number) => ({
  id: person.id,
  workspaceId: person.workspaceId,
  name: person.name,
  role: person.role,
  farmRoles: person.farmRoles,
  isDisabled: person.disabledAtMs !== null,
  isWall: person.isWall,
  hasPassword: person.passwordHash !== null,
  expiresAt: isoOrNull(person.expiresAtMs),
  lastSeenAt: isoOrNull(person.lastSeenAtMs),
  sessionCount,
});

async function freeName({ people }: Pick<Store, 'people'>, wanted: string): Promise<string> {
  const short = readName(wanted.slice(0, 58));
  for (let n = 1; ; n++) {
    const name = n === 1 ? short : `${short} ${n}`;
    if ((await people.findNamed(name)) === undefined) return name;
  }
}

function readName(text: string): string {
  const read = personName.safeParse(text);
  if (read.success) return read.data;
  throw problem('name', `received '${text}', ${read.error.issues[0]?.message ?? ''}`);
}

const problem = (path: string, message: string) => new ConfigError('administer the people', [{ path, message }]);

// What administrators do with the people of a workspace, over the interface and from the command line: each act is
// checked, and in the audit trail. A caller gives no role that allows more than itself may, and touches no person that
// may more.
import type { Clock } from '../../base/clock.ts';
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import { permissionsOf, type Role } from '../../model/permissions/permissions.ts';
import { newPersonCode } from '../auth/secrets.ts';
import type { FarmRole, Person, PersonChanges, Purpose, ServiceAct, Store } from '../store/store.ts';
import type { AccessNotifier } from './access-notifier.ts';

/** Who does it, in which workspace, and what it may do there. */
export type Doer = {
  readonly actor: AuditActor;
  readonly workspaceId: string;
  readonly permissions: readonly string[];
};

export type PersonRequest = Pick<Person, 'name' | 'role' | 'farmRoles' | 'expiresAtMs'> & { readonly isWall?: true };

/** `text` is shown this once. */
export type NewCode = { readonly text: string; readonly purpose: Purpose; readonly expiresAtMs: number };

type Parts = {
  readonly store: Pick<Store, 'audited' | 'people' | 'tenants'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly notifier: Pick<AccessNotifier, 'notify'>;
};
type Stores = Pick<Store, 'people'>;
/** Neither = all of them. */
type WhichSessions = { readonly onlyId?: string | undefined; readonly exceptId?: string | undefined };

const MINUTE_MS = 60_000;
const LIFE_MS: Readonly<Record<Purpose, number>> = {
  claim: 15 * MINUTE_MS,
  reset: 15 * MINUTE_MS,
  pair: 10 * MINUTE_MS,
};

export type PeopleManager = ReturnType<typeof createPeopleManager>;

/** Undefined where the workspace has no such person. Throws RefusedError for what does not fit. */
export function createPeopleManager(parts: Parts) {
  return { ...createChanges(parts), ...createCodes(parts) };
}

function createChanges(parts: Parts) {
  const { store, clock, notifier } = parts;
  const requireFarms = async ({ workspaceId }: Doer, roles: readonly FarmRole[]) => {
    if (roles.length === 0) return;
    const own = new Set((await store.tenants.listFarms(workspaceId)).map(({ id }) => id));
    const foreign = roles.find(({ farmId }) => !own.has(farmId));
    if (foreign !== undefined) throw invalid(`farm_roles: '${foreign.farmId}' is no farm of the workspace`);
  };
  return {
    /** With a code with which the person sets the first password; a screen gets one that begins its session. */
    async create(doer: Doer, request: PersonRequest): Promise<{ person: Person; code: NewCode }> {
      const nowMs = clock.nowMs();
      const { name, role, farmRoles, expiresAtMs, isWall = false } = request;
      if (role === null && farmRoles.length === 0) throw invalid(NO_ROLE);
      requireAhead(expiresAtMs, nowMs);
      requireCovers(doer, request);
      await requireFarms(doer, farmRoles);
      const detail = { name, ...shown({ role, farmRoles, expiresAtMs }), ...(isWall && { is_wall: true }) };
      return store.audited(
        ({ person }: { person: Person; code: NewCode }) => act(doer, 'person.created', person.id, detail, nowMs),
        async ({ people }) => {
          const made = { workspaceId: doer.workspaceId, name, role, farmRoles, isWall, expiresAtMs };
          const person = await people.create({ ...made, passwordHash: null }, nowMs);
          return { person, code: await putCode({ people }, person, isWall ? 'pair' : 'reset', nowMs) };
        },
      );
    },
    async update(doer: Doer, id: string, changes: PersonChanges): Promise<Person | undefined> {
      const nowMs = clock.nowMs();
      const before = await requireInReach(store, doer, id);
      if (before === undefined) return undefined;
      const { role = before.role, farmRoles = before.farmRoles, expiresAtMs } = changes;
      if (role === null && farmRoles.length === 0) throw invalid(NO_ROLE);
      if (before.isWall && (changes.role !== undefined || changes.farmRoles !== undefined)) throw invalid(WALL_ROLE);
      if (expiresAtMs !== undefined) requireAhead(expiresAtMs, nowMs);
      requireCovers(doer, { role, farmRoles });
      await requireFarms(doer, changes.farmRoles ?? []);
      const changed = await store.audited(
        () => act(doer, 'person.changed', id, { name: before.name, ...shown(changes) }, nowMs),
        ({ people }) => people.update(doer.workspaceId, id, changes, nowMs),
      );
      notifier.notify(id);
      return changed?.after;
    },
    async remove(doer: Doer, id: string): Promise<Person | undefined> {
      const nowMs = clock.nowMs();
      const before = await requireInReach(store, doer, id);
      const removed =
        before &&
        (await store.audited(
          () => act(doer, 'person.removed', id, { name: before.name }, nowMs),
          ({ people }) => people.remove(doer.workspaceId, id, nowMs),
        ));
      notifier.notify(id);
      return removed;
    },
    /** Gives how many were ended. */
    async endSessions(doer: Doer, id: string): Promise<number | undefined> {
      const person = await requireInReach(store, doer, id);
      return person && endSessions(parts, doer, person, {});
    },
    /** One of the own, or all but one; gives how many were ended. */
    endOwn: ({ id, name, workspaceId }: Pick<Person, 'id' | 'name' | 'workspaceId'>, which: WhichSessions) =>
      endSessions(parts, { actor: { type: 'user', id, name }, workspaceId }, { id, name }, which),
  };
}

/** Gives how many were ended. */
async function endSessions(
  { store, clock, notifier }: Parts,
  doer: Pick<Doer, 'actor' | 'workspaceId'>,
  { id, name }: Pick<Person, 'id' | 'name'>,
  which: WhichSessions,
): Promise<number> {
  const nowMs = clock.nowMs();
  const count = await store.audited(
    (ended: number) => act(doer, 'sessions.ended', id, { name, count: ended }, nowMs),
    ({ people }) => people.endSessions(id, { ...which, nowMs }),
  );
  notifier.notify(id);
  return count;
}

function createCodes({ store, clock }: Parts) {
  return {
    /** Undefined = there is no such person. Ends an earlier code of the same purpose. */
    async makeCode(doer: Doer, id: string, purpose: 'pair' | 'reset'): Promise<NewCode | undefined> {
      const nowMs = clock.nowMs();
      const person = await requireInReach(store, doer, id);
      if (person === undefined) return undefined;
      if (person.isWall && purpose === 'reset') throw invalid('purpose: a screen has no password, accepted: pair');
      return store.audited(
        () => act(doer, 'person.code_created', id, { name: person.name, purpose }, nowMs),
        ({ people }) => putCode({ people }, person, purpose, nowMs),
      );
    },
    /** For the first admin of the workspace. Throws RefusedError `auth.claim` where there is one. */
    async makeClaim(doer: Doer): Promise<NewCode> {
      const nowMs = clock.nowMs();
      const { workspaceId } = doer;
      if (await store.people.hasAdmin(workspaceId)) throw new RefusedError('auth.claim', ADMIN_IS_THERE);
      return store.audited(
        () => act(doer, 'person.code_created', undefined, { purpose: 'claim' }, nowMs),
        ({ people }) => putCode({ people }, { id: null, workspaceId }, 'claim', nowMs),
      );
    },
  };
}

async function putCode(
  { people }: Stores,
  { id, workspaceId }: { id: string | null; workspaceId: string },
  purpose: Purpose,
  nowMs: number,
): Promise<NewCode> {
  const { text, hash } = newPersonCode();
  const expiresAtMs = nowMs + LIFE_MS[purpose];
  await people.putCode({ hash, purpose, workspaceId, personId: id, expiresAtMs }, nowMs);
  return { text, purpose, expiresAtMs };
}

/** Undefined = there is no such person. Throws RefusedError `auth.permission` for one that may more than the caller. */
async function requireInReach({ people }: Stores, doer: Doer, id: string): Promise<Person | undefined> {
  const person = await people.find(doer.workspaceId, id);
  if (person !== undefined) requireCovers(doer, person);
  return person;
}

/** Otherwise a caller that may only manage people could make itself an admin. */
function requireCovers({ permissions }: Doer, { role, farmRoles }: Pick<Person, 'role' | 'farmRoles'>): void {
  const roles: Role[] = [...(role === null ? [] : [role]), ...farmRoles.map((one) => one.role)];
  const above = roles.find((one) => permissionsOf(one).some((permission) => !permissions.includes(permission)));
  if (above === undefined) return;
  throw new RefusedError(
    'auth.permission',
    `Access denied: the role ${above} allows more than the caller may do, so the caller can neither give it nor change who has it`,
  );
}

function requireAhead(expiresAtMs: number | null, nowMs: number): void {
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    throw invalid('expires_at: received a time that has passed, accepted: a later one, or null');
}

const act = (
  { actor, workspaceId }: Pick<Doer, 'actor' | 'workspaceId'>,
  action: ServiceAct['action'],
  person: string | undefined,
  detail: NonNullable<ServiceAct['detail']>,
  atMs: number,
): ServiceAct => ({
  ...{ action, actor, workspaceId, detail, atMs, subject: person === undefined ? {} : { person } },
});

function shown({ role, farmRoles, isDisabled, expiresAtMs }: PersonChanges): Readonly<Record<string, unknown>> {
  const expires_at = typeof expiresAtMs === 'number' ? new Date(expiresAtMs).toISOString() : expiresAtMs;
  const farm_roles = farmRoles && Object.fromEntries(farmRoles.map((one) => [one.farmId, one.role]));
  return { role, farm_roles, is_disabled: isDisabled, expires_at };
}

const NO_ROLE = 'role: received none and no farm_roles, accepted: a role, or a role for at least one farm';
const WALL_ROLE = 'role: a screen reads one farm, and has no other role: remove it and make a new one';
const ADMIN_IS_THERE =
  'Make a code for the first admin: the workspace has an admin already. An admin can add people on the page; against a lost password: pithead people reset <name>';

const invalid = (problem: string) =>
  new RefusedError('request.invalid', `${REFUSALS['request.invalid'].text}: ${problem}`);

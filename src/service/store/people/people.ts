// The people of workspaces at rest: who there is, what each may do, and that a workspace keeps an administrator. Only a
// hash of a password is here. Who may change what is decided elsewhere.
import { RefusedError } from '../../../base/errors.ts';
import type { Role } from '../../../model/permissions/permissions.ts';
import type { Audited } from '../databases.ts';
import { countAll } from '../rows.ts';
import type { Db } from '../schema.ts';
import { createCodeStore, removeCodesOf } from './codes.ts';
import { type FarmRole, fromFarmRoles, nameKeyOf, type Person, toPerson } from './person-rows.ts';
import { createSessionStore, endSessionsOf } from './sessions.ts';

/** Of a workspace, without deleted ones. */
export const MOST_PEOPLE = 1_000;

export type NewPerson = Pick<
  Person,
  'workspaceId' | 'name' | 'passwordHash' | 'role' | 'farmRoles' | 'isWall' | 'expiresAtMs'
>;

/** Undefined = stays. */
export type PersonChanges = {
  readonly role?: Role | null | undefined;
  readonly farmRoles?: readonly FarmRole[] | undefined;
  readonly isDisabled?: boolean | undefined;
  readonly expiresAtMs?: number | null | undefined;
};

export type PeopleStore = ReturnType<typeof createPeopleStore>;

export function createPeopleStore(databases: Audited, newId: (nowMs: number) => string) {
  return {
    ...createPeopleReads(databases),
    ...createPeopleChanges(databases, newId),
    ...createSessionStore(databases, newId),
    ...createCodeStore(databases),
  };
}

function createPeopleReads({ read }: Audited) {
  return {
    /** Oldest first, without deleted ones; of one workspace, or all. */
    async list(workspaceId?: string): Promise<readonly Person[]> {
      const all = read.selectFrom('people').selectAll().where('deleted_at', 'is', null).orderBy('id');
      const rows = await (workspaceId === undefined ? all : all.where('workspace_id', '=', workspaceId)).execute();
      return rows.map(toPerson);
    },
    find: (workspaceId: string, id: string): Promise<Person | undefined> => findPerson(read, workspaceId, id),
    async findNamed(name: string): Promise<Person | undefined> {
      const row = await read
        .selectFrom('people')
        .selectAll()
        .where('name_key', '=', nameKeyOf(name))
        .executeTakeFirst();
      return row && toPerson(row);
    },
    /** Whether the workspace has an administrator that can log in. */
    hasAdmin: (workspaceId: string): Promise<boolean> => hasAdmin(read, workspaceId),
  };
}

function createPeopleChanges({ transact, lock }: Audited, newId: (nowMs: number) => string) {
  return {
    /** Throws RefusedError `people.full` and `people.name`. */
    create: (person: NewPerson, nowMs: number): Promise<Person> =>
      transact(async (trx) => {
        await lock(trx, `people ${person.workspaceId}`);
        await requireRoom(trx, person.workspaceId);
        const row = await trx
          .insertInto('people')
          .values({
            id: newId(nowMs),
            workspace_id: person.workspaceId,
            name: person.name,
            name_key: nameKeyOf(person.name),
            password_hash: person.passwordHash,
            role: person.role,
            farm_roles: fromFarmRoles(person.farmRoles),
            is_wall: person.isWall ? 1 : 0,
            created_at: nowMs,
            expires_at: person.expiresAtMs,
          })
          .onConflict((conflict) => conflict.column('name_key').doNothing())
          .returningAll()
          .executeTakeFirst();
        if (row === undefined) throw nameTaken(person.name);
        return toPerson(row);
      }),
    /**
     * The person before and after; undefined = there is none. One that is disabled loses its sessions and codes. Throws
     * RefusedError `people.last-admin`.
     */
    update: (
      workspaceId: string,
      id: string,
      changes: PersonChanges,
      nowMs: number,
    ): Promise<{ before: Person; after: Person } | undefined> =>
      transact(async (trx) => {
        await lock(trx, `people ${workspaceId}`);
        const before = await findPerson(trx, workspaceId, id);
        if (before === undefined) return undefined;
        const after = changed(before, changes, nowMs);
        await requireAdmin(trx, before, after);
        await trx
          .updateTable('people')
          .set({
            role: after.role,
            farm_roles: fromFarmRoles(after.farmRoles),
            disabled_at: after.disabledAtMs,
            expires_at: after.expiresAtMs,
          })
          .where('id', '=', id)
          .execute();
        if (after.disabledAtMs !== null) await endAllOf(trx, id, nowMs);
        return { before, after };
      }),
    /** As it was; undefined = there is none. Its name is free again. Throws RefusedError `people.last-admin`. */
    remove: (workspaceId: string, id: string, nowMs: number): Promise<Person | undefined> =>
      transact(async (trx) => {
        await lock(trx, `people ${workspaceId}`);
        const before = await findPerson(trx, workspaceId, id);
        if (before === undefined) return undefined;
        await requireAdmin(trx, before, undefined);
        await trx
          .updateTable('people')
          .set({ deleted_at: nowMs, name_key: null, password_hash: null })
          .where('id', '=', id)
          .execute();
        await endAllOf(trx, id, nowMs);
        return before;
      }),
    /** Ends the other sessions; false = there is no such person. */
    setPassword: (
      id: string,
      { hash, keptSessionId, nowMs }: { hash: string; keptSessionId?: string | undefined; nowMs: number },
    ): Promise<boolean> =>
      transact(async (trx) => {
        const { numUpdatedRows } = await trx
          .updateTable('people')
          .set({ password_hash: hash })
          .where('id', '=', id)
          .where('deleted_at', 'is', null)
          .executeTakeFirst();
        if (numUpdatedRows === 0n) return false;
        await endSessionsOf(trx, id, { nowMs, exceptId: keptSessionId });
        await removeCodesOf(trx, id);
        return true;
      }),
  };
}

async function endAllOf(transaction: Db, id: string, nowMs: number): Promise<void> {
  await endSessionsOf(transaction, id, { nowMs });
  await removeCodesOf(transaction, id);
}

async function findPerson(db: Db, workspaceId: string, id: string): Promise<Person | undefined> {
  const row = await db
    .selectFrom('people')
    .selectAll()
    .where('id', '=', id)
    .where('workspace_id', '=', workspaceId)
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  return row && toPerson(row);
}

function changed(before: Person, changes: PersonChanges, nowMs: number): Person {
  const { role = before.role, farmRoles = before.farmRoles, expiresAtMs = before.expiresAtMs, isDisabled } = changes;
  const disabledAtMs = isDisabled === undefined ? before.disabledAtMs : isDisabled ? nowMs : null;
  return { ...before, role, farmRoles, expiresAtMs, disabledAtMs };
}

/** Those that can log in now and in a year: what ends by itself is no one to count on. */
const isLastingAdmin = ({ role, passwordHash, disabledAtMs, expiresAtMs }: Person): boolean =>
  role === 'admin' && passwordHash !== null && disabledAtMs === null && expiresAtMs === null;

async function hasAdmin(db: Db, workspaceId: string, exceptId = ''): Promise<boolean> {
  const row = await db
    .selectFrom('people')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', '!=', exceptId)
    .where('role', '=', 'admin' satisfies Role)
    .where('password_hash', 'is not', null)
    .where('disabled_at', 'is', null)
    .where('expires_at', 'is', null)
    .where('deleted_at', 'is', null)
    .limit(1)
    .executeTakeFirst();
  return row !== undefined;
}

async function requireAdmin(transaction: Db, before: Person, after: Person | undefined): Promise<void> {
  if (!isLastingAdmin(before) || (after !== undefined && isLastingAdmin(after))) return;
  if (await hasAdmin(transaction, before.workspaceId, before.id)) return;
  throw new RefusedError(
    'people.last-admin',
    `Change ${before.name}: it is the last admin of the workspace that can log in without an end; make another one first`,
  );
}

async function requireRoom(transaction: Db, workspaceId: string): Promise<void> {
  const there = await countAll(
    transaction.selectFrom('people').where('workspace_id', '=', workspaceId).where('deleted_at', 'is', null),
  );
  if (there >= MOST_PEOPLE)
    throw new RefusedError(
      'people.full',
      `Add a person: the workspace has ${there}, accepted are ${MOST_PEOPLE}; remove one first`,
    );
}

const nameTaken = (name: string) =>
  new RefusedError('people.name', `name: '${name}' is the name of another person of this service; take another one`);

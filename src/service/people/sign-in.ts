// How a session begins and ends: a name with a password, or a one-time code. Each begins a new session, and the one
// that the browser had ends. It does not know of cookies, and decides about no other request.
import type { Clock } from '../../base/clock.ts';
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import type { AuditActor } from '../../model/audit/entry.ts';
import { hashPersonCode, hashSecret, newSessionToken } from '../auth/secrets.ts';
import { expiryOf, personFault } from '../auth/session.ts';
import { nameKeyOf, type Person, type Purpose, type ServiceAct, type Session, type Store } from '../store/store.ts';
import type { AccessNotifier } from './access-notifier.ts';
import type { LoginFailures } from './login-failures.ts';
import { HASH_OF_NONE, type HashLine, hashPassword, isPasswordOf } from './passwords.ts';

export type SignIn = ReturnType<typeof createSignIn>;

type Parts = {
  readonly store: Pick<Store, 'audited' | 'people'>;
  readonly clock: Pick<Clock, 'nowMs'>;
  readonly line: HashLine;
  readonly failures: LoginFailures;
  readonly notifier: Pick<AccessNotifier, 'notify'>;
};

/** Whose browser asks; `token` = of the session that it has. */
export type Browser = { readonly address: string; readonly device: string; readonly token: string | undefined };

/** `token` is for the browser alone. */
export type Begun = {
  readonly kind: 'begun';
  readonly token: string;
  readonly person: Person;
  readonly session: Session;
};
/** Nothing was tried. */
export type Wait = { readonly kind: 'wait'; readonly seconds: number };

type Stores = Pick<Store, 'people'>;
type Claim = { readonly name?: string | undefined; readonly password?: string | undefined };
type Found = NonNullable<Awaited<ReturnType<Store['people']['findCode']>>>;

/** Until some of those that wait are through. */
const BUSY: Wait = { kind: 'wait', seconds: 5 };

export function createSignIn(parts: Parts) {
  return { ...createLogin(parts), ...createClaims(parts), ...createOwnPassword(parts) };
}

/** Whether the password is right, as a result or as the seconds to wait. Unknown names cost the same time. */
async function checkPassword(
  { clock, line, failures }: Parts,
  name: string,
  password: string,
  { hash, address }: { hash: () => Promise<string | null | undefined>; address: string },
): Promise<boolean | Wait> {
  if (!line.hasRoom(address)) return BUSY;
  const key = nameKeyOf(name);
  const seconds = failures.begin(key, address, clock.nowMs());
  if (seconds > 0) return { kind: 'wait', seconds };
  const isRight = await line.run(address, async () => {
    const stored = await hash();
    return (await isPasswordOf(password, stored ?? HASH_OF_NONE)) && typeof stored === 'string';
  });
  if (isRight) failures.succeeded(key, address);
  return isRight;
}

/** In the transaction of what it is begun for. */
async function begin(
  { people }: Stores,
  person: Person,
  { isPaired, browser, nowMs }: { isPaired: boolean; browser: Browser; nowMs: number },
): Promise<Begun> {
  const { text, hash } = newSessionToken();
  const before = browser.token === undefined ? undefined : await people.findSession(hashSecret(browser.token));
  if (before !== undefined) await people.endSessions(before.person.id, { onlyId: before.session.id, nowMs });
  const { address, device } = browser;
  const expiresAtMs = expiryOf({ isPaired, isWall: person.isWall }, nowMs);
  const session = await people.beginSession(
    { personId: person.id, tokenHash: hash, isPaired, device, address, expiresAtMs },
    nowMs,
  );
  return { kind: 'begun', token: text, person, session };
}

const actorOf = ({ id, name }: Person): AuditActor => ({ type: 'user', id, name });

function createLogin(parts: Parts) {
  const { store, clock } = parts;
  return {
    /** Throws RefusedError `auth.login`: the same for an unknown name and a wrong password. */
    async login({ name, password }: { name: string; password: string }, browser: Browser): Promise<Begun | Wait> {
      let person: Person | undefined;
      const hash = async () => {
        person = await store.people.findNamed(name);
        return person?.passwordHash;
      };
      const isRight = await checkPassword(parts, name, password, { hash, address: browser.address });
      if (typeof isRight !== 'boolean') return isRight;
      const found = person;
      if (!isRight || found === undefined) throw new RefusedError('auth.login');
      const nowMs = clock.nowMs();
      const fault = personFault(found, nowMs);
      // Only who knows the password hears of it.
      if (fault !== undefined) throw new RefusedError('auth.login', fault);
      return store.audited(
        () => begunAct(found, 'password', browser, nowMs),
        (stores) => begin(stores, found, { isPaired: false, browser, nowMs }),
      );
    },
    /** Of a session that is there. */
    async logout(person: Pick<Person, 'id' | 'name' | 'workspaceId'>, sessionId: string): Promise<void> {
      await store.people.endSessions(person.id, { onlyId: sessionId, nowMs: clock.nowMs() });
      parts.notifier.notify(person.id);
    },
  };
}

/** With what a session can begin, and what else that does. */
const BEGUN = {
  password: 'session.begun',
  claim: 'person.created',
  reset: 'person.password_set',
  pair: 'session.begun',
} as const satisfies Readonly<Record<'password' | Purpose, ServiceAct['action']>>;

const begunAct = (person: Person, by: keyof typeof BEGUN, { address, device }: Browser, atMs: number): ServiceAct => ({
  ...{ action: BEGUN[by], actor: actorOf(person), workspaceId: person.workspaceId, atMs },
  ...{ subject: { person: person.id }, detail: { name: person.name, by, address, device } },
});

function createClaims(parts: Parts) {
  const { store, clock, line, notifier } = parts;
  return {
    /**
     * Uses the code up, on whichever copy; a code that is refused for what else is given stays good. Throws
     * RefusedError `auth.claim` where it is not good, and `request.invalid`.
     */
    async claim(code: string, given: Claim, browser: Browser): Promise<Begun | Wait> {
      const digest = hashPersonCode(code);
      const found = digest === undefined ? undefined : await store.people.findCode(digest, clock.nowMs());
      if (digest === undefined || found === undefined) throw new RefusedError('auth.claim');
      const password = await passwordFor(store, found, given);
      if (password !== undefined && !line.hasRoom(browser.address)) return BUSY;
      const hash = password === undefined ? undefined : await line.run(browser.address, () => hashPassword(password));
      const nowMs = clock.nowMs();
      // Of many that use it together the late ones shall not wait for each other in the database.
      if (hash !== undefined && (await store.people.findCode(digest, nowMs)) === undefined)
        throw new RefusedError('auth.claim');
      const begun = await store.audited(
        ({ person }: Begun) => begunAct(person, found.purpose, browser, nowMs),
        async (stores) => {
          const used = await stores.people.useCode(digest, found.workspaceId, nowMs);
          if (used === undefined) throw new RefusedError('auth.claim');
          const person = await personOf(stores, used, { name: given.name, hash, nowMs });
          return begin(stores, person, { isPaired: used.purpose === 'pair', browser, nowMs });
        },
      );
      notifier.notify(begun.person.id);
      return begun;
    },
  };
}

/** Undefined = the code needs none. Throws RefusedError `request.invalid` that names the field. */
async function passwordFor(store: Stores, { purpose, workspaceId, personId }: Found, given: Claim) {
  if (purpose === 'pair') return undefined;
  const { password } = given;
  if (purpose === 'claim' && given.name === undefined) throw invalid('name: needed with a code that makes an admin');
  if (password === undefined) throw invalid('password: needed with this code');
  const person = personId === null ? undefined : await store.people.find(workspaceId, personId);
  requireGoodPassword(password, given.name ?? person?.name ?? '');
  return password;
}

/** In the transaction in which the code is used up; what it throws gives the code back. */
async function personOf(
  { people }: Stores,
  { purpose, workspaceId, personId }: Found,
  { name, hash, nowMs }: { name: string | undefined; hash: string | undefined; nowMs: number },
): Promise<Person> {
  if (purpose === 'claim') {
    if (await people.hasAdmin(workspaceId)) throw new RefusedError('auth.claim', ADMIN_IS_THERE);
    const made = { workspaceId, name: name ?? '', passwordHash: hash ?? null, role: 'admin' as const };
    return people.create({ ...made, farmRoles: [], isWall: false, expiresAtMs: null }, nowMs);
  }
  const person = personId === null ? undefined : await people.find(workspaceId, personId);
  if (person === undefined) throw new RefusedError('auth.claim');
  const fault = personFault(person, nowMs);
  if (fault !== undefined) throw new RefusedError('auth.claim', fault);
  if (purpose === 'reset' && hash !== undefined) await people.setPassword(person.id, { hash, nowMs });
  return person;
}

const ADMIN_IS_THERE =
  'The workspace has an admin already, and this code is for the first one: that admin can add people on the page';

function createOwnPassword(parts: Parts) {
  const { store, clock, line, notifier } = parts;
  return {
    /** Ends the other sessions of the person. Throws RefusedError `request.invalid`. Undefined = it is done. */
    async changePassword(
      who: { readonly id: string; readonly workspaceId: string; readonly sessionId: string },
      { current, next }: { current: string; next: string },
      address: string,
    ): Promise<Wait | undefined> {
      const person = await store.people.find(who.workspaceId, who.id);
      if (person === undefined || person.isWall) throw invalid('a screen has no password');
      const hash = async () => person.passwordHash;
      const isRight = await checkPassword(parts, person.name, current, { hash, address });
      if (typeof isRight !== 'boolean') return isRight;
      if (!isRight) throw invalid('current_password: it is not the password of this person');
      requireGoodPassword(next, person.name, 'new_password');
      if (next.normalize('NFKC') === current.normalize('NFKC'))
        throw invalid('new_password: received the current one, accepted: another one');
      const hashed = await line.run(address, () => hashPassword(next));
      const nowMs = clock.nowMs();
      await store.audited(
        (): ServiceAct => ({
          ...{ action: 'person.password_set', actor: actorOf(person), workspaceId: person.workspaceId, atMs: nowMs },
          ...{ subject: { person: person.id }, detail: { name: person.name, by: 'the password before', address } },
        }),
        ({ people }) => people.setPassword(person.id, { hash: hashed, keptSessionId: who.sessionId, nowMs }),
      );
      notifier.notify(person.id);
      return undefined;
    },
  };
}

function requireGoodPassword(password: string, name: string, field = 'password'): void {
  if (nameKeyOf(password) === nameKeyOf(name)) throw invalid(`${field}: received the name, accepted: another text`);
}

const invalid = (problem: string) =>
  new RefusedError('request.invalid', `${REFUSALS['request.invalid'].text}: ${problem}`);

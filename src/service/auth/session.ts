// The session of a person: the cookie that holds its token, how long it lasts, who it is. It says why one is no good;
// it makes and ends none.
import { fastifyCookie } from '@fastify/cookie';
import { RefusedError } from '../../base/errors.ts';
import { permissionsOf } from '../../model/permissions/permissions.ts';
import { type Actor, avatarOf } from '../../model/task.ts';
import type { Person, Session } from '../store/store.ts';
import type { AuthSource, Caller } from './authorise.ts';
import { hashSecret, isSessionToken } from './secrets.ts';

const HOUR_MS = 3_600_000;
/** Not used for so long, it ends. */
const IDLE_MS = 12 * HOUR_MS;
const PAIRED_IDLE_MS = 30 * 24 * HOUR_MS;

/** Over TLS the browser itself sees to it that no other host and no plain page can set it. */
export const cookieNameOf = (isSecure: boolean): string => (isSecure ? '__Host-pithead' : 'pithead');

/** Undefined = the request has no cookie of ours; one of the other scheme is none. */
export function presentedToken(cookies: string | undefined, isSecure: boolean): string | undefined {
  return cookies === undefined ? undefined : fastifyCookie.parse(cookies)[cookieNameOf(isSecure)];
}

/** When a session ends that is used now and then no more; null = never. */
export const expiryOf = ({ isPaired, isWall }: { isPaired: boolean; isWall: boolean }, nowMs: number): number | null =>
  isWall ? null : nowMs + (isPaired ? PAIRED_IDLE_MS : IDLE_MS);

export const actorOfPerson = ({ id, name }: Pick<Person, 'id' | 'name'>): Actor => ({
  ...{ type: 'user', id, name, avatar: avatarOf('user'), metadata: {} },
});

export type Use = {
  readonly address: string;
  readonly nowMs: number;
  readonly by: AskedBy;
};

/** `page` = by itself, while no person is there; `service` = it looks whether the session is still good. */
export type AskedBy = 'person' | 'page' | 'service';

/** The page sends it with what it asks by itself. */
const UNATTENDED = 'pithead-unattended';

/** A page opens its socket again and again, also where no person looks at it. */
export const askedBy = ({ [UNATTENDED]: unattended, upgrade }: Readonly<Record<string, unknown>>): AskedBy =>
  unattended === undefined && upgrade === undefined ? 'person' : 'page';

/** Throws RefusedError `auth.session` that says what to do. */
export async function identifySession(
  source: Pick<AuthSource, 'findSession' | 'markSessionUsed'>,
  token: string,
  { address, nowMs, by }: Use,
): Promise<Caller> {
  const found = isSessionToken(token) ? await source.findSession(hashSecret(token)) : undefined;
  if (found === undefined) throw new RefusedError('auth.session');
  const { session, person } = found;
  const fault = personFault(person, nowMs) ?? sessionFault(session, nowMs);
  if (fault !== undefined) throw new RefusedError('auth.session', fault);
  const { id, name, workspaceId, role, farmRoles, isWall } = person;
  // Only a person makes it last longer. That of a screen has no end that could move, and is used while it is on.
  if (by === 'person' || (by === 'page' && isWall))
    source.markSessionUsed(session, { expiresAtMs: expiryOf({ ...session, isWall }, nowMs), address, nowMs });
  return {
    actor: actorOfPerson({ id, name }),
    workspaceId,
    permissions: role === null ? [] : permissionsOf(role),
    person: { role, farmRoles, isWall, session },
  };
}

/** Why the person may use nothing now, for people; undefined = it may. */
export function personFault({ deletedAtMs, disabledAtMs, expiresAtMs }: Person, nowMs: number): string | undefined {
  if (deletedAtMs !== null) return 'This person was removed: ask an administrator of the workspace to add you again';
  if (disabledAtMs !== null) return 'This person is disabled: an administrator of the workspace can enable it again';
  if (expiresAtMs !== null && expiresAtMs <= nowMs)
    return 'The time of this person is over: an administrator of the workspace can set a later one';
  return undefined;
}

function sessionFault({ endedAtMs, expiresAtMs }: Session, nowMs: number): string | undefined {
  if (endedAtMs !== null) return 'The session was ended: log in again';
  if (expiresAtMs !== null && expiresAtMs <= nowMs) return 'The session was not used for too long: log in again';
  return undefined;
}

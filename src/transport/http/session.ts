// Logins that yield a cookie or a token: grants are kept per device and login until the device refuses them, and a
// login is tried once for all requests that wait for it. What an answer means is ask.ts.
import { hash } from 'node:crypto';
import type { LruMap } from 'toad-cache';
import { BugError, CancelledError, PeerError } from '../../base/errors.ts';
import { beforeSent, deviceSays, peerError, withoutSecret } from '../peer-errors.ts';
import type { SessionAnswer, SessionOpening, WebSession } from '../request.ts';
import type { HttpAnswer } from './client.ts';
import type { DigestPlan } from './digest.ts';

type Grant = {
  readonly headers: Readonly<Record<string, string>>;
  /** The device has answered a request under it. */
  isProven: boolean;
};

export type Sessions = {
  readonly grants: LruMap<Grant>;
  /** Endpoints that answered a login with 429: the end of their cooldown, monotonic ms. */
  readonly cooldowns: LruMap<{ readonly untilMs: number; readonly words: string }>;
  /** Logins under way, by endpoint. */
  readonly opening: Map<string, { readonly key: string; readonly grant: Promise<Grant> }>;
};

type SessionPlan = Pick<DigestPlan, 'clock' | 'endpoint' | 'login' | 'what' | 'signal'> & {
  readonly sessions: Sessions;
  readonly session: WebSession;
  send(headers: Readonly<Record<string, string>>): Promise<HttpAnswer>;
  /** The answer as `isRefused` and `grant` want to see it. */
  readBody(answer: HttpAnswer): unknown;
  /** Sends `before` and this; the answer to the latter. */
  sendOpening(opening: SessionOpening): Promise<HttpAnswer>;
};

const MAX_GRANT_CHARS = 8 * 1024;
/** Pause after a 429 to a login, unless the device names another; each further try may prolong its lock. */
const COOLDOWN_S = { default: 60, min: 5, max: 600 } as const;

/**
 * The first answer that is no refusal of the session. Throws PeerError `peer.auth` when the login is refused,
 * `peer.permission` when the device takes the login and still refuses this request; failures of the login carry
 * `wasSent: false`.
 */
export async function sendWithSession(plan: SessionPlan): Promise<HttpAnswer> {
  const { sessions, session, login, what, endpoint } = plan;
  const secret = hash('sha256', `${login.user}\0${login.password.reveal()}`, 'hex');
  const key = `${endpoint} ${session.name} ${secret}`;
  let isKnownToWork = false;
  for (let isFresh = false; ; isFresh = true) {
    const kept = sessions.grants.get(key);
    const grant = kept ?? (await beforeSent(() => openOnce(plan, key)));
    isFresh ||= kept === undefined;
    const answer = await plan.send(grant.headers);
    const isRefused =
      answer.status === 401 || (mayBeLogin(answer) && (await session.isRefused?.(plan.readBody(answer))) === true);
    if (!isRefused) {
      grant.isProven = true;
      // A grant without anything in it: the device did not ask for the login.
      if (Object.keys(grant.headers).length > 0) login.onTaken?.();
      return answer;
    }
    isKnownToWork ||= grant.isProven;
    // A fresh session that is refused stays so: a further login would change nothing, and some devices count them.
    if (isFresh && isKnownToWork) throw peerError('peer.permission', `${what}: refused although logged in`);
    if (sessions.grants.get(key) === grant) sessions.grants.delete(key);
    if (isFresh) throw peerError('peer.auth', what);
  }
}

/** Grants outlive a password on some devices, and would show as good a login that is none any more. */
export function forgetGrants({ grants }: Sessions, ip: string): void {
  grants.deleteMany([...grants.keys()].filter((key) => String(key).startsWith(`${ip}:`)));
}

/** Some put their login page in place of the answer with 200, some with 403, which others say of the request itself. */
const mayBeLogin = ({ status }: HttpAnswer): boolean => status < 400 || status === 403;

/** One login at a time per device; those who wait for the same one share its outcome. */
async function openOnce(plan: SessionPlan, key: string): Promise<Grant> {
  const { opening, grants } = plan.sessions;
  for (let other = opening.get(plan.endpoint); other !== undefined; other = opening.get(plan.endpoint)) {
    try {
      const grant = await other.grant;
      if (other.key === key) return grant;
    } catch (error) {
      const isOfTheOther = other.key !== key || error instanceof CancelledError;
      if (!isOfTheOther || plan.signal?.aborted) throw error;
    }
  }
  const kept = grants.get(key);
  if (kept !== undefined) return kept;
  const grant = logIn(plan);
  opening.set(plan.endpoint, { key, grant });
  try {
    const granted = await grant;
    grants.set(key, granted);
    return granted;
  } finally {
    opening.delete(plan.endpoint);
  }
}

async function logIn(plan: SessionPlan): Promise<Grant> {
  const { session, sessions, clock, endpoint, login, sendOpening, readBody } = plan;
  const cooldown = sessions.cooldowns.get(endpoint);
  if (cooldown !== undefined && clock.monotonicMs() < cooldown.untilMs) {
    throw deviceSays('peer.busy', `log in to ${endpoint} (${session.name})`, cooldown.words);
  }
  const what = `log in to ${endpoint} (${session.name})`;
  const plain = { user: login.user, password: login.password.reveal() };
  const opening = await session.open(plain);
  // Addresses end up in logs, of the device and of what is on the way to it.
  const isInPath = (await session.open({ ...plain, password: PLACEHOLDER })).path !== opening.path;
  if (isInPath) throw peerError('peer.auth', `${what}: not sent, because its address would hold the password`);
  await login.beforeSending?.(plan.signal);
  const answer = await sendOpening(opening);
  const body = readBody(answer);
  const words = () => {
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return `${answer.status} ${withoutSecret(text, plain.password)}`;
  };
  if (answer.status === 429) {
    sessions.cooldowns.set(endpoint, { untilMs: clock.monotonicMs() + cooldownS(answer) * 1_000, words: words() });
    throw deviceSays('peer.busy', what, words());
  }
  const headers = await granted(session, { status: answer.status, body, ...cookieOf(answer) }, what);
  if (headers === undefined) {
    if (answer.status >= 500) throw deviceSays(answer.status === 503 ? 'peer.busy' : 'peer.rejected', what, words());
    if (answer.status === 404) throw deviceSays('peer.unsupported', what, words());
    throw deviceSays('peer.auth', what, words());
  }
  // What came from the device must not be able to break our own header.
  if (Object.values(headers).some((value) => value.length > MAX_GRANT_CHARS || /[^\t\x20-\x7e\x80-\xff]/.test(value))) {
    throw peerError('peer.unparsable', `${what}: a grant that fits no header`);
  }
  return { headers, isProven: session.provesLogin === true && Object.keys(headers).length > 0 };
}

/** In place of the real one, to see where a login would put it. */
const PLACEHOLDER = 'pithead-looks-where-the-password-goes';

function cooldownS({ headers }: HttpAnswer): number {
  const given = headers['retry-after'];
  const seconds = typeof given === 'string' && /^\d{1,9}$/.test(given) ? Number(given) : COOLDOWN_S.default;
  return Math.min(COOLDOWN_S.max, Math.max(COOLDOWN_S.min, seconds));
}

async function granted(
  session: WebSession,
  answer: SessionAnswer,
  what: string,
): Promise<Grant['headers'] | undefined> {
  try {
    return await session.grant(answer);
  } catch (error) {
    // The driver cannot be asked for now.
    if (error instanceof PeerError) throw error;
    throw new BugError(`${what}: read the answer`, error);
  }
}

/** `name=value` of each cookie; of two with one name the later counts. */
function cookieOf({ headers }: HttpAnswer): { readonly cookie?: string } {
  const lines = [headers['set-cookie'] ?? []].flat();
  const pairs = lines.slice(0, 32).flatMap((line) => {
    const pair = (line.split(';', 1)[0] ?? '').trim();
    const at = pair.indexOf('=');
    return at > 0 ? [[pair.slice(0, at), pair] as const] : [];
  });
  return pairs.length === 0 ? {} : { cookie: [...new Map(pairs).values()].join('; ') };
}

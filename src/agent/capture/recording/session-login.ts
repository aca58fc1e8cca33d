// The login of a session as a case has it: what is sent, with placeholders for user and password, and what the device
// hands out. It sends nothing.
import { LOGIN_PLACEHOLDERS } from '../../../case/format.ts';
import { repairJson } from '../../../transport/cgminer/json-fixer.ts';
import type { ReadRequest, WebSession } from '../../../transport/request.ts';
import type { RecordedAnswer } from '../../../transport/tcp/recorder.ts';
import { type Asked, describeRequest } from './case.ts';
import { type Raw, toRaw } from './to-case.ts';

/** Undefined = it needs none. */
export const sessionIn = (ask: ReadRequest): WebSession | undefined =>
  ask.via === 'http' && typeof ask.auth === 'object' && 'open' in ask.auth ? ask.auth : undefined;

/** Shorter words are no tokens. */
const LEAST_TOKEN = 6;

/** Undefined = no login was sent: the session was open already, or there is no login. */
export async function loginOf(
  session: WebSession,
  about: Asked,
  heard: readonly RecordedAnswer[],
): Promise<{ readonly raw: Raw; readonly grants: readonly string[] } | undefined> {
  // The recorder names no path of a login: it may hold the password.
  const answers = heard.filter(({ method, path }) => method !== undefined && path === undefined);
  const last = answers.at(-1);
  if (last === undefined) return undefined;
  const opening = await session.open(LOGIN_PLACEHOLDERS);
  const port = opening.port ?? about.port;
  const asked: Asked = { ...describeRequest({ ...opening, port, auth: 'none', as: 'text' }), auth: 'login' };
  return { raw: toRaw(asked, answers), grants: await grantsIn(session, last) };
}

/** Tokens and cookies, wherever they stand in the answer. */
async function grantsIn(
  session: WebSession,
  { status = 0, headers = {}, bytes }: RecordedAnswer,
): Promise<readonly string[]> {
  const cookies = [headers['set-cookie'] ?? []].flat().map((line) => line.split(';', 1)[0] ?? '');
  const body = repairJson(bytes)?.value ?? bytes.toString('utf8');
  const granted = await session.grant({ status, body, ...(cookies.length > 0 && { cookie: cookies.join('; ') }) });
  const tokens = Object.entries(granted ?? {}).flatMap(([name, text]) =>
    /^cookie$/i.test(name) ? [] : text.split(/[\s;,]+/).filter((word) => !/^(bearer|token)$/i.test(word)),
  );
  const values = cookies.map((cookie) => cookie.slice(cookie.indexOf('=') + 1));
  return [...tokens, ...values].filter((word) => word.length >= LEAST_TOKEN);
}

// Logins of the web of devices: a form or a body that is answered with a cookie or a token. The core keeps what was
// granted, asks for a new one when the device refuses it, and sends no password twice.
import type { PlainLogin, SessionAnswer, SessionOpening, WebSession } from '../../../transport/request.ts';
import { Answer } from '../answer.ts';

type Opening = {
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Fields of a form. */
  form?(login: PlainLogin): Readonly<Record<string, string>>;
  /** A body as JSON. */
  json?(login: PlainLogin): unknown;
};

type Common = Opening & {
  /** Tells apart the sessions of one device. */
  readonly name: string;
  /** Of an answer with status 200: whether it says that the session has ended. Text is in `body`. */
  isEnded?(answer: Answer): boolean;
  readonly provesLogin?: true;
};

type CookieSession = Common & {
  /** Default: a status below 400 and a cookie. */
  isGranted?(answer: Answer, cookie: string | undefined, status: number): boolean;
};

/** A login that sets a cookie. */
export function cookieSession({ isGranted = hasCookie, ...session }: CookieSession): WebSession {
  return webSession(session, ({ status, body, cookie }) => {
    if (status >= 400 || !isGranted(new Answer(body), cookie, status)) return undefined;
    return cookie === undefined ? {} : { Cookie: cookie };
  });
}

const hasCookie = (_answer: Answer, cookie: string | undefined) => cookie !== undefined;

type TokenSession = Common & {
  /** Where the token stands in the answer to the login. */
  token(answer: Answer): string | undefined;
  /** The header that carries it; default `Authorization: Bearer`. */
  readonly header?: string;
};

/** A login that answers with a token. */
export function tokenSession({ token, header, ...session }: TokenSession): WebSession {
  return webSession(session, ({ body }) => {
    const found = token(new Answer(body));
    // What would break a header is no token.
    if (found === undefined || !/^[\x21-\x7e]{1,8192}$/.test(found)) return undefined;
    return header === undefined ? { Authorization: `Bearer ${found}` } : { [header]: found };
  });
}

/** A page where an answer was asked for is the page of the login. */
export const isPage = ({ body }: Answer): boolean => body !== undefined && /^\s*</.test(body);

type Grant = (answer: SessionAnswer) => Readonly<Record<string, string>> | undefined;

function webSession({ name, isEnded, provesLogin, ...opening }: Common, grant: Grant): WebSession {
  return {
    name,
    open: (login) => toOpening(opening, login),
    grant,
    ...(isEnded && { isRefused: (answer: unknown) => isEnded(new Answer(answer)) }),
    ...(provesLogin && { provesLogin }),
  };
}

function toOpening({ path, headers, form, json }: Opening, login: PlainLogin): SessionOpening {
  return {
    via: 'http',
    method: 'POST',
    path,
    ...(headers && { headers }),
    ...(form && { form: form(login) }),
    ...(json && { json: json(login) }),
  };
}

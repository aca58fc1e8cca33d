// How Braiins OS is asked: REST behind a token (from 25.07), GraphQL behind a cookie, the LuCI page for the MAC,
// CGMiner words on TCP (atlas 6).
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';

const isCookie = (cookie: string | undefined, name: string): cookie is string => cookie?.includes(`${name}=`) ?? false;

/**
 * Only these mean that the login is wrong. A version without this API, or one that is still starting, says other
 * things: then the request goes without a grant and tells by itself what is the matter.
 */
const isRefusal = (status: number) => status === 400 || status === 401 || status === 403;

const tokenAnswer = z.looseObject({ token: z.string().min(1).max(4_096) });

/** The bare token, without a scheme. */
export const restSession: WebSession = {
  name: 'rest',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/api/v1/auth/login',
    json: { username: user, password },
  }),
  grant({ status, body }) {
    const token = tokenAnswer.safeParse(body).data?.token;
    if (token !== undefined) return { authorization: token };
    return isRefusal(status) ? undefined : {};
  },
  provesLogin: true,
};

const LOGIN =
  'mutation ($username: String!, $password: String!) { auth { login(username: $username, password: $password) { __typename } } }';

export const graphqlSession: WebSession = {
  name: 'graphql',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/graphql',
    json: { query: LOGIN, variables: { username: user, password } },
  }),
  grant({ status, body, cookie }) {
    if (isCookie(cookie, 'session_id')) return { cookie };
    return isRefusal(status) || (status === 200 && typeof body === 'object') ? undefined : {};
  },
  isRefused: (answer) => isLoginWanted(graphqlErrors(answer)),
};

const errorsAnswer = z.looseObject({ errors: z.array(z.looseObject({ message: z.string() })).min(1) });

/** What a GraphQL answer says went wrong, in the device's words; undefined when it has no errors. */
export function graphqlErrors(answer: unknown): string | undefined {
  return errorsAnswer
    .safeParse(answer)
    .data?.errors.map(({ message }) => message)
    .join('; ')
    .slice(0, 256);
}

export const isLoginWanted = (words: string | undefined) =>
  words !== undefined && /unauth|authenticat|log ?in|session/i.test(words);

/** Some builds of the page answer browsers and the vendor's own tool only. */
const USER_AGENT = { 'user-agent': 'BTC Tools v0.1' };

export const luciSession: WebSession = {
  name: 'luci',
  open: ({ user, password }) => ({
    via: 'http',
    method: 'POST',
    path: '/cgi-bin/luci',
    headers: USER_AGENT,
    form: { luci_username: user, luci_password: password },
  }),
  grant({ status, cookie }) {
    // The second is that of versions which play this page themselves.
    if (isCookie(cookie, 'sysauth') || isCookie(cookie, 'session_id')) return { cookie };
    return isRefusal(status) ? undefined : {};
  },
  // Its login form stands in place of any page, with 403.
  isRefused: (answer) => typeof answer === 'string' && answer.includes('luci_password'),
};

export const rest = (path: string) =>
  ({
    via: 'http',
    method: 'GET',
    path: `/api/v1/${path}`,
    auth: restSession,
    as: 'json',
  }) as const;

/** A read; needs no login on most versions, and none is given. */
export const graphql = (query: string) =>
  ({
    via: 'http',
    method: 'POST',
    path: '/graphql',
    auth: 'none',
    json: { query },
    as: 'json',
  }) as const;

export const luci = (path: string) =>
  ({
    via: 'http',
    method: 'GET',
    path: `/cgi-bin/luci/${path}`,
    auth: luciSession,
    headers: USER_AGENT,
    as: 'json',
  }) as const;

/**
 * Queries by name. The names of fields that a version does not know spoil the whole query: what is new stands alone.
 */
export const QUERIES = {
  system: `query system { bos { hostname faultLight info { version { full } } uptime { durationS } }
    bosminer { info { workSolver { realHashrate { mhs5S } nominalMhs } fans { name rpm speed } summary { power { approxConsumptionW limitW } } } } }`,
  boards: `query boards { bosminer { info { workSolver { childSolvers { name realHashrate { mhs5S } nominalMhs
    hwDetails { chips frequencyMhz } temperatures { name degreesC } } } } } }`,
  serials: 'query serials { bosminer { info { workSolver { childSolvers { name hwDetails { hbSerialNumber } } } } } }',
  voltages: 'query voltages { bosminer { info { workSolver { childSolvers { name hwDetails { voltageV } } } } } }',
  pools: `query pools { bosminer { info { poolGroups { name pools { url user status active
    shares { acceptedSolutions rejectedSolutions } } } } } }`,
  tuning: `query tuning { bosminer { config { ... on BosminerConfig { autotuning { mode powerTarget hashrateTarget } } } } }`,
  events: 'query events { events { appeals { id kind message timestamp } } }',
  model: 'query model { bosminer { info { modelName } } }',
} as const;

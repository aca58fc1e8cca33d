// What is said to a FutureBit Apollo: one GraphQL address on port 5000, behind a login that yields a token (atlas 23).
import { z } from 'zod';
import type { WebSession } from '../../src/driver/contract.ts';
import { bearer } from '../../src/driver/kit/web/web-session.ts';

const PORT = 5000;
const PATH = '/api/graphql';

const LOGIN =
  'query Login($input: AuthLoginInput!) { Auth { login(input: $input) { result { accessToken } error { message } } } }';

/**
 * The machine, all its units, and whether the miner runs. Only what is read: one field that a build does not know fails
 * the whole question.
 */
const STATS = `{ Miner {
  stats { result { stats {
    statVersion version versions { miner }
    master { upTime boardsW intervals { int_0 { bySol errors } int_900 { interval bySol } } }
    slots { int_0 { chips temperature temperature1 ghs } }
    slaves { uid }
    fans { int_0 { rpm } }
    pool { host port userName diff intervals { int_0 { sharesAccepted sharesRejected inService } } }
  } } error { message } }
  online { result { online { status } } error { message } }
} }`;
const HOST = '{ Mcu { stats { result { stats { hostname network { name address mac } } } error { message } } } }';

const granted = z.looseObject({
  data: z.looseObject({
    Auth: z.looseObject({ login: z.looseObject({ result: z.looseObject({ accessToken: z.string() }) }) }),
  }),
});
const faulty = z.looseObject({ errors: z.array(z.looseObject({ message: z.string() })).min(1) });

const session: WebSession = {
  name: 'futurebit',
  open: ({ password }) => ({
    via: 'http',
    method: 'POST',
    path: PATH,
    json: { query: LOGIN, variables: { input: { password } } },
  }),
  grant: ({ body }) => bearer(granted.safeParse(body).data?.data.Auth.login.result.accessToken),
  // Refusals come with status 200 too; the query itself never fails with these words.
  isRefused: (answer) =>
    faulty
      .safeParse(answer)
      .data?.errors.some(({ message }) =>
        /unauth|not auth|jwt|(access|invalid|expired) token|log ?in/i.test(message),
      ) ?? false,
};

const post = (query: string) =>
  ({ via: 'http', method: 'POST', port: PORT, path: PATH, auth: session, json: { query }, as: 'json' }) as const;

export const statsQuery = post(STATS);
export const hostQuery = post(HOST);
export const mutation = (name: 'restart' | 'start' | 'stop') =>
  post(`mutation { Miner { ${name} { error { message } } } }`);

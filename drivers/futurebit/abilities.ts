// What is said to a FutureBit Apollo: one GraphQL address on port 5000, behind a login that yields a token (atlas 23).
// It is told to restart, stop and start the miner. Pools and power belong to settings without a known description.
import * as kit from '../../src/driver/kit/index.ts';
import { LOGIN } from './queries.data.ts';

const PATH = '/api/graphql';

const session = kit.tokenSession({
  name: 'futurebit',
  path: PATH,
  json: ({ password }) => ({ query: LOGIN, variables: { input: { password } } }),
  token: (answer) => answer.at('data', 'Auth', 'login', 'result').text('accessToken', 8_192),
  // Refusals come with status 200 too; the query itself never fails with these words.
  isEnded: (answer) =>
    answer
      .rows('errors')
      ?.some((error) =>
        /unauth|not auth|jwt|(access|invalid|expired) token|log ?in/i.test(error.text('message') ?? ''),
      ) === true,
});

export const query = (text: string) => kit.post(PATH, session, { port: 5_000, json: { query: text } });

const PATIENT = { deadlineMs: 20_000 };

export const abilities = {
  /** The miner starts anew, the computer around it does not. */
  reboot: kit.reboot([0, 60], (link) => change(link, 'restart')),
  powerMode: kit.modes({ offlineS: [0, 0], shownWithinS: 120 }, async (link, mode) => {
    if (mode === 'low' || mode === 'high') throw kit.unsupported(link, `set the mode ${mode} on`);
    return change(link, mode === 'sleep' ? 'stop' : 'start');
  }),
};

function change(link: kit.MinerLink, name: 'restart' | 'start' | 'stop'): Promise<kit.ActResult> {
  const request = query(`mutation { Miner { ${name} { error { message } } } }`);
  // Whatever the command is, its answer stands under its own name.
  const judge = (answer: kit.Answer): kit.Verdict => {
    const done = answer.at('data', 'Miner', name);
    const refusal = [answer.row('errors'), done.at('error')].find(({ isThere }) => isThere);
    if (refusal !== undefined) return { why: refusal.text('message', 200) ?? 'no', retry: 'later' };
    return done.isThere ? true : undefined;
  };
  return kit.command(link, `${name} the miner of`, request, judge, PATIENT);
}

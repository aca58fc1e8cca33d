// What GraphQL of Braiins OS can be told. HTTP says 200 whatever happens: what counts is the type of the answer's
// object.
import * as kit from '../../../src/driver/kit/index.ts';
import { errorWords, graphql, graphqlSession } from './asks.ts';
import { MUTATIONS, type Mutation, QUERIES } from './queries.data.ts';
import { tuningOf } from './read.ts';

const mutate = (link: kit.MinerLink, what: string, { at, already, query }: Mutation, variables?: object) => {
  const json = { query, ...(variables && { variables }) };
  const judge = (answer: kit.Answer) => verdict(answer, at, already);
  return kit.command(link, what, kit.post('/graphql', graphqlSession, { json }), judge);
};

function verdict(answer: kit.Answer, at: Mutation['at'], already: RegExp | undefined): kit.Verdict {
  const words = errorWords(answer);
  if (words !== undefined) return kit.refused(words);
  const outcome = answer.at('data', ...at);
  if (!outcome.isThere) return undefined;
  const type = outcome.text('__typename');
  const why = outcome.text('message') ?? (type?.endsWith('Error') ? type : undefined);
  if (why === undefined) return true;
  return already?.test(why) ? kit.SO_ALREADY : why;
}

export const reboot = (link: kit.MinerLink) => mutate(link, 'reboot', MUTATIONS.reboot);
export const setLight = (link: kit.MinerLink, enable: boolean) =>
  mutate(link, 'switch the light of', MUTATIONS.light, { enable });
export const pause = (link: kit.MinerLink) => mutate(link, 'put to sleep', MUTATIONS.stop);
export const wake = (link: kit.MinerLink) => mutate(link, 'wake', MUTATIONS.start);

/** Numbers and enums only: there is nothing in the query that could end it early. */
export function setTarget(link: kit.MinerLink, what: string, { value, unit }: kit.Target): Promise<kit.ActResult> {
  const input =
    unit === 'W' ? `mode: POWER_TARGET, powerTarget: ${value}` : `mode: HASHRATE_TARGET, hashrateTarget: ${value}`;
  const { at, query } = MUTATIONS.tuning;
  return mutate(link, what, { at, query: query.replace('$input', input) });
}

export async function targetNow(link: kit.MinerLink, { unit }: kit.Target): Promise<number | undefined> {
  const tuning = tuningOf(new kit.Answer(await link.send(graphql(QUERIES.tuning))));
  return tuning.number(unit === 'W' ? 'powerTarget' : 'hashrateTarget');
}

/** The mining program goes over to them when it restarts. */
export const setPools = (link: kit.MinerLink, wanted: readonly kit.WantedPool[]) => {
  const pools = wanted.map(({ url, user, password }) => ({ url, user, password }));
  const groups = [{ name: 'default', quota: 1, pools }];
  return kit.inTurn(
    () => mutate(link, 'change the pools of', MUTATIONS.groups, { groups }),
    () => mutate(link, 'restart the mining of', MUTATIONS.restart),
  );
};

export const log = (link: kit.MinerLink): Promise<string> => {
  const json = { query: QUERIES.log, variables: { target: 'BOSMINER' } };
  return kit.fetchLog(link, kit.post('/graphql', graphqlSession, { json }), (answer) => {
    const bos = answer.at('data', 'bos');
    const text = bos.list('log', Number.POSITIVE_INFINITY)?.join('\n') ?? bos.value('log');
    if (typeof text !== 'string') throw kit.unsupported(link, 'read the log of');
    return text;
  });
};

// GraphQL of Braiins OS (22.08 to 25.05; atlas 6.2): what is asked of it. Most versions need no login for reads, and
// none is given; changes go behind a cookie.
import * as kit from '../../../src/driver/kit/index.ts';
import { bareUnlessRefused } from '../login.ts';
import { LOGIN, QUERIES } from './queries.data.ts';

/** What an answer says went wrong, in the device's words; undefined when it has no errors. */
export function errorWords(answer: kit.Answer): string | undefined {
  const errors = answer.rows('errors', 8) ?? [];
  const words = errors.map((error) => error.text('message', 512) ?? '').join('; ');
  return errors.length === 0 ? undefined : words.slice(0, 512);
}

export const graphqlSession = bareUnlessRefused(
  kit.cookieSession({
    name: 'graphql',
    path: '/graphql',
    json: ({ user, password }) => ({ query: LOGIN, variables: { username: user, password } }),
    isGranted: (_answer, cookie = '') => cookie.includes('session_id='),
    isEnded: (answer) => /unauth|authenticat|log ?in|session/i.test(errorWords(answer) ?? ''),
  }),
  (status, body) => status === 200 && typeof body === 'object',
);

export const graphql = (query: string) => kit.post('/graphql', 'none', { json: { query } });

/** What says that the mining program was stopped; one that crashed is told by other words. */
const STOPPED = /not running|not started|stopped|paused|suspended/i;

/**
 * The mining program is stopped: the system answers, and has nothing of the program, or an error in its place that says
 * so.
 */
export function saysStopped(system: kit.Answer): boolean {
  const bosminer = system.at('data', 'bosminer');
  const info = bosminer.at('info');
  const errors = errorWords(system);
  if (errors !== undefined) return !info.isThere && STOPPED.test(errors);
  return bosminer.value('info') === null || STOPPED.test(info.text('message', 512) ?? '');
}

const isSystem = (answer: kit.Answer) => {
  const data = answer.at('data');
  return data.at('bos').isThere || data.at('bosminer').isThere || saysStopped(answer);
};

const goesWith = 'gqlSystem';
const hasData = (answer: kit.Answer) => answer.at('data').isThere;
/** Versions that do not know the query answer with errors: that is an answer, and says nothing. */
const needs = (answer: kit.Answer) => hasData(answer) || answer.value('errors') !== undefined;

export const graphqlAsks = {
  gqlSystem: { every: 'poll', insteadOf: 'details', ...graphql(QUERIES.system), needs: isSystem },
  gqlBoards: { every: 'poll', insteadOf: 'hashboards', goesWith, ...graphql(QUERIES.boards), needs: hasData },
  gqlVoltages: { every: 'slow', insteadOf: 'configuration', goesWith, ...graphql(QUERIES.voltages), needs },
  gqlPools: { every: 'slow', insteadOf: 'pools', goesWith, ...graphql(QUERIES.pools), needs },
  gqlTuning: { every: 'slow', insteadOf: 'configuration', goesWith, ...graphql(QUERIES.tuning), needs },
  gqlEvents: { every: 'slow', insteadOf: 'errors', goesWith, ...graphql(QUERIES.events), needs },
  gqlModel: { every: 'static', insteadOf: 'version', goesWith, ...graphql(QUERIES.model), needs },
  gqlSerials: { every: 'static', insteadOf: 'version', goesWith, ...graphql(QUERIES.serials), needs },
} satisfies Readonly<Record<string, kit.Question>>;

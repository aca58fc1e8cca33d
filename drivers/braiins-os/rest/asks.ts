// REST of Braiins OS (from 25.07, in part from 25.01; atlas 6.3): what is asked of it, behind a token.
import * as kit from '../../../src/driver/kit/index.ts';
import { bareUnlessRefused } from '../login.ts';

export const LOGIN_PATH = '/api/v1/auth/login';

/** The bare token, without a scheme. */
export const restSession = bareUnlessRefused(
  kit.tokenSession({
    name: 'rest',
    path: LOGIN_PATH,
    json: ({ user, password }) => ({ username: user, password }),
    token: (answer) => answer.text('token', 4_096),
    header: 'authorization',
    provesLogin: true,
  }),
);

export const apiPath = (path: string) => `/api/v1/${path}`;
export const rest = (path: string) => kit.get(apiPath(path), restSession);

/** A device that does not know the first of these has no REST at all. */
const goesWith = 'details';

export const restAsks = {
  details: { every: 'poll', ...rest('miner/details') },
  stats: { every: 'poll', goesWith, ...rest('miner/stats') },
  hashboards: { every: 'poll', goesWith, ...rest('miner/hw/hashboards') },
  cooling: { every: 'poll', goesWith, ...rest('cooling/state') },
  pools: { every: 'slow', goesWith, ...rest('pools'), needs: (groups) => groups.rows() !== undefined },
  configuration: { every: 'slow', goesWith, ...rest('configuration/miner') },
  tunerState: { every: 'slow', goesWith, ...rest('performance/tuner-state') },
  errors: { every: 'slow', goesWith, ...rest('miner/errors') },
  locate: { every: 'slow', goesWith, ...rest('actions/locate'), needs: ({ raw }) => typeof raw === 'boolean' },
  network: { every: 'static', goesWith, ...rest('network') },
  version: { every: 'static', goesWith, ...rest('version') },
} satisfies Readonly<Record<string, kit.Question>>;

// Innosilicon (T3 and A series): a web API where every call is posted behind a token, and CGMiner's API on TCP 4028 for
// reading (atlas 19).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, call } from './abilities.ts';
import { ASKS } from './asks.data.ts';
import { COVERS, FAMILIES } from './family.data.ts';
import { errorsOf, read } from './read.ts';

export const innosilicon = kit.defineDriver({
  id: 'innosilicon',
  make: 'Innosilicon',
  families: FAMILIES,
  covers: COVERS,
  asks: {
    all: {
      ...{ every: 'poll', ...call('getAll') },
      needs: (answer) => answer.at('all', 'total_hash').isThere || answer.at('all').rows('chain') !== undefined,
    },
    ...ASKS,
    fault: { every: 'slow', ...call('getErrorDetail'), needs: (answer) => errorsOf(answer) !== undefined },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 900 },
  read,
});

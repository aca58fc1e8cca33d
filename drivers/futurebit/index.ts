// FutureBit Apollo: a small computer with one or more hashing units, spoken to by GraphQL on port 5000 (atlas 23).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, query } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { HOST, STATS } from './queries.data.ts';
import { hostOf, read } from './read.ts';

export const futurebit = kit.defineDriver({
  id: 'futurebit',
  make: 'FutureBit',
  families: FAMILIES,
  covers: [
    { models: 'Apollo BTC, Apollo II', firmware: 'with GraphQL on port 5000', evidence: 'simulated' },
    { models: 'Apollo III, Apollo with units beside it', firmware: 'with GraphQL on port 5000', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', ...query(STATS), needs: (answer) => answer.at('data', 'Miner').isThere },
    host: { every: 'static', ...query(HOST), needs: (answer) => hostOf(answer).isThere },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'futurebit', password: 'futurebit123' } },
  quirks: { warmUpS: 300 },
  read,
});

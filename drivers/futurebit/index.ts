// FutureBit Apollo: a small computer with one or more hashing units, spoken to by GraphQL on port 5000 (atlas 23).
import { defineDriver } from '../../src/driver/contract.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { hostQuery, statsQuery } from './graphql.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

export const futurebit = defineDriver({
  id: 'futurebit',
  make: 'FutureBit',
  families: FAMILIES,
  covers: [
    { models: 'Apollo BTC, Apollo II', firmware: 'with GraphQL on port 5000', evidence: 'simulated' },
    { models: 'Apollo III, Apollo with units beside it', firmware: 'with GraphQL on port 5000', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', ...statsQuery },
    host: { every: 'static', ...hostQuery },
  },
  replies,
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'futurebit', password: 'futurebit123' } },
  quirks: { warmUpS: 300 },
  identify: (evidence) =>
    evidence.family === 'futurebit' ? { confidence: confidenceOf(evidence), make: 'FutureBit' } : undefined,
  read,
});

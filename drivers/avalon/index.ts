// Avalons (Canaan): the A series in full, and the home models Q, Mini and Nano. One question at a time, as their maker
// asks for.
import { defineDriver } from '../../src/driver/contract.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { identify } from './identify.ts';
import { read } from './read.ts';
import { lacksRate, replies } from './replies.ts';

const via = 'cgminer';

export const avalon = defineDriver({
  id: 'avalon',
  make: 'Avalon',
  families: FAMILIES,
  covers: [
    { models: 'A1246', firmware: '21072802', evidence: 'recording' },
    { models: 'Avalon Q', firmware: '25052801', evidence: 'recording' },
    { models: 'A1466', firmware: 'any with estats', evidence: 'simulated' },
    { models: 'A1047', firmware: '19120401, without a present rate', evidence: 'simulated' },
    { models: 'A10 to A15 series', firmware: 'any with estats or stats', evidence: 'claimed' },
    { models: 'Avalon 7, 8 and 9 series behind one controller', firmware: 'any with stats', evidence: 'claimed' },
    { models: 'Avalon Nano 3, Nano 3s, Mini 3', firmware: 'any with litestats or stats', evidence: 'claimed' },
  ],
  asks: {
    estats: { via, command: 'estats', every: 'poll', generations: ['a'] },
    stats: { via, command: 'stats', every: 'poll', generations: ['a'], insteadOf: 'estats' },
    litestats: { via, command: 'litestats', every: 'poll', generations: ['home'] },
    homeStats: { via, command: 'stats', every: 'poll', generations: ['home'], insteadOf: 'litestats' },
    summary: { via, command: 'summary', every: 'poll', generations: ['a'], insteadOf: 'estats', isLacking: lacksRate },
    version: { via, command: 'version', every: 'static' },
    pools: { via, command: 'pools', every: 'slow' },
  },
  replies,
  abilities,
  // Asked for by the pools alone.
  login: {
    kind: 'token',
    factoryDefault: { user: 'root', password: 'root' },
    factoryDefaultOf: { home: { user: 'admin', password: 'admin' } },
  },
  quirks: { gapMs: 50, warmUpS: 600 },
  identify,
  read,
});

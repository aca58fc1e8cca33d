// Avalons (Canaan): the A series in full, and the home models Q, Mini and Nano. One question at a time, as their maker
// asks for.
import * as kit from '../../src/driver/kit/index.ts';
import { moduleTexts } from '../_dialects/avalon.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { identify } from './identify.ts';
import { read } from './read.ts';

const [a, home] = [['a'], ['home']] as const;
const holdsTokens = (answer: kit.Answer) => moduleTexts(answer).some((text) => text.includes('['));
const poll = (command: string, needs: kit.Question['needs'] = holdsTokens) =>
  ({ ...kit.tcp(command), every: 'poll', ...(needs && { needs }) }) as const;

export const avalon = kit.defineDriver({
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
    estats: { ...poll('estats'), generations: a },
    stats: { ...poll('stats'), generations: a, insteadOf: 'estats' },
    litestats: { ...poll('litestats'), generations: home },
    homeStats: { ...poll('stats'), generations: home, insteadOf: 'litestats' },
    summary: { ...poll('summary', 'SUMMARY'), generations: a, insteadOf: 'estats', isLacking: lacksRate },
    version: { ...kit.tcp('version'), every: 'static', needs: 'VERSION' },
    pools: { ...kit.tcp('pools'), every: 'slow', needs: 'POOLS' },
  },
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

/** Builds of the A10 and older leave the present rate out of their stats: `summary` has it. */
function lacksRate(answer: unknown): boolean {
  const texts = moduleTexts(new kit.Answer(answer));
  return texts.length > 0 && !texts.some((text) => text.includes('GHSspd['));
}

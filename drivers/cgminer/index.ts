// The fallback for everything that speaks the CGMiner API and has no driver of its own: shows what can be read without
// knowing the device, and changes nothing on it.
import { defineDriver } from '../../src/driver/contract.ts';
import { isWholeCgminer, speaksCgminer } from '../../src/driver/proof.ts';
import { describe } from './describe.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

export const cgminer = defineDriver({
  id: 'cgminer',
  make: 'CGMiner',
  covers: [{ models: 'any device with the CGMiner API', firmware: 'any without a driver', evidence: 'simulated' }],
  asks: {
    summary: { every: 'poll', via: 'cgminer', command: 'summary' },
    devs: { every: 'poll', via: 'cgminer', command: 'devs' },
    stats: { every: 'poll', via: 'cgminer', command: 'stats' },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    version: { every: 'static', via: 'cgminer', command: 'version' },
  },
  replies,
  abilities: {},
  login: { kind: 'none' },
  // Some of these controllers take one client at a time and want a breath between two.
  quirks: { gapMs: 50 },
  identify({ version, devdetails, family }) {
    if (isWholeCgminer(version)) return { confidence: 'generic', ...describe(version, family) };
    const isHint = family === undefined && [version, devdetails].some((text) => speaksCgminer(text));
    return isHint ? { confidence: 'likely', ...describe(version, family) } : undefined;
  },
  read,
});

// The fallback for everything that speaks the CGMiner API and has no driver of its own: shows what can be read without
// knowing the device, and changes nothing on it.
import * as kit from '../../src/driver/kit/index.ts';
import { describe } from './describe.ts';
import { read } from './read.ts';

export const cgminer = kit.defineDriver({
  id: 'cgminer',
  make: 'CGMiner',
  covers: [{ models: 'any device with the CGMiner API', firmware: 'any without a driver', evidence: 'simulated' }],
  asks: {
    summary: { every: 'poll', ...kit.tcp('summary') },
    // A miner without devices answers with an error: it is then refused, and nothing else is lost.
    devs: { every: 'poll', ...kit.tcp('devs') },
    stats: { every: 'poll', ...kit.tcp('stats') },
    pools: { every: 'slow', ...kit.tcp('pools') },
    version: { every: 'static', ...kit.tcp('version') },
  },
  // Some of these controllers take one client at a time and want a breath between two.
  quirks: { gapMs: 50 },
  identify({ version, devdetails, family }) {
    const { row: _, ...described } = describe(kit.versionTexts(version), family);
    if (kit.isWholeCgminer(version)) return kit.present({ confidence: 'generic' as const, ...described });
    const isHint = family === undefined && [version, devdetails].some((text) => kit.speaksCgminer(text));
    return isHint ? kit.present({ confidence: 'likely' as const, ...described }) : undefined;
  },
  read,
});

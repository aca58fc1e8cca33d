// ePIC's firmware (UMC OS, PowerPlay) on Antminers and on ePIC's own machines: an HTTP API on the port where others
// have CGMiner (atlas 9).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities, resource } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { makeOf, read } from './read.ts';

const isList = (answer: kit.Answer) => (answer.rows() ?? []).length > 0;

export const epicUmcos = kit.defineDriver({
  id: 'epic-umcos',
  make: 'ePIC',
  families: FAMILIES,
  covers: [
    { models: 'Antminer S19 XP', firmware: 'PowerPlay-BMS 1.5.13', evidence: 'recording' },
    { models: 'Antminer S21, BlockMiner 720i', firmware: 'PowerPlay-BMS 1.17', evidence: 'simulated' },
    { models: 'Antminer S19, S21, T21 families, other BlockMiners', firmware: 'any UMC OS', evidence: 'claimed' },
    { models: 'ePIC SC200', firmware: 'epic-miner 2.x', evidence: 'claimed' },
  ],
  asks: {
    summary: {
      ...{ every: 'poll', ...resource('summary') },
      needs: (summary) => summary.text('Software') !== undefined || isSummary(summary),
    },
    temps: { every: 'poll', ...resource('temps'), needs: isList },
    hashrate: { every: 'slow', ...resource('hashrate'), needs: isList },
    network: {
      ...{ every: 'static', ...resource('network') },
      needs: (network) => network.at('dhcp').isThere || network.at('static').isThere,
    },
    capabilities: {
      ...{ every: 'static', ...resource('capabilities') },
      needs: (found) => found.text('Model') !== undefined || found.int('Max HBs', { min: 1, max: 63 }) !== undefined,
    },
  },
  abilities,
  login: { kind: 'token', factoryDefault: { user: 'root', password: 'letmein' } },
  quirks: { warmUpS: 900 },
  identify({ api4028 }, ours) {
    const reported = kit.toText(/"Model"\s*:\s*"([^"\\]{1,128})"/.exec(api4028?.body ?? '')?.[1]);
    const { row, model } = kit.knownModel('epic-umcos', reported);
    return ours && { confidence: ours.confidence, ...kit.present({ make: row?.make ?? makeOf(reported), model }) };
  },
  read,
});

function isSummary(summary: kit.Answer): boolean {
  return summary.rows('HBs') !== undefined || summary.at('Session').isThere;
}

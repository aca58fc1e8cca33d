// Antminers with Bitmain's own firmware, in three generations: A has forms where B and C have JSON, and tells less.
import { defineDriver } from '../../src/driver/contract.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { findAntminer } from '../../src/driver/kit/models/models.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { speaksOfBoards } from '../_dialects/bitmain.ts';
import { blinkQuestion } from '../_dialects/bitmain-forms.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { versionTexts } from '../_dialects/cgminer.ts';
import { isMskMiner } from '../_dialects/rwglr.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { generationOf } from './generation.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

export const antminerStock = defineDriver({
  id: 'antminer-stock',
  make: 'Antminer',
  families: FAMILIES,
  ipReport: BITMAIN_IP_REPORT,
  covers: [
    { models: 'S19 Pro', firmware: 'stock, built from 2020 on', evidence: 'recording' },
    { models: 'S19, T19 and S21 families', firmware: 'stock, built from 2020 on', evidence: 'simulated' },
    { models: 'S17, L7, L9, K, KS, D, E, HS series', firmware: 'stock, built from 2020 on', evidence: 'claimed' },
    { models: 'S9, L3+, S17', firmware: 'stock, built before 2020', evidence: 'simulated' },
    {
      models: 'T9, D3, E3, Z11, S9k, S15, T15, T17 and others',
      firmware: 'stock, built before 2020',
      evidence: 'claimed',
    },
  ],
  asks: {
    // Builds that do not know the flag ignore it and answer the classic form.
    stats: { every: 'poll', via: 'cgminer', command: 'stats', newApi: true },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    version: { every: 'static', via: 'cgminer', command: 'version' },
    // Often port 4028 is shut and the web is not, or it tells less.
    statsPage: {
      every: 'poll',
      generations: ['b', 'c'],
      insteadOf: 'stats',
      isLacking: (answer) => !speaksOfBoards(new Answer(answer)),
      ...page('stats.cgi'),
    },
    poolsPage: { every: 'slow', generations: ['b', 'c'], insteadOf: 'pools', ...page('pools.cgi') },
    summary: { every: 'slow', generations: ['b', 'c'], ...page('summary.cgi') },
    conf: { every: 'slow', ...page('get_miner_conf.cgi') },
    blink: { every: 'slow', generations: ['b', 'c'], ...page('get_blink_status.cgi') },
    // Old devices that do not have the page are asked by a form, which only they understand.
    oldBlink: { every: 'slow', generations: ['a'], ...page('get_blink_status.cgi') },
    oldBlinkForm: { every: 'slow', generations: ['a'], insteadOf: 'oldBlink', ...blinkQuestion },
    system: { every: 'static', ...page('get_system_info.cgi') },
    minerType: { every: 'static', generations: ['c'], ...page('miner_type.cgi') },
    warning: { every: 'slow', generations: ['c'], ...helper('/warning') },
    power: { every: 'slow', generations: ['c'], ...helper('/miner_power') },
  },
  replies,
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version } = evidence;
    const isCommunity = family === 'mskminer' && !isMskMiner(evidence);
    if (family !== 'antminer-stock' && !isCommunity) return undefined;
    const texts = versionTexts(version);
    const generation = isCommunity ? ('a' as const) : generationOf(texts.CompileTime, texts.Type);
    const model = findAntminer(texts.Type)?.model ?? texts.Type;
    return {
      confidence: confidenceOf(evidence),
      make: 'Antminer',
      ...(generation && { generation }),
      ...(model && { model }),
      ...(texts.CompileTime && { firmwareVersion: texts.CompileTime }),
    };
  },
  read,
});

/** Small helper of the newest builds, without login. Most machines keep the port shut. */
function helper(path: string) {
  return { via: 'http', method: 'GET', port: 6060, path, auth: 'none', as: 'text' } as const;
}

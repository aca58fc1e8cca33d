// Antminers with Bitmain's own firmware, in three generations: A has forms where B and C have JSON, and tells less.
import * as kit from '../../src/driver/kit/index.ts';
import { speaksOfBoards } from '../_dialects/bitmain.ts';
import { blinkQuestion, isBlinkingForm } from '../_dialects/bitmain-forms.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { PAGES, TCP_ASKS } from '../_dialects/bitmain-reading.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { isMskMiner } from '../_dialects/rwglr.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { generationOf } from './generation.ts';
import { read, warningIn, wattsIn } from './read.ts';

const { summary, conf, blink, system } = PAGES;
const [OLD, LATER, NEWEST] = [['a'], ['b', 'c'], ['c']];
/** Small helper of the newest builds, without login. Most machines keep the port shut. */
const helper = (path: string) =>
  ({ every: 'slow', generations: NEWEST, ...kit.asText(kit.get(path, 'none', { port: 6060 })) }) as const;

export const antminerStock = kit.defineDriver({
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
    ...TCP_ASKS,
    // Builds that do not know the flag ignore it and answer the classic form.
    stats: { ...TCP_ASKS.stats, newApi: true },
    // Often port 4028 is shut and the web is not, or it tells less.
    statsPage: {
      ...{ every: 'poll', generations: LATER, ...page('stats.cgi'), insteadOf: 'stats' },
      isLacking: (answer) => !speaksOfBoards(new kit.Answer(answer)),
    },
    poolsPage: { every: 'slow', generations: LATER, insteadOf: 'pools', ...page('pools.cgi') },
    summary: { generations: LATER, ...summary },
    conf,
    blink: { generations: LATER, ...blink },
    // Old devices that do not have the page are asked by a form, which only they understand.
    oldBlink: { generations: OLD, ...blink },
    oldBlinkForm: {
      ...{ every: 'slow', generations: OLD, insteadOf: 'oldBlink', ...blinkQuestion },
      needs: (answer) => isBlinkingForm(answer) !== undefined,
    },
    system,
    minerType: { every: 'static', generations: NEWEST, ...page('miner_type.cgi') },
    warning: { ...helper('/warning'), needs: (page) => warningIn(page) !== undefined },
    power: { ...helper('/miner_power'), needs: (page) => wattsIn(page) !== undefined },
  },
  abilities,
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  identify(evidence, ours) {
    const { family, version } = evidence;
    const isCommunity = family === 'mskminer' && !isMskMiner(evidence);
    if (ours === undefined && !isCommunity) return undefined;
    const { CompileTime: firmwareVersion, Type } = kit.versionTexts(version);
    return kit.present({
      confidence: kit.confidenceOf(evidence),
      make: 'Antminer',
      generation: isCommunity ? 'a' : generationOf(firmwareVersion, Type),
      model: kit.findAntminer(Type)?.model ?? Type,
      firmwareVersion,
    });
  },
  read,
});

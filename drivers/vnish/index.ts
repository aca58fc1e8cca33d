// VNish (AnthillOS) on Antminer hardware: a JSON API under /api/v1, reads without login, and CGMiner words on TCP
// beside it (atlas 8).
import * as kit from '../../src/driver/kit/index.ts';
import { abilities } from './abilities.ts';
import { FAMILIES } from './family.data.ts';
import { modelOf, read } from './read.ts';
import { open } from './requests.ts';

export const vnish = kit.defineDriver({
  id: 'vnish',
  make: 'Antminer',
  families: FAMILIES,
  covers: [
    // The units of its rates are in no recording.
    { models: 'Antminer L3+, L7, L9, S17, S19, S21, T19, T21 families', firmware: 'any VNish', evidence: 'claimed' },
  ],
  asks: {
    summary: { every: 'poll', ...open('summary') },
    // The uptime is here.
    info: { every: 'poll', ...open('info') },
    status: { every: 'slow', ...open('status') },
    perf: { every: 'slow', ...open('perf-summary') },
    tcpPools: { every: 'slow', ...kit.tcp('pools'), needs: 'POOLS' },
    factory: { every: 'static', ...open('chains/factory-info') },
    // What the versions before AnthillOS have in place of the web's summary.
    tcpStats: { every: 'poll', insteadOf: 'summary', ...kit.tcp('stats'), needs: 'STATS' },
    tcpSummary: { every: 'poll', insteadOf: 'summary', ...kit.tcp('summary'), needs: 'SUMMARY' },
  },
  abilities,
  login: { kind: 'session', factoryDefault: { user: 'admin', password: 'admin' } },
  quirks: { warmUpS: 900 },
  identify({ version }, ours) {
    const { Type: type } = kit.versionTexts(version);
    const [, firmwareVersion] = /vnish[^\d"]{0,16}(\d+(?:\.\d+){1,3})/i.exec(version?.slice(0, 4_096) ?? '') ?? [];
    return ours && { ...ours, ...kit.present({ model: modelOf(type)?.model ?? type, firmwareVersion }) };
  },
  read,
});

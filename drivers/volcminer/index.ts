// VolcMiner scrypt miners with the maker's firmware (atlas 21, 26): over the web, and where that says nothing over
// their CGMiner port, 8359. A Hammer that was seen on its web page alone is read here too, and called by its own name.
import { defineDriver } from '../../src/driver/contract.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { speaksOfBoards } from '../_dialects/bitmain.ts';
import { reboot } from '../_dialects/bitmain-actions.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { speaksCgminer, whichBlackMiner } from '../_dialects/black-miner.ts';
import { versionTexts } from '../_dialects/cgminer.ts';
import { FAMILIES } from './family.data.ts';
import { pools } from './pools.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';
import { lacksRates } from './wrapped.ts';

function onPort(command: 'stats' | 'summary' | 'pools' | 'version' | 'devs') {
  return { via: 'cgminer', command, port: 8359 } as const;
}

const wrapped = (name: string) => ({ ...page(name), as: 'text' }) as const;

const lacksType = (answer: unknown) => replies.shape.system.parse(answer)?.minertype === undefined;

export const volcminer = defineDriver({
  id: 'volcminer',
  make: 'VolcMiner',
  families: FAMILIES,
  ipReport: BITMAIN_IP_REPORT,
  covers: [{ models: 'VolcMiner D1', firmware: 'stock', evidence: 'recording' }],
  asks: {
    status: { every: 'poll', ...page('get_miner_status.cgi') },
    system: { every: 'static', ...page('get_system_info.cgi') },
    // The pages of newer builds.
    statusV1: { every: 'poll', insteadOf: 'status', isLacking: lacksRates, ...wrapped('get_miner_statusV1.cgi') },
    systemV1: { every: 'static', insteadOf: 'system', isLacking: lacksType, ...wrapped('get_system_infoV1.cgi') },
    // Where the web is shut, or lets us not in, the CGMiner API tells nearly as much.
    stats: { every: 'poll', insteadOf: 'status', ...onPort('stats') },
    summary: { every: 'poll', insteadOf: 'status', ...onPort('summary') },
    pools: { every: 'poll', insteadOf: 'status', ...onPort('pools') },
    version: { every: 'static', insteadOf: 'system', ...onPort('version') },
    devs: {
      every: 'poll',
      insteadOf: 'stats',
      isLacking: (answer) => !speaksOfBoards(new Answer(answer)),
      ...onPort('devs'),
    },
  },
  replies,
  abilities: { reboot, pools },
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'ltc@dog' } },
  quirks: { warmUpS: 900 },
  identify(evidence) {
    const { family, version, web } = evidence;
    const texts = versionTexts(version);
    if (family === 'volcminer') {
      const model = whichBlackMiner(texts.Type)?.model;
      return { confidence: confidenceOf(evidence), make: 'VolcMiner', ...(model && { model }) };
    }
    // The words of the login are Hammer's too. A Hammer also answers on TCP 4028; where no answer comes, it is more
    // likely one of these.
    const isOpen = family === 'hammer' && !speaksCgminer(version);
    return isOpen && web?.authenticate?.includes('blackMiner') ? { confidence: confidenceOf(evidence) } : undefined;
  },
  read,
});

// VolcMiner scrypt miners with the maker's firmware (atlas 21, 26): over the web, and where that says nothing over
// their CGMiner port, 8359. A Hammer that was seen on its web page alone is read here too, and called by its own name.
import * as kit from '../../src/driver/kit/index.ts';
import { speaksOfBoards } from '../_dialects/bitmain.ts';
import { reboot } from '../_dialects/bitmain-actions.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { BLACK_MINER, speaksCgminer, whichBlackMiner } from '../_dialects/black-miner.ts';
import { pools } from './abilities.ts';
import { ASKS, PORT } from './asks.data.ts';
import { FAMILIES } from './family.data.ts';
import { isStatus, lacksRates, unwrapped } from './pages.ts';
import { read } from './read.ts';

const lacksType = (answer: unknown) => new kit.Answer(answer).text('minertype') === undefined;

export const volcminer = kit.defineDriver({
  id: 'volcminer',
  make: 'VolcMiner',
  families: FAMILIES,
  ipReport: BITMAIN_IP_REPORT,
  covers: [{ models: 'VolcMiner D1', firmware: 'stock', evidence: 'recording' }],
  asks: {
    ...ASKS,
    // The pages of newer builds.
    statusV1: {
      ...{ every: 'poll', insteadOf: 'status', isLacking: lacksRates, ...kit.asText(page('get_miner_statusV1.cgi')) },
      needs: ({ raw }) => isStatus(unwrapped(raw)),
    },
    systemV1: {
      ...{ every: 'static', insteadOf: 'system', isLacking: lacksType, ...kit.asText(page('get_system_infoV1.cgi')) },
      needs: ({ raw }) => unwrapped(raw).isThere,
    },
    devs: {
      ...{ every: 'poll', insteadOf: 'stats', ...kit.tcp('devs'), ...PORT },
      isLacking: (answer) => !speaksOfBoards(new kit.Answer(answer)),
    },
  },
  abilities: { reboot, pools },
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'ltc@dog' } },
  quirks: { warmUpS: 900 },
  identify({ family, version }, ours) {
    if (family !== BLACK_MINER.id)
      return ours && kit.present({ ...ours, model: whichBlackMiner(kit.versionTexts(version).Type)?.model });
    // A Hammer also answers on TCP 4028; where no answer comes, it is more likely one of these.
    return ours && !speaksCgminer(version) ? { confidence: ours.confidence } : undefined;
  },
  read,
});

// Hammer scrypt miners and the Blackminers that they come from, with the makers' firmware: classic CGMiner statistics,
// and a web behind a digest login (atlas 22, 26).
import { type Ability, defineDriver } from '../../src/driver/contract.ts';
import { unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { confidenceOf } from '../../src/driver/proof.ts';
import { light, reboot } from '../_dialects/bitmain-actions.ts';
import { bitmainBody } from '../_dialects/bitmain-conf.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { confPools } from '../_dialects/bitmain-pools.ts';
import { systemReply } from '../_dialects/bitmain-schemas.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { speaksCgminer, whichBlackMiner } from '../_dialects/black-miner.ts';
import { versionTexts } from '../_dialects/cgminer.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';
import { replies } from './replies.ts';

/**
 * Where VolcMiner, the same maker's kind, has its API: the other public reader of these devices asks a Hammer there
 * too.
 */
const OTHER_PORT = 8359;

/**
 * Which keys it needs is not known: it gets those that it tells, and those that Bitmain's web wants under other names.
 */
const hammerPools = confPools((conf, wanted) => ({ ...conf, ...bitmainBody(conf, { pools: wanted }) }));
const pools: Ability = {
  ...hammerPools,
  act(link, params, known, image) {
    if (known.make !== 'Blackminer') return hammerPools.act(link, params, known, image);
    throw unsupported(link, 'set the pools of', 'a Blackminer takes its coin and its clock along with them');
  },
};

export const hammer = defineDriver({
  id: 'hammer',
  make: 'Hammer',
  families: FAMILIES,
  ipReport: BITMAIN_IP_REPORT,
  covers: [
    { models: 'Hammer D10', firmware: 'stock', evidence: 'recording' },
    { models: 'Blackminer F1, F1+, F1-ULTRA, F1-MINI, F2', firmware: 'stock', evidence: 'claimed' },
  ],
  asks: {
    stats: { every: 'poll', via: 'cgminer', command: 'stats' },
    pools: { every: 'slow', via: 'cgminer', command: 'pools' },
    version: { every: 'static', via: 'cgminer', command: 'version' },
    statsElsewhere: { every: 'poll', via: 'cgminer', command: 'stats', port: OTHER_PORT, insteadOf: 'stats' },
    poolsElsewhere: { every: 'slow', via: 'cgminer', command: 'pools', port: OTHER_PORT, insteadOf: 'pools' },
    versionElsewhere: { every: 'static', via: 'cgminer', command: 'version', port: OTHER_PORT, insteadOf: 'version' },
    blink: { every: 'slow', ...page('get_blink_status.cgi') },
    conf: { every: 'slow', ...page('get_miner_conf.cgi') },
    system: { every: 'static', ...page('get_system_info.cgi') },
  },
  replies,
  abilities: {
    reboot,
    light: light(String),
    pools,
  },
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  /** On its start page alone it cannot be told from a VolcMiner: its name is behind the login. */
  afterLogin: {
    mayBe: ({ family, version }) => family === 'hammer' && version === undefined,
    ask: page('get_system_info.cgi'),
    identify(answer) {
      const { minertype, hostname } = systemReply.safeParse(answer).data ?? {};
      const device = whichBlackMiner(minertype, hostname);
      if (device === undefined || device.make === 'VolcMiner') return undefined;
      return { confidence: 'sure', make: device.make, ...(device.model && { model: device.model }) };
    },
  },
  identify(evidence) {
    const { family, version } = evidence;
    if (family !== 'hammer' || !speaksCgminer(version)) return undefined;
    const texts = versionTexts(version);
    const device = whichBlackMiner(texts.Type);
    if (device?.make === 'VolcMiner') return undefined;
    return {
      confidence: confidenceOf(evidence),
      ...(device && { make: device.make }),
      ...(device?.model && { model: device.model }),
      ...(texts.CompileTime && { firmwareVersion: texts.CompileTime }),
    };
  },
  read,
});

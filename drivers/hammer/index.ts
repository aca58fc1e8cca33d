// Hammer scrypt miners and the Blackminers that they come from, with the makers' firmware: classic CGMiner statistics,
// and a web behind a digest login (atlas 22, 26).
import * as kit from '../../src/driver/kit/index.ts';
import { light, reboot } from '../_dialects/bitmain-actions.ts';
import { bitmainBody, confPools } from '../_dialects/bitmain-conf.ts';
import { BITMAIN_IP_REPORT } from '../_dialects/bitmain-ip-report.ts';
import { PAGES, TCP_ASKS } from '../_dialects/bitmain-reading.ts';
import { BLACK_MINER, speaksCgminer, whichBlackMiner } from '../_dialects/black-miner.ts';
import { FAMILIES } from './family.data.ts';
import { read } from './read.ts';

/**
 * Where VolcMiner, the same maker's kind, has its API: the other public reader of these devices asks a Hammer there
 * too.
 */
const OTHER_PORT = { port: 8359 };

const body = bitmainBody();
/**
 * Which keys it needs is not known: it gets those that it tells, and those that Bitmain's web wants under other names.
 */
const hammerPools = confPools((conf, changes, known) => ({ ...conf.fields, ...body(conf, changes, known) }));
const pools: kit.Ability = {
  ...hammerPools,
  act(link, params, known, image) {
    if (known.make !== 'Blackminer') return hammerPools.act(link, params, known, image);
    throw kit.unsupported(link, 'set the pools of', 'a Blackminer takes its coin and its clock along with them');
  },
};

const { blink, conf, system } = PAGES;

export const hammer = kit.defineDriver({
  id: 'hammer',
  make: 'Hammer',
  families: FAMILIES,
  ipReport: BITMAIN_IP_REPORT,
  covers: [
    { models: 'Hammer D10', firmware: 'stock', evidence: 'recording' },
    { models: 'Blackminer F1, F1+, F1-ULTRA, F1-MINI, F2', firmware: 'stock', evidence: 'claimed' },
  ],
  asks: {
    ...TCP_ASKS,
    statsElsewhere: { ...TCP_ASKS.stats, ...OTHER_PORT, insteadOf: 'stats' },
    poolsElsewhere: { ...TCP_ASKS.pools, ...OTHER_PORT, insteadOf: 'pools' },
    versionElsewhere: { ...TCP_ASKS.version, ...OTHER_PORT, insteadOf: 'version' },
    ...{ blink, conf, system },
  },
  abilities: { reboot, light: light(String), pools },
  login: { kind: 'digest', factoryDefault: { user: 'root', password: 'root' } },
  quirks: { warmUpS: 900 },
  /** On its start page alone it cannot be told from a VolcMiner: its name is behind the login. */
  afterLogin: {
    mayBe: ({ family, version }) => family === BLACK_MINER.id && version === undefined,
    ask: system,
    identify(answer) {
      const page = new kit.Answer(answer);
      return identityOf('sure', page.text('minertype'), page.text('hostname'));
    },
  },
  identify({ version }, ours) {
    if (ours === undefined || !speaksCgminer(version)) return undefined;
    const { Type, CompileTime } = kit.versionTexts(version);
    const identity =
      whichBlackMiner(Type) === undefined ? { confidence: ours.confidence } : identityOf(ours.confidence, Type);
    return identity && { ...identity, ...(CompileTime && { firmwareVersion: CompileTime }) };
  },
  read,
});

/** Undefined for a VolcMiner, and where no name counts. */
function identityOf(
  confidence: kit.Identity['confidence'],
  ...names: readonly (string | undefined)[]
): kit.Identity | undefined {
  const { make, model } = whichBlackMiner(...names) ?? {};
  return make === undefined || make === 'VolcMiner' ? undefined : { confidence, make, ...(model && { model }) };
}

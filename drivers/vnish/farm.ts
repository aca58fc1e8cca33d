// Antminers with VNish as variants of the farm: the web with its API, and CGMiner words on TCP. Atlas section 8.
import { standardPool } from '../_farm/cgminer-answers.ts';
import type { SimDevice, SimulatedDevices, Variant } from '../_farm/device.ts';
import { type Command, cgminerServer, envelope, REFUSALS, type Said } from '../_farm/servers/cgminer-api.ts';
import type { SimServer } from '../_farm/servers/listener.ts';
import { VNISH_MODELS, type VnishModel } from './farm.data.ts';
import { unitHs, vnishFacts, vnishTruth } from './farm-facts.ts';
import { OLD_VNISH_VARIANTS } from './farm-old.ts';
import { vnishWebServer } from './farm-web.ts';

const VNISH_VARIANTS: readonly Variant[] = VNISH_MODELS.map((model) => ({
  family: 'vnish',
  driver: 'vnish',
  spec: model,
  login: { user: 'admin', password: 'admin' },
  servers: (device) => [vnishWebServer(device, model), tcpServer(device, model)],
  truth: (device) => vnishTruth(device, model),
}));

export const simulated: SimulatedDevices = { shares: { vnish: 3 }, usual: VNISH_VARIANTS, rare: OLD_VNISH_VARIANTS };

function tcpServer(device: SimDevice, model: VnishModel): SimServer {
  const word = (code: number, msg: string, content: Readonly<Record<string, unknown>> = {}, level: 'S' | 'E' = 'S') =>
    envelope(device.nowS(), 'cgminer 4.11.1', { code, msg, level }, content);
  const say = ({ name }: Command): Said | undefined => {
    switch (name) {
      case 'version': {
        const Type = `${model.reportedAs} (Vnish ${model.firmware})`;
        return {
          reply: word(22, 'CGMiner versions', {
            VERSION: [{ CGMiner: '4.11.1', API: '3.7', Miner: '49.0.1.3', Type }],
          }),
        };
      }
      case 'summary':
        return { reply: word(11, 'Summary', { SUMMARY: [summary(device, model)] }) };
      case 'stats': {
        const head = { Type: `${model.reportedAs} (Vnish ${model.firmware})`, Miner: '49.0.1.3' };
        return { reply: word(70, 'CGMiner stats', { STATS: [head, stats(device, model)] }) };
      }
      case 'pools': {
        const POOLS = device.settings.pools.map((pool, index) => standardPool(device, pool, index));
        return { reply: word(7, `${POOLS.length} Pool(s)`, { POOLS }) };
      }
      default:
        return undefined;
    }
  };
  return cgminerServer(device, {
    port: device.site.port(4028),
    atOnce: 1,
    waiting: 100,
    ending: '\0',
    say,
    refuse: (code) => word(code, REFUSALS[code], {}, 'E'),
  });
}

const ghs = (model: VnishModel, rate: number) => (rate * unitHs(model)) / 1e9;

function summary(device: SimDevice, model: VnishModel): object {
  const facts = vnishFacts(device, model);
  const { accepted, rejected, stale } = device.shares();
  return {
    Elapsed: device.uptimeS(),
    'GHS 5s': ghs(model, facts.rate),
    'GHS av': ghs(model, facts.averageRate),
    Accepted: accepted,
    Rejected: rejected,
    Stale: stale,
    'Hardware Errors': 0,
  };
}

/** The flat form of the firmware that it replaced. */
function stats(device: SimDevice, model: VnishModel): object {
  const facts = vnishFacts(device, model);
  const found: Record<string, unknown> = {
    STATS: 0,
    ID: 'BTM_SOC0',
    Elapsed: device.uptimeS(),
    'GHS 5s': ghs(model, facts.rate),
    'GHS av': ghs(model, facts.averageRate),
    miner_count: facts.chains.length,
    total_rateideal: ghs(model, facts.nominalRate),
    total_rate: ghs(model, facts.rate),
    state: facts.state,
    fan_num: facts.fans.length,
    fan_pwm: 80,
  };
  for (const [index, rpm] of facts.fans.entries()) found[`fan${index + 1}`] = rpm;
  for (const chain of facts.chains) {
    const chips = chain.isDead ? 0 : model.chipsPerBoard;
    found[`chain_acn${chain.id}`] = chips;
    found[`chain_acs${chain.id}`] = 'o'.repeat(chips);
    found[`chain_rate${chain.id}`] = ghs(model, chain.rate).toFixed(2);
    found[`chain_rateideal${chain.id}`] = ghs(model, chain.ideal);
    found[`chain_hw${chain.id}`] = chain.hwErrors;
    found[`chain_state${chain.id}`] = chain.isDead ? 'failure' : facts.state;
    found[`chain_consumption${chain.id}`] = 0;
    found[`temp${chain.id}`] = chain.boardC;
    found[`temp2_${chain.id}`] = chain.chipC;
    found[`temp_pcb${chain.id}`] = `${chain.boardC - 20}-${chain.boardC}`;
    found[`temp_chip${chain.id}`] = `${chain.chipC - 20}-${chain.chipC}`;
    found[`freq_avg${chain.id}`] = model.frequencyMhz;
  }
  return found;
}

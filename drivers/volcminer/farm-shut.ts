// A VolcMiner whose owner has shut its web.
import { blackMinerFacts, blackMinerTruth } from '../_farm/black-miner/facts.ts';
import type { BlackMinerModel } from '../_farm/black-miner/models.data.ts';
import { blackMinerTcpServer } from '../_farm/black-miner/tcp.ts';
import type { SimDevice, Variant } from '../_farm/device.ts';
import type { Truth } from '../_farm/truth.ts';
import { counted } from '../_farm/truth-parts.ts';
import { VOLCMINER_MODELS } from './farm.data.ts';

const API_PORT = 8359;

export const SHUT_VOLCMINER_VARIANTS: readonly Variant[] = VOLCMINER_MODELS.filter(
  ({ apiPort }) => apiPort === API_PORT,
)
  .slice(0, 1)
  .map((model) => ({
    family: 'volcminer-shut',
    driver: 'volcminer',
    spec: model,
    servers: (device) => [blackMinerTcpServer(device, model, API_PORT)],
    truth: (device) => byPort(device, model),
  }));

/**
 * The port names one sensor of each board, and has the difficulty of the shares; who it is in the network it does not
 * tell.
 */
function byPort(device: SimDevice, model: BlackMinerModel): Truth {
  const { boards, pools } = blackMinerFacts(device, model);
  const temps = boards.flatMap(({ isPresent, sensorsC: [first] }) => (isPresent ? [first] : []));
  return {
    ...blackMinerTruth(device, model),
    mac: '',
    hostname: null,
    firmware_version: model.compileTime,
    temp: temps.length === 0 ? null : Math.max(...temps),
    pools: counted(pools),
  };
}

// A Sealminer whose owner has shut TCP 4028.
import type { SimDevice, Variant } from '../_farm/device.ts';
import type { Truth } from '../_farm/truth.ts';
import { uncounted } from '../_farm/truth-parts.ts';
import { SEALMINER_MODELS } from './farm.data.ts';
import { sealminerFacts, sealminerTruth } from './farm-facts.ts';
import { sealminerWebServer } from './farm-web.ts';

export const SHUT_SEALMINER_VARIANTS: readonly Variant[] = SEALMINER_MODELS.slice(0, 1).map((model) => ({
  family: 'sealminer-shut',
  driver: 'sealminer',
  spec: model,
  login: { user: 'seal', password: 'seal' },
  servers: (device) => [
    sealminerWebServer(device, model, {
      awake: 'normal',
      poolsAfterReboot: undefined,
      limitAfterReboot: undefined,
    }),
  ],
  truth: (device) => byPages(device, sealminerTruth(device, model)),
}));

/**
 * The start page behind the login has the rate since the start, the uptime and the pools with their shares, and nothing
 * of boards, fans and supply.
 */
function byPages(device: SimDevice, whole: Truth): Truth {
  const { averageMhs, ratedMhs } = sealminerFacts(device);
  return {
    ...whole,
    is_mining: averageMhs > 0,
    mining_mode: averageMhs > 0 ? whole.mining_mode : null,
    hashrate: averageMhs * 1e6,
    expected_hashrate: averageMhs > 0 ? ratedMhs * 1e6 : null,
    power: null,
    temp: null,
    hashboards: [],
    fans: [],
    pools: uncounted(device.settings.pools),
    psus: [],
    errors: [],
  };
}

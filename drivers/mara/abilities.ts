// What MARA firmware can be told (atlas 14): reboot, light, modes, pools, and to show its log. Whether it obeyed is
// found out by looking, not here.
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { fetchLog } from '../../src/driver/kit/act/device-log.ts';
import { THEY_WERE_SO } from '../../src/driver/kit/act/outcomes.ts';
import { light, log, pools, reboot } from '../../src/driver/kit/act/usual-abilities.ts';
import { hasPools } from '../_dialects/bitmain-pools.ts';
import { powerMode } from './power.ts';
import { readConfig, resource, write } from './requests.ts';

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: reboot([40, 180], (link) => write(link, 'reboot', 'maintenance', { type: 'reboot' })),
  light: light((link, on) => write(link, 'switch the light of', 'locate_miner', { blinking: on })),
  powerMode,
  pools: pools({
    offlineS: [0, 60],
    atMost: 3,
    async set(link, wanted) {
      const what = 'set the pools of';
      const config = await readConfig(link, what);
      if (hasPools(config.pools, wanted)) return THEY_WERE_SO;
      // Groups share the work between them: one that has no pools any more must not keep its share.
      const group = { alias: 'main', ...config['pool-group'][0], percent: 100 };
      const { gid = 0 } = config['pool-group'][0] ?? {};
      return write(link, what, 'miner_config', {
        ...config,
        pools: wanted.map(({ url, user, password }) => ({ url, user, pass: password, gid })),
        'pool-group': [{ gid, ...group }],
      });
    },
    shownWithinS: 120,
  }),
  log: log((link) => fetchLog(link, { ...resource('log'), as: 'text' })),
};

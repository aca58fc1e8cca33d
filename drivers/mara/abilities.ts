// What MARA firmware can be told (atlas 14): reboot, light, modes, pools, and to show its log. Whether it obeyed is found out by looking, not here.
import { z } from 'zod';
import type { Ability, AbilityName } from '../../src/driver/contract.ts';
import { hasPools } from '../_families/bitmain-pools.ts';
import { fetchLog } from '../_families/device-log.ts';
import { poolParams, showsPools } from '../_families/pool-params.ts';
import { powerMode } from './power.ts';
import { readConfig, resource, write } from './requests.ts';

const lightParams = z.looseObject({ on: z.boolean() });

const POOLS = 3;
const threePools = poolParams.refine(({ pools }) => pools.length <= POOLS);

export const abilities: Readonly<Partial<Record<AbilityName, Ability>>> = {
  reboot: {
    effect: 'once',
    offlineS: [40, 180],
    params: z.looseObject({}),
    act: (link) => write(link, 'reboot', 'maintenance', { type: 'reboot' }),
  },
  light: {
    effect: 'repeatable',
    offlineS: [0, 0],
    params: lightParams,
    act: (link, params) =>
      write(link, 'switch the light of', 'locate_miner', { blinking: lightParams.parse(params).on }),
    shows: ({ isLightOn }, params) =>
      isLightOn === undefined ? undefined : isLightOn === lightParams.safeParse(params).data?.on,
  },
  powerMode,
  pools: {
    effect: 'once',
    offlineS: [0, 60],
    params: threePools,
    async act(link, params) {
      const wanted = threePools.parse(params).pools;
      const what = 'set the pools of';
      const config = await readConfig(link, what);
      if (hasPools(config.pools, wanted)) return { kind: 'accepted', note: 'they were so already' };
      // Groups share the work between them: one that has no pools any more must not keep its share.
      const group = { alias: 'main', ...config['pool-group'][0], percent: 100 };
      const { gid = 0 } = config['pool-group'][0] ?? {};
      return write(link, what, 'miner_config', {
        ...config,
        pools: wanted.map(({ url, user, password }) => ({ url, user, pass: password, gid })),
        'pool-group': [{ gid, ...group }],
      });
    },
    shows: showsPools,
    shownWithinS: 120,
  },
  log: {
    effect: 'read-only',
    offlineS: [0, 0],
    params: z.looseObject({}),
    act: (link) => fetchLog(link, { ...resource('log'), as: 'text' }),
  },
};

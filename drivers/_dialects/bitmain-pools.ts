// Pools that are a key of the whole configuration of Bitmain's 2020 web (atlas 3.4): all three are sent back at once,
// the rest as it was read.
import { z } from 'zod';
import type { Known } from '../../src/driver/contract.ts';
import { THEY_WERE_SO } from '../../src/driver/kit/act/outcomes.ts';
import { samePools, type WantedPool } from '../../src/driver/kit/act/pool-params.ts';
import { pools as poolsOf } from '../../src/driver/kit/act/usual-abilities.ts';
import { BITMAIN_POOLS, bitmainBody, type Conf, readConf, writeConf } from './bitmain-conf.ts';

const text = z.string().catch('');
export const setPools = z.array(z.looseObject({ url: text, user: text, pass: text })).catch([]);

/** Whether `pools` of a configuration are these already, with their passwords; empty places do not count. */
export function hasPools(pools: unknown, wanted: readonly WantedPool[]): boolean {
  const set = setPools.parse(pools).filter(({ url }) => url !== '');
  return samePools(set, wanted) && set.every(({ pass }, place) => pass === wanted[place]?.password);
}

/** `body` is what the device wants back, where it is not the usual. */
export const confPools = (
  body: (conf: Conf, pools: readonly unknown[], known: Known) => unknown = (conf, pools) =>
    bitmainBody(conf, { pools }),
) =>
  poolsOf({
    offlineS: [0, 120],
    atMost: BITMAIN_POOLS,
    async set(link, wanted, known) {
      const what = 'set the pools of';
      const conf = await readConf(link, what);
      if (hasPools(conf.pools, wanted)) return THEY_WERE_SO;
      const pools = wanted.map(({ url, user, password }) => ({ url, user, pass: password }));
      return writeConf(link, body(conf, pools, known), what);
    },
    shownWithinS: 180,
  });

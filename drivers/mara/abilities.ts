// What MARA firmware can be told (atlas 14): reboot, light, modes, pools, and to show its log. Whether it obeyed is
// found out by looking, not here.
import * as kit from '../../src/driver/kit/index.ts';
import { hasPools } from '../_dialects/bitmain-conf.ts';
import { powerMode } from './power.ts';
import { readConfig, resource, write } from './requests.ts';

export const abilities = {
  reboot: kit.reboot([40, 180], (link) => write(link, 'reboot', 'maintenance', { type: 'reboot' })),
  light: kit.light((link, on) => write(link, 'switch the light of', 'locate_miner', { blinking: on })),
  powerMode,
  pools: kit.pools({ offlineS: [0, 60], atMost: 3, set: setPools, shownWithinS: 120 }),
  log: kit.log((link) => kit.fetchLog(link, kit.asText(resource('log')))),
};

async function setPools(link: kit.MinerLink, wanted: readonly kit.WantedPool[]): Promise<kit.ActResult> {
  const what = 'set the pools of';
  const config = await readConfig(link, what);
  if (hasPools(config, wanted)) return kit.THEY_WERE_SO;
  const group = config.row('pool-group');
  const gid = group.value('gid') ?? 0;
  return write(link, what, 'miner_config', {
    ...config.fields,
    pools: wanted.map(({ url, user, password }) => ({ url, user, pass: password, gid })),
    // Groups share the work between them: one that has no pools any more must not keep its share.
    'pool-group': [{ gid, alias: 'main', ...group.fields, percent: 100 }],
  });
}

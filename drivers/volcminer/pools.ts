// The pools of a VolcMiner (atlas 21): one form holds them together with frequency, voltage and fans, all of which go
// back as they were read. Where the device does not tell one of them, nothing is sent: it would run at whatever stood
// in its place.
import { z } from 'zod';
import { PeerError } from '../../src/base/errors.ts';
import type { ActResult, MinerLink } from '../../src/driver/contract.ts';
import { beforeAct, orLostReply } from '../../src/driver/kit/act/lost-reply.ts';
import { ACCEPTED, THEY_WERE_SO, unsupported } from '../../src/driver/kit/act/outcomes.ts';
import { placesAsFields } from '../../src/driver/kit/act/pool-params.ts';
import { pools as poolsOf } from '../../src/driver/kit/act/usual-abilities.ts';
import { isStorable, UNSTORABLE } from '../_dialects/bitmain-forms.ts';
import { hasPools } from '../_dialects/bitmain-pools.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { asConf } from './wrapped.ts';

const POOLS = 3;
/** The page answers when the mining process is up again. */
const RESTART_MS = 75_000;
const WHAT = 'change the pools of';

const confPage = z.record(z.string(), z.unknown());

/**
 * Field of the form, key of the configuration, what stands there when it is not told; without the last, it must be
 * told.
 */
const FIELDS: readonly (readonly [field: string, key: string, otherwise?: string])[] = [
  ['_bb_nobeeper', 'nobeeper', 'false'],
  ['_bb_notempoverctrl', 'notempoverctrl', 'false'],
  ['_bb_fan_customize_switch', 'fan-ctrl', 'false'],
  ['_bb_fan_customize_value_front', 'fan-pwm-front', ''],
  ['_bb_fan_customize_value_back', 'fan-pwm-back', ''],
  ['_bb_freq', 'freq'],
  ['_bb_coin_type', 'coin-type'],
  ['_bb_runmode', 'runmode'],
  ['_bb_voltage_customize_value', 'voltage'],
  ['_bb_ema', 'sram-voltage'],
  ['_bb_debug', 'bb_debug_enable', 'false'],
];

export const pools = poolsOf({
  offlineS: [0, 120],
  atMost: POOLS,
  async set(link, wanted) {
    if (!wanted.every(isStorable)) throw unsupported(link, WHAT, UNSTORABLE);
    const conf = await readConf(link);
    if (hasPools(conf.pools, wanted)) return THEY_WERE_SO;
    const places = placesAsFields(wanted, POOLS, (no) => [`_bb_pool${no}url`, `_bb_pool${no}user`, `_bb_pool${no}pw`]);
    const form = { ...places, ...otherFields(link, conf) };
    const request = { ...page('set_miner_conf.cgi'), method: 'POST', form, as: 'text' } as const;
    return orLostReply(async (): Promise<ActResult> => {
      const answer = String(await link.send(request, { deadlineMs: RESTART_MS })).trim();
      if (/^"?ok/i.test(answer)) return ACCEPTED;
      // An empty page may be all that a build answers: whether it obeyed shows later.
      if (answer === '') return { kind: 'lost-reply' };
      throw new PeerError('peer.rejected', `${WHAT} ${link.ip}`, 'later', new Error('the page does not say ok'));
    });
  },
  shownWithinS: 180,
});

/** Two pages tell one half each. */
const readConf = (link: MinerLink): Promise<z.output<typeof confPage>> =>
  beforeAct(link, WHAT, async () => {
    const half = confPage.safeParse(await link.send(page('get_miner_conf.cgi')));
    const other = confPage.safeParse(asConf(await link.send({ ...page('get_miner_confV1.cgi'), as: 'text' })));
    if (!half.success || !other.success) {
      throw new PeerError('peer.unparsable', `read the configuration of ${link.ip}`, 'later');
    }
    return { ...other.data, ...half.data };
  });

function otherFields(link: MinerLink, conf: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    FIELDS.map(([field, key, otherwise]) => {
      const value = conf[key];
      const isTold =
        typeof value === 'number' || typeof value === 'boolean' || (typeof value === 'string' && value !== '');
      const written = isTold ? String(value) : otherwise;
      if (written !== undefined) return [field, written];
      throw unsupported(link, WHAT, `its configuration does not tell ${key}`);
    }),
  );
}

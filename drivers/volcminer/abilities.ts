// The pools of a VolcMiner (atlas 21): one form holds them together with frequency, voltage and fans, all of which go
// back as they were read. Where the device does not tell one of them, nothing is sent: it would run at whatever stood
// in its place.
import * as kit from '../../src/driver/kit/index.ts';
import { hasPools } from '../_dialects/bitmain-conf.ts';
import { isStorable, POOLS, poolFields, UNSTORABLE, writeConf } from '../_dialects/bitmain-forms.ts';
import { page } from '../_dialects/bitmain-web.ts';
import { FIELDS } from './conf.data.ts';
import { asConf } from './pages.ts';

const WHAT = 'change the pools of';

export const pools = kit.pools({
  offlineS: [0, 120],
  atMost: POOLS,
  async set(link, wanted) {
    if (!wanted.every(isStorable)) throw kit.unsupported(link, WHAT, UNSTORABLE);
    // Two pages tell one half each.
    const half = await kit.askFirst(link, WHAT, page('get_miner_conf.cgi'));
    const newPage = kit.asText(page('get_miner_confV1.cgi'));
    const other = await kit.askFirst(link, WHAT, newPage, ({ raw }) => asConf(raw).isThere);
    const conf = new kit.Answer({ ...asConf(other.raw).fields, ...half.fields });
    if (hasPools(conf, wanted)) return kit.THEY_WERE_SO;
    return writeConf(link, WHAT, { ...poolFields('_bb', wanted), ...otherFields(link, conf) }, verdict);
  },
  shownWithinS: 180,
});

function verdict({ raw }: kit.Answer): kit.Verdict {
  const answer = String(raw).trim();
  if (/^"?ok/i.test(answer)) return true;
  // An empty page may be all that a build answers: whether it obeyed shows later.
  return answer === '' ? { kind: 'lost-reply' } : { why: 'something else than ok', retry: 'later' };
}

function otherFields(link: kit.MinerLink, conf: kit.Answer): Record<string, string> {
  return Object.fromEntries(
    FIELDS.map(([field, key, otherwise]) => {
      const written = conf.written(key) || otherwise;
      if (written !== undefined) return [field, written];
      throw kit.unsupported(link, WHAT, `its configuration does not tell ${key}`);
    }),
  );
}

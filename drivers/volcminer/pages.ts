// The pages of a VolcMiner, both kinds, in one form. The newer (`…V1.cgi`) wrap what they tell:
// `{"code":"200","data":"{…}"}`, where objects and lists stand in quotes that nothing inside is escaped for.
import * as kit from '../../src/driver/kit/index.ts';
import { CHAIN, WHOLE } from './pages.data.ts';

/** What such a page tells; empty where nothing can be made of it. A page that wraps nothing is taken as it is. */
export function unwrapped(page: unknown): kit.Answer {
  const whole = inside(page);
  return whole.has('data') ? inside(whole.value('data')) : whole;
}

/** Whether a newer page is that of the status. */
export const isStatus = (page: kit.Answer): boolean => page.has('ghs5s') || page.has('chains');

/** A status, older or newer, in the words of Bitmain's `stats`. Its rates are in MH/s, whatever their keys say. */
export function asStats(status: kit.Answer): kit.Answer {
  const devs = status.rows('devs', 32) ?? rowsIn(status.value('chains'));
  const indexOf = (dev: kit.Answer) => dev.count('index', 31);
  // Chains count from 1.
  const base = devs.some((dev) => indexOf(dev) === 0) ? 0 : 1;
  const chain = devs.map((dev, place) => ({
    ...kit.factsOf(CHAIN, dev).fields,
    index: (indexOf(dev) ?? place + base) - base,
  }));
  const whole = kit.factsOf(WHOLE, status, status.at('summary'), inside(status.value('fan')));
  return new kit.Answer({ STATS: [{ rate_unit: 'MH/s', ...whole.fields, chain }] });
}

export const poolRows = (status: kit.Answer): readonly kit.Answer[] | undefined =>
  status.rows('pools') ?? inside(inside(status.value('pools')).value('pool_dtls')).rows();

/** All that the configuration tells, in one piece. */
export function asConf(page: unknown): kit.Answer {
  const told = unwrapped(page);
  const { debug, cfgs } = told.fields;
  return told.isThere ? new kit.Answer({ ...inside(debug).fields, ...rowsIn(cfgs)[0]?.fields, ...told.fields }) : told;
}

/** Whether it tells of boards, and of none what it makes. */
export function lacksRates(status: unknown): boolean {
  const rows = new kit.Answer(status).rows('devs') ?? [];
  return rows.length > 0 && rows.every((row) => !row.has('rate'));
}

const inside = (value: unknown) => new kit.Answer(kit.jsonInside(value));

const rowsIn = (list: unknown) => inside(list).rows() ?? [];

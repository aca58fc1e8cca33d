// The pages of a VolcMiner, both kinds, in one form. The newer (`…V1.cgi`) wrap what they tell:
// `{"code":"200","data":"{…}"}`, where objects and lists stand in quotes that nothing inside is escaped for.
import * as kit from '../../src/driver/kit/index.ts';

/** What such a page tells; empty where nothing can be made of it. A page that wraps nothing is taken as it is. */
export function unwrapped(page: unknown): kit.Answer {
  const whole = jsonIn(page);
  return whole.has('data') ? jsonIn(whole.value('data')) : whole;
}

/** The status as `get_miner_status.cgi` would tell it. */
export function asStatus(page: unknown): kit.Answer {
  const told = unwrapped(page);
  if (!told.has('ghs5s') && !told.has('chains')) return new kit.Answer(undefined);
  const { elapsed, ghs5s, ghsav, pools, chains, fan } = told.fields;
  return new kit.Answer({
    summary: { elapsed, ghs5s, ghsav },
    pools: parsed(jsonIn(pools).value('pool_dtls')),
    devs: rowsIn(chains).map((chain) => ({ ...chain.fields, rate: chain.value('chain_rate') })),
    ...jsonIn(fan).fields,
  });
}

/** The older page, and of the newer what that lacks: of the boards what each makes, and its faulty results. */
export function withNewer(old: kit.Answer, fresh: kit.Answer): kit.Answer {
  const isKept = (key: string) => old.text(key) !== undefined || (old.has(key) && fresh.text(key) === undefined);
  const kept = Object.fromEntries(Object.entries(old.fields).filter(([key]) => isKept(key)));
  const freshDevs = fresh.rows('devs') ?? [];
  const devs = old.rows('devs')?.map((dev) => {
    const same = freshDevs.find((row) => row.int('index') === dev.int('index'));
    return { ...same?.fields, ...dev.fields };
  });
  return new kit.Answer({ ...fresh.fields, ...kept, ...(devs && { devs }) });
}

/** A status in the words of Bitmain's `stats`. Its rates are in MH/s, whatever the names of their keys say. */
export function asStats(status: kit.Answer): kit.Answer {
  const { elapsed, ghs5s, ghsav } = status.at('summary').fields;
  const devs = status.rows('devs', 32) ?? [];
  const indexes = devs.map((dev) => dev.int('index', { min: 0, max: 31 }));
  // Chains count from 1.
  const base = indexes.includes(0) ? 0 : 1;
  const chain = devs.map(({ fields: { chain_acn, chain_acs, freq, temp, temp2, hw, rate } }, place) => ({
    index: (indexes[place] ?? place + base) - base,
    ...{ asic_num: chain_acn, asic: chain_acs, freq_avg: freq, temp_pcb: temp, temp_chip: temp2, hw, rate_real: rate },
  }));
  const { fan1, fan2, fan3, fan4 } = status.fields;
  const rates = { rate_unit: 'MH/s', rate_5s: ghs5s, rate_avg: ghsav };
  return new kit.Answer({ STATS: [{ Elapsed: elapsed, ...rates, ...{ fan1, fan2, fan3, fan4 }, chain }] });
}

/** All that the configuration tells, in one piece. */
export function asConf(page: unknown): kit.Answer {
  const told = unwrapped(page);
  const { debug, cfgs } = told.fields;
  return told.isThere ? new kit.Answer({ ...jsonIn(debug).fields, ...rowsIn(cfgs)[0]?.fields, ...told.fields }) : told;
}

/** Whether it tells of boards, and of none what it makes. */
export function lacksRates(status: unknown): boolean {
  const rows = rowsIn(jsonIn(status).value('devs'));
  return rows.length > 0 && rows.every((row) => !('rate' in row.fields));
}

const jsonIn = (value: unknown) => new kit.Answer(parsed(value));

function rowsIn(list: unknown): readonly kit.Answer[] {
  const rows = parsed(list);
  return Array.isArray(rows) ? rows.map(jsonIn).filter((row) => row.isThere) : [];
}

/** Text is read as JSON, at first as it stands, then without the quotes around objects and lists. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  for (const json of [value, withoutOuterQuotes(value)]) {
    try {
      return JSON.parse(json);
    } catch {}
  }
  return undefined;
}

/**
 * Of texts that begin as an object or a list the quotes go: the first, and the one behind the bracket that closes it.
 */
function withoutOuterQuotes(json: string): string {
  const opened: number[] = [];
  let depth = 0;
  let bare = '';
  for (const [token] of json.matchAll(TOKENS)) {
    const last = token.at(-1) ?? '';
    if (token === '"' && opened.at(-1) === depth) {
      opened.pop();
      continue;
    }
    const isOpening = last === '{' || last === '[';
    if (isOpening && token.startsWith('"')) opened.push(depth);
    if (isOpening) depth++;
    else if (token === '}' || token === ']') depth--;
    bare += isOpening ? last : token;
  }
  return bare;
}

/** A bracket with or without a quote before it, a text, a quote that is left, and all else. */
const TOKENS = /"\s*[{[]|[{}[\]]|"(?=\s*[,}\]])|"(?:[^"\\]|\\.)*"|[^"{}[\]]+|"/gs;

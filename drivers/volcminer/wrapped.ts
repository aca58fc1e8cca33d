// The newer pages of a VolcMiner (`…V1.cgi`) wrap what they tell: `{"code":"200","data":"{…}"}`, where objects and
// lists stand in quotes that nothing inside is escaped for.

type Fields = Readonly<Record<string, unknown>>;

/** What such a page tells; undefined where nothing can be made of it. A page that wraps nothing is taken as it is. */
export function unwrapped(page: unknown): Fields | undefined {
  const whole = objectOf(page);
  return whole?.data === undefined ? whole : objectOf(whole.data);
}

/** The status as `get_miner_status.cgi` would tell it. */
export function asStatus(page: unknown): object | undefined {
  const told = unwrapped(page);
  if (told === undefined || !('ghs5s' in told || 'chains' in told)) return undefined;
  const { elapsed, ghs5s, ghsav, pools, chains, fan } = told;
  return {
    summary: { elapsed, ghs5s, ghsav },
    pools: parsed(objectOf(pools)?.pool_dtls),
    devs: rowsOf(chains).map((chain) => ({ ...chain, rate: chain.chain_rate })),
    ...objectOf(fan),
  };
}

/** All that the configuration tells, in one piece. */
export function asConf(page: unknown): Fields | undefined {
  const told = unwrapped(page);
  return told && { ...objectOf(told.debug), ...rowsOf(told.cfgs)[0], ...told };
}

/** Whether it tells of boards, and of none what it makes. */
export function lacksRates(status: unknown): boolean {
  const rows = rowsOf(objectOf(status)?.devs);
  return rows.length > 0 && rows.every((row) => !('rate' in row));
}

function rowsOf(list: unknown): Fields[] {
  const rows = parsed(list);
  return Array.isArray(rows) ? rows.map(objectOf).filter((row) => row !== undefined) : [];
}

function objectOf(value: unknown): Fields | undefined {
  const whole = parsed(value);
  return isObject(whole) ? whole : undefined;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Text is read as JSON, at first as it stands, then without the quotes around objects and lists. */
function parsed(value: unknown): unknown {
  if (typeof value !== 'string') return value;
  try {
    return JSON.parse(value);
  } catch {
    try {
      return JSON.parse(withoutOuterQuotes(value));
    } catch {
      return undefined;
    }
  }
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

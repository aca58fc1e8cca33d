// From the pools that people ask for to those of one miner: workers filled in, kept parts taken over. Says what the
// miner lacks, and shows a few workers before anything is sent. Pure.
import { POOL_FIELDS } from '../tasks/task-params.ts';
import { isKept, type RequestedPool, type RequestedPools } from './requested-pools.ts';
import { fillTemplate, parseTemplate, type TemplateFact, type WorkerFacts } from './worker-template.ts';

type SetPool = { readonly url: string; readonly user: string; readonly password?: string | undefined };

/** What is known of one miner that shall have other pools. */
export type PoolFacts = Omit<WorkerFacts, 'worker'> & {
  /** As it shows them, best first. */
  readonly shown: readonly { readonly url: string; readonly user: string; readonly isActive?: boolean | undefined }[];
  /**
   * Those that were set last, whose passwords are known; `elsewhere` = who asks cannot know, so a password that is kept
   * is left to who does.
   */
  readonly set: readonly SetPool[] | 'elsewhere' | undefined;
};

/** `lacks` = what the miner lacks, for people, such as `no rack`; each once. */
type Resolved = { readonly pools: readonly SetPool[] } | { readonly lacks: readonly string[] };

/** The pools of this miner. Without a password: the usual one. */
export function resolvePools(requested: RequestedPools, facts: PoolFacts): Resolved {
  const lacks = new Set<string>();
  const pools = requested.map((pool, at): SetPool => {
    const { url, user, password } = pool;
    const parts = {
      url: isKept(url) ? keptUrl(facts, at) : url,
      user: isKept(user) ? keptUser(facts, at) : userOf(user, facts),
      password: isKept(password) ? keptPassword(facts, at) : password,
    };
    const taken = (part: string | undefined | Lack) => {
      if (typeof part !== 'object') return part;
      for (const lack of part.lacks) lacks.add(lack);
      return undefined;
    };
    return { url: taken(parts.url) ?? '', user: taken(parts.user) ?? '', password: taken(parts.password) };
  });
  return lacks.size > 0 ? { lacks: [...lacks] } : { pools };
}

type Lack = { readonly lacks: readonly string[] };
const lack = (...lacks: readonly string[]): Lack => ({ lacks });

function keptUrl({ shown, set }: PoolFacts, at: number): string | Lack {
  const url = shown[at]?.url;
  if (url === undefined || url === '') return lack(noPool(at));
  // Where it is not sent from, only part of it may be known.
  if (set === 'elsewhere' || POOL_FIELDS.url.safeParse(url).success) return url;
  return lack(`an address of pool ${at + 1} that cannot be sent back`);
}

function keptUser({ shown }: PoolFacts, at: number): string | Lack {
  const user = shown[at]?.user;
  if (user === undefined || user === '') return lack(noPool(at));
  return POOL_FIELDS.user.safeParse(user).success ? user : lack(`a worker of pool ${at + 1} that cannot be sent back`);
}

/** No miner shows passwords: only that of a pool which was set from here, and is still there, is known. */
function keptPassword({ shown, set }: PoolFacts, at: number): string | undefined | Lack {
  if (set === 'elsewhere') return undefined;
  const [now, before] = [shown[at], set?.[at]];
  const isTheSame = now?.url.toLowerCase() === before?.url.toLowerCase() && now?.user === before?.user;
  return before !== undefined && isTheSame ? before.password : lack(`no known password of pool ${at + 1}`);
}

const noPool = (at: number) => `no pool ${at + 1}`;

function userOf(template: string, { shown, ...facts }: PoolFacts): string | Lack {
  const parts = parseTemplate(template);
  if ('wrong' in parts) return lack(`${parts.wrong} in the worker`);
  const worker = (shown.find(({ isActive }) => isActive) ?? shown[0])?.user;
  const filled = fillTemplate(parts, { ...facts, worker });
  if ('missing' in filled) return lack(...filled.missing.map((fact) => LACKS[fact]));
  return POOL_FIELDS.user.safeParse(filled.user).success ? filled.user : lack('a worker that is longer than 255');
}

const LACKS = {
  worker: 'no worker of its own',
  ip: 'no address',
  ip3: 'no address',
  ip4: 'no address',
  mac: 'no MAC',
  serial: 'no serial number',
  rack: 'no rack',
  position: 'no position',
  model: 'no model',
} as const satisfies Readonly<Record<TemplateFact, string>>;

export type PreviewedWorker = { readonly ip: string; readonly user: string };

/** The workers of the first pool that three of the miners would get: the first, one of the middle, the last. */
export function previewWorkers(pools: RequestedPools, miners: readonly PoolFacts[]): readonly PreviewedWorker[] {
  const [first]: readonly (RequestedPool | undefined)[] = pools;
  if (first === undefined) return [];
  const chosen = new Set([miners[0], miners[Math.floor((miners.length - 1) / 2)], miners.at(-1)]);
  return [...chosen].flatMap((facts) => {
    const resolved = facts && resolvePools([{ ...first, password: undefined }], facts);
    const user = resolved !== undefined && 'pools' in resolved ? resolved.pools[0]?.user : undefined;
    return facts === undefined || user === undefined ? [] : [{ ip: facts.ip, user }];
  });
}

/** In one message: the others are counted. */
const MOST_NAMED = 20;

/**
 * Those that cannot get the pools, by address with what they lack, as one text for people; undefined = all of them can.
 */
export function lackingText(pools: RequestedPools, miners: readonly PoolFacts[]): string | undefined {
  const lacking = miners.flatMap((facts) => {
    const resolved = resolvePools(pools, facts);
    return 'lacks' in resolved ? [`${facts.ip} (${resolved.lacks.join(', ')})`] : [];
  });
  if (lacking.length === 0) return undefined;
  const more = lacking.length - MOST_NAMED;
  const named = lacking.slice(0, MOST_NAMED).join(', ') + (more > 0 ? ` and ${more} more` : '');
  return `${lacking.length} of ${miners.length} miners lack what the pools need: ${named}`;
}

// Findings: one cause that affects many miners, such as a dead pool or a dead switch, with its miners. Pure: it raises
// and clears no flag, and the agent decides which miners stopped answering together.
import type { Flag } from '../flags/flags.ts';
import { plainText, withoutLogin } from '../plain-text.ts';
import type { PoolReading } from '../reading.ts';

/**
 * `pool` = miners with the same trouble at one pool; `contact` = miners of one network that stopped answering at about
 * the same time.
 */
export type FindingKind = 'pool' | 'contact';

export type Finding = {
  /** The `finding` of its miners' flags. */
  readonly key: string;
  readonly kind: FindingKind;
  /** For people, e.g. `pool stratum.example:3333 dead: 35 miners`. It names no time. */
  readonly title: string;
  readonly severity: Flag['severity'];
  /** Since when it has concerned enough miners to be a finding; ms since the epoch. */
  readonly sinceMs: number;
  readonly minerCount: number;
  /** How many miners there are that it could concern: those that use the pool, those of the network. */
  readonly of: number;
  /** Addresses of some of its miners, in order. */
  readonly sample: readonly string[];
};

/** One flag with a key, and the miner that has it. */
export type FindingMember = { readonly key: string; readonly ip: string; readonly sinceMs: number };

/** Fewer miners each have their own trouble. */
export const LEAST_MINERS = 3;
/**
 * Share of the miners that could be affected: when few of many lose a pool, each has its own trouble. A raised finding
 * stays with fewer.
 */
const LEAST_SHARE = 0.2;
/**
 * So many miners that fall silent together have one cause, however large their network is: a switch has fewer ports
 * than a /24 has addresses.
 */
const ENOUGH_SILENT = 8;
const MAX_SAMPLE = 200;

export const isManyOf = (kind: FindingKind, count: number, of: number): boolean =>
  count >= LEAST_MINERS && (count >= of * LEAST_SHARE || (kind === 'contact' && count >= ENOUGH_SILENT));

/**
 * The findings of all miners, the largest first. `ofKey` = how many miners a finding could affect. `wasFinding` = it
 * was raised before, so that its last miners do not become several troubles.
 */
export function findingsOf(
  members: Iterable<FindingMember>,
  ofKey: (key: string) => number,
  wasFinding: (key: string) => boolean = () => false,
): Finding[] {
  const findings: Finding[] = [];
  for (const [key, some] of Map.groupBy(members, (member) => member.key)) {
    const kind = kindOf(key);
    const minerCount = some.length;
    if (kind === undefined || minerCount < LEAST_MINERS) continue;
    const of = Math.max(minerCount, ofKey(key));
    if (!isManyOf(kind, minerCount, of) && !wasFinding(key)) continue;
    const since = some.map(({ sinceMs }) => sinceMs).sort((a, b) => a - b);
    findings.push({
      ...{
        key,
        kind,
        title: titleOf(key, kind, minerCount, of),
        severity: kind === 'pool' ? wordsOf(key).severity : 'critical',
        minerCount,
        of,
      },
      // A miner that had the same trouble days before does not date it.
      sinceMs: since[LEAST_MINERS - 1] ?? 0,
      sample: inOrder(some.map(({ ip }) => ip)).slice(0, MAX_SAMPLE),
    });
  }
  return findings.sort((a, b) => b.minerCount - a.minerCount || (a.key < b.key ? -1 : 1));
}

/** The key of a miner whose pools are all dead: its first pool. Undefined where that has no address. */
export function poolFinding(pools: readonly Pick<PoolReading, 'index' | 'url'>[]): string | undefined {
  const [first] = [...pools].sort((a, b) => a.index - b.index).filter(({ url }) => url.trim() !== '');
  return first === undefined ? undefined : poolKeyOf(first.url);
}

/** `pool:host:port` of a pool's address; without a port where it names none. */
export function poolKeyOf(url: string): string | undefined {
  const address = poolAddressOf(url);
  return address === undefined ? undefined : `pool:${address}`;
}

/** `host:port`, fit to be shown; without a port where the address names none. */
export const poolAddressOf = (url: string): string | undefined => plainText(authorityOf(url), 260);

/** `host:port` as a device wrote it, but for its case and a dot that ends the host. */
export const authorityOf = (url: string): string =>
  withoutLogin(url.trim())
    .replace(/^[a-z][a-z0-9+.-]*:\/\//i, '')
    .replace(/[/?#].*$/, '')
    .replace(/\.(?=$|:\d*$)/, '')
    .toLowerCase();

type PoolWords = {
  readonly severity: Flag['severity'];
  readonly title: (pool: string, miners: string) => string;
};

/** What miners may suffer from at a pool beside that it is dead. */
const POOL_TROUBLES = {
  elsewhere: { severity: 'minor', title: (pool, miners) => `pool ${pool} dead: ${miners} use another` },
  'no-share': { severity: 'critical', title: (pool, miners) => `pool ${pool} accepts no share: ${miners}` },
  rejects: { severity: 'major', title: (pool, miners) => `pool ${pool} rejects shares: ${miners}` },
} as const satisfies Record<string, PoolWords>;

type PoolTrouble = keyof typeof POOL_TROUBLES;

const DEAD: PoolWords = { severity: 'critical', title: (pool, miners) => `pool ${pool} dead: ${miners}` };

/** The key of miners that have this trouble at their pool; no address of a pool holds the sign between the two. */
export const poolTroubleKey = (poolKey: string, trouble: PoolTrouble): string => `${poolKey}#${trouble}`;

/** The key of the pool, whatever the trouble is. */
export const poolOfKey = (key: string): string => key.replace(/#.*$/, '');

function wordsOf(key: string): PoolWords {
  const trouble = Object.entries<PoolWords>(POOL_TROUBLES).find(([name]) => key.endsWith(`#${name}`));
  return trouble?.[1] ?? DEAD;
}

/**
 * The key of miners of one network (`network` as CIDR) that stopped answering together. The time only separates one
 * outage from the next. It is not written as a date, because by a service's clock it may be in the future.
 */
export const contactKeyOf = (network: string, sinceMs: number): string =>
  `contact:${network}@${Math.floor(sinceMs / 1_000).toString(36)}`;

/** Network of a contact finding, as CIDR. */
export const networkOfKey = (key: string): string => key.slice('contact:'.length).replace(/@.*$/, '');

/** The network of an address that one switch may serve: its /24. */
export const networkOf = (ip: string): string => `${ip.slice(0, ip.lastIndexOf('.'))}.0/24`;

function kindOf(key: string): FindingKind | undefined {
  if (key.startsWith('pool:')) return 'pool';
  return key.startsWith('contact:') ? 'contact' : undefined;
}

function titleOf(key: string, kind: FindingKind, count: number, of: number): string {
  const miners = count === of ? `${count} miners` : `${count} of ${of} miners`;
  if (kind === 'pool') return wordsOf(key).title(poolOfKey(key).slice('pool:'.length), miners);
  return `${networkOfKey(key)}: ${miners} do not answer`;
}

const numberOf = (ip: string): number => ip.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);

const inOrder = (ips: readonly string[]): string[] =>
  ips
    .map((ip) => ({ ip, number: numberOf(ip) }))
    .sort((a, b) => a.number - b.number)
    .map(({ ip }) => ip);

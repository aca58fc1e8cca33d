// Which miners a person means: one grammar for command line, control socket, API and page. Words of different kinds
// narrow, words of one kind widen, a comma means or, `not` excludes. Pure; it asks no miner and no database.

import { nearestNames } from '../../base/nearest-names.ts';
import { type Ipv4Range, isInRange, parseIpv4, parseIpv4Range } from '../../base/net/ipv4.ts';
import { BOARD_STATES, type BoardMiner, flagsOf, isInState } from '../board/board-miner.ts';
import { ANOMALY_TYPES } from '../flags/anomaly-types.ts';
import { normaliseMac, normaliseSerial } from '../identity-facts.ts';
import { type ReadWords, readArguments, readText, textOf, type Word, type WordKind } from './words.ts';

/** For an error and for help. */
export const SELECTOR_FORMS =
  'an address, a range, a MAC, a serial number, a worker, rack:C03, container:1, model:s19, flag:hashboard, pool:old.example, worker:name, driver:name, firmware:version, algorithm:scrypt, state:ill, all, and not before a word';

/** What selectors look at beside the row: all serial numbers, pools and workers of the miner. */
export type SelectableMiner = BoardMiner & {
  readonly serials: readonly string[];
  readonly pools: readonly string[];
  readonly workers: readonly string[];
};

export type Selector = {
  readonly words: readonly Word[];
  /** Nothing is written: a list shows all miners, and nothing is done to any. */
  readonly isEmpty: boolean;
};

export type ReadSelector =
  | { readonly kind: 'ok'; readonly selector: Selector }
  | { readonly kind: 'wrong'; readonly problems: readonly string[] };

/** `who` values without a miner, as written, and why. */
export type Unmatched = { readonly text: string; readonly reason: string };

export type Selected<M> = { readonly miners: readonly M[]; readonly unmatched: readonly Unmatched[] };

const MAX_VALUE = 256;
/** A name with more of them would take long to compare. */
const MOST_STARS = 3;

/** All miners, for acts that mean all of them. */
const ALL = 'all';

export const parseSelector = (written: string | readonly string[]): ReadSelector =>
  check(typeof written === 'string' ? readText(written) : readArguments(written));

/** Reads the same as what was parsed. */
export const selectorText = ({ words }: Selector): string => textOf(words);

function check(read: ReadWords): ReadSelector {
  if (read.kind === 'wrong') return read;
  const problems = read.words.flatMap(({ kind, values }) => values.flatMap((value) => problemOf(kind, value)));
  if (problems.length > 0) return { kind: 'wrong', problems };
  return { kind: 'ok', selector: { words: read.words, isEmpty: read.words.length === 0 } };
}

function problemOf(kind: WordKind, value: string): string[] {
  if (kind === 'flag') return unknownName('flag', value, ANOMALY_TYPES);
  if (kind === 'state') return unknownName('state', value, BOARD_STATES);
  if (value.length > MAX_VALUE) return [`'${value.slice(0, 20)}…' is longer than ${MAX_VALUE} characters`];
  if (kind === 'rack' || kind === 'container')
    return value.split('*').length > MOST_STARS + 1 ? [`${kind}:${value}: at most ${MOST_STARS} stars`] : [];
  if (kind !== 'who' || !looksLikeRange(value)) return [];
  const range = parseIpv4Range(value);
  return typeof range === 'string' ? [range] : [];
}

function unknownName(kind: string, value: string, names: readonly string[]): string[] {
  if (names.includes(value.toLowerCase())) return [];
  const nearest = nearestNames(value, names);
  return [
    `${kind}:${value}: ${nearest.length > 0 ? `do you mean ${nearest.join(' or ')}?` : `accepted: ${names.join(', ')}`}`,
  ];
}

/** Digits and dots with a slash or a hyphen: no serial number looks like that. */
const looksLikeRange = (value: string) =>
  /^\d{1,3}(\.\d{1,3}){3}\s*[/-]/.test(value) || /^\d{1,3}(\.\d{1,3}){3}$/.test(value);

/** In the order of `all`. A MAC or a serial number that several miners show selects none of them. */
export function select<M extends SelectableMiner>({ words }: Selector, all: readonly M[], nowMs: number): Selected<M> {
  const unmatched: Unmatched[] = [];
  const wanted: ((miner: M) => boolean)[] = [];
  const whoIndex = words.some(({ kind }) => kind === 'who') ? indexOf(all) : undefined;
  const testOf = ({ kind, values, isNot }: Word): ((miner: M) => boolean) => {
    if (kind !== 'who' || whoIndex === undefined) return fieldTest(kind, values, nowMs);
    const found = values.map((value) => ({ value, ...whoIndex(value) }));
    // A word that leaves miners out and finds none changes nothing.
    if (!isNot)
      for (const { value, reason } of found) if (reason !== undefined) unmatched.push({ text: value, reason });
    const miners = new Set(found.flatMap(({ miners }) => miners));
    return (miner) => miners.has(miner);
  };
  const positive = words.filter(({ isNot }) => !isNot);
  for (const [, ofKind] of Map.groupBy(positive, ({ kind }) => kind)) {
    const tests = ofKind.map(testOf);
    wanted.push((miner) => tests.some((test) => test(miner)));
  }
  for (const word of words.filter(({ isNot }) => isNot)) {
    const test = testOf(word);
    wanted.push((miner) => !test(miner));
  }
  return { miners: all.filter((miner) => wanted.every((test) => test(miner))), unmatched };
}

/** A function that tests a miner by a field of its row. */
function fieldTest(kind: WordKind, values: readonly string[], nowMs: number): (miner: SelectableMiner) => boolean {
  const lower = values.map((value) => value.toLowerCase());
  const holds = (text: string | null) => {
    const inLower = text?.toLowerCase() ?? '';
    return lower.some((value) => inLower.includes(value));
  };
  const globs = values.map(globOf);
  const isNamed = (name: string | null) => name !== null && globs.some((glob) => glob.test(name));
  switch (kind) {
    case 'who':
      return () => false;
    case 'rack':
      return ({ rack }) => isNamed(rack);
    case 'container':
      return ({ container }) => isNamed(container);
    case 'model':
      return ({ make, model }) => holds([make, model].filter(Boolean).join(' '));
    case 'flag':
      return (miner) => flagsOf(miner).some((flag) => lower.includes(flag));
    case 'pool':
      return ({ pools }) => pools.some(holds);
    case 'worker':
      return ({ workers }) => workers.some(holds);
    case 'driver':
      return ({ driver }) => holds(driver);
    case 'firmware':
      return ({ firmware }) => holds(firmware);
    case 'algorithm':
      return ({ algorithm }) => algorithm !== null && lower.includes(algorithm.toLowerCase());
    case 'state': {
      const states = BOARD_STATES.filter((state) => lower.includes(state));
      return (miner) => states.some((state) => isInState(miner, state, nowMs));
    }
  }
}

/** A name in any case; `*` stands for any letters. */
const globOf = (value: string): RegExp =>
  new RegExp(`^${value.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '.*')}$`, 'i');

type Who<M> = { readonly miners: readonly M[]; readonly reason?: string };

/** Finds by one value that says who. Made once for all values: a file may name each miner of a farm. */
function indexOf<M extends SelectableMiner>(all: readonly M[]): (value: string) => Who<M> {
  const by = (keysOf: (miner: M) => readonly (string | null)[]) => {
    const index = new Map<string, M[]>();
    for (const miner of all)
      for (const key of new Set(keysOf(miner))) {
        if (key === null || key === '') continue;
        const others = index.get(key);
        if (others === undefined) index.set(key, [miner]);
        else others.push(miner);
      }
    return index;
  };
  const byIp = by(({ ip }) => [ip]);
  const byFact = by(({ mac, serials }) => [mac, ...serials.map(normaliseSerial)]);
  const byName = by(({ id, key, hostname, workers }) => [id, key, hostname, ...workers.flatMap(workerNames)]);
  return (value) => {
    if (value.toLowerCase() === ALL) return { miners: all };
    const range = looksLikeRange(value) ? parseIpv4Range(value) : undefined;
    if (typeof range === 'object')
      return range.form === 'single'
        ? foundOr(byIp.get(value.trim()), 'no known miner has this address')
        : foundOr(inRange(all, range), 'no known miner is in this range');
    const byMac = byFact.get(normaliseMac(value) ?? '') ?? byFact.get(normaliseSerial(value)) ?? [];
    if (byMac.length > 1)
      return { miners: [], reason: `several miners show it: ${someIps(byMac)}; name one by its address` };
    return foundOr(
      byMac[0] === undefined ? byName.get(value) : byMac,
      'no known miner has this MAC, serial number, worker or host name',
    );
  };
}

/** `account.rig1` is found as `rig1` too. */
const workerNames = (worker: string): string[] => {
  const name = worker.slice(worker.lastIndexOf('.') + 1);
  return name === worker ? [worker] : [worker, name];
};

const foundOr = <M>(miners: readonly M[] | undefined, reason: string): Who<M> =>
  miners === undefined || miners.length === 0 ? { miners: [], reason } : { miners };

const MOST_NAMED = 5;
const someIps = (miners: readonly SelectableMiner[]) =>
  `${miners
    .slice(0, MOST_NAMED)
    .map(({ ip }) => ip)
    .join(', ')}${miners.length > MOST_NAMED ? ', …' : ''}`;

const inRange = <M extends SelectableMiner>(all: readonly M[], range: Ipv4Range): readonly M[] =>
  all.filter(({ ip }) => {
    const address = parseIpv4(ip);
    return address !== undefined && isInRange(range, address);
  });

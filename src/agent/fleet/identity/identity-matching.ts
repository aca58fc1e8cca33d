// Who a sighting is: valid MAC, then valid serial, then address. Pure; it names the case, the book carries it out.
import { type Facts, type Match, type MinerEntry, matchOf, type Sighting } from './record.ts';
import type { MinerIndex } from './registry-index.ts';

type Resolution =
  /** The miner on record at this address. */
  | { readonly kind: 'here'; readonly entry: MinerEntry }
  /** A known miner that stood at another address, or at none; `displaced` stands here on record. */
  | { readonly kind: 'elsewhere'; readonly entry: MinerEntry; readonly displaced: MinerEntry | undefined }
  /** Nobody we know; `displaced` was here before and is another unit. */
  | { readonly kind: 'new'; readonly displaced: MinerEntry | undefined };

/** `isLive` breaks ties between miners that share a value: the one that went silent is the one that moved. */
export function resolve(
  index: MinerIndex,
  sighting: Pick<Sighting, 'ip'>,
  facts: Facts,
  isLive: (entry: MinerEntry) => boolean,
): Resolution {
  const here = index.byIp(sighting.ip);
  const match: Match = here === undefined ? { mac: 'unknown', serial: 'unknown' } : matchOf(here, facts);
  if (here !== undefined && match.mac === 'same') return { kind: 'here', entry: here };

  const owner = ownerOfMac(index, facts, isLive);
  if (owner !== undefined) {
    // Address and serial say one miner, the MAC another: a control board went from one to the other, the miner stays.
    const isBoardSwap = here !== undefined && match.serial === 'same' && matchOf(owner, facts).serial === 'other';
    if (!isBoardSwap) return { kind: 'elsewhere', entry: owner, displaced: here };
  }
  if (here !== undefined && match.serial === 'same') return { kind: 'here', entry: here };

  const bySerial = owner === undefined ? ownerOfSerial(index, facts) : undefined;
  if (bySerial !== undefined) return { kind: 'elsewhere', entry: bySerial, displaced: here };

  if (here === undefined) return { kind: 'new', displaced: undefined };
  return contradicts(match) ? { kind: 'new', displaced: here } : { kind: 'here', entry: here };
}

/** Nothing matches and something differs. */
export function contradicts(match: Match): boolean {
  return match.mac !== 'same' && match.serial !== 'same' && (match.mac === 'other' || match.serial === 'other');
}

function ownerOfMac(index: MinerIndex, facts: Facts, isLive: (entry: MinerEntry) => boolean): MinerEntry | undefined {
  if (facts.mac === undefined) return undefined;
  const rank = (entry: MinerEntry): number =>
    (matchOf(entry, facts).serial === 'same' ? 0 : 4) + (entry.ip === null ? 0 : isLive(entry) ? 2 : 1);
  let best: MinerEntry | undefined;
  for (const entry of index.byMac(facts.mac)) {
    const order = best === undefined ? -1 : rank(entry) - rank(best) || entry.lastSeenMs - best.lastSeenMs;
    if (order < 0) best = entry;
  }
  return best;
}

/** A serial that several miners show names none of them. */
function ownerOfSerial(index: MinerIndex, facts: Facts): MinerEntry | undefined {
  let owner: MinerEntry | undefined;
  for (const entry of facts.serialKey === undefined ? [] : index.bySerial(facts.serialKey)) {
    if (owner !== undefined) return undefined;
    owner = entry;
  }
  return owner;
}

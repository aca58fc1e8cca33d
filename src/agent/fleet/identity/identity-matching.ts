// Which miner a sighting is about: valid MAC, then valid serial, then address. Pure; it names the case. Whether a claim is believed is for claims.ts to
// say, and the registry carries it out.
import { contradictedByNetwork, contradicts } from './claims.ts';
import { type Facts, isBridged, type Match, type MinerEntry, matchOf, type Sighting } from './record.ts';
import type { MinerIndex } from './storage/registry-index.ts';

type Resolution =
  /** The miner on record at this address. */
  | { readonly kind: 'here'; readonly entry: MinerEntry }
  /** A known miner that stood at another address, or at none; `displaced` stands here on record. */
  | { readonly kind: 'elsewhere'; readonly entry: MinerEntry; readonly displaced: MinerEntry | undefined }
  /** It tells the facts of the miner on record here, and the network shows another unit. */
  | { readonly kind: 'doubtful'; readonly entry: MinerEntry }
  /** No miner that we know; `displaced` was here before and is another unit. */
  | { readonly kind: 'new'; readonly displaced: MinerEntry | undefined };

/** `isLive` breaks ties between miners that share a value: the one that went silent is the one that moved. */
export function resolve(
  index: MinerIndex,
  sighting: Pick<Sighting, 'ip'>,
  facts: Facts,
  isLive: (entry: MinerEntry) => boolean,
): Resolution {
  const here = index.byIp(sighting.ip);
  const claimed = here?.claimsKey == null ? undefined : index.get(here.claimsKey);
  if (here !== undefined && claimed !== undefined && mayBeIt(here, claimed, facts))
    return { kind: 'elsewhere', entry: claimed, displaced: here };
  const match: Match = here === undefined ? NOTHING : matchOf(here, facts);
  if (here !== undefined && match.mac === 'same') {
    // Its serial is another one now, and that is known of another miner.
    const donor = match.serial === 'other' && claimed === undefined ? ownerOfSerial(index, facts) : undefined;
    return donor === undefined ? atItsPlace(here, match) : { kind: 'elsewhere', entry: donor, displaced: here };
  }

  const owner = ownerOfMac(index, facts, isLive);
  const isRefuted = here?.claimState === 'refuted' && owner !== undefined && owner === claimed;
  if (owner !== undefined && !isRefuted) {
    // Address and serial say one miner, the MAC another: a control board went from one to the other, the miner stays.
    const isBoardSwap = here !== undefined && isOwnSwap(here, match) && matchOf(owner, facts).serial === 'other';
    const isSeenByNetwork = facts.netMac !== undefined && facts.netMac === facts.toldMac;
    if (!(isBoardSwap && isSeenByNetwork)) return { kind: 'elsewhere', entry: owner, displaced: here };
  }
  // The network shows that it is the unit that stands here, whatever it says.
  const isCertainlyHere = match.net === 'same' && here !== undefined && !isBridged(here);
  if (here !== undefined && (isCertainlyHere || isOwnSwap(here, match))) return { kind: 'here', entry: here };

  const bySerial = owner === undefined ? ownerOfSerial(index, facts) : undefined;
  const isOther = bySerial !== here && !(here?.claimState === 'refuted' && bySerial === claimed);
  if (bySerial !== undefined && isOther) return { kind: 'elsewhere', entry: bySerial, displaced: here };

  if (here === undefined) return { kind: 'new', displaced: undefined };
  return contradicts(match) ? { kind: 'new', displaced: here } : atItsPlace(here, match);
}

/** Only the network can contradict here. */
const atItsPlace = (here: MinerEntry, match: Match): Resolution =>
  contradictedByNetwork(here, match) ? { kind: 'doubtful', entry: here } : { kind: 'here', entry: here };

/** Whether a unit that claimed to be another miner is to be judged anew. What was refuted is believed only where the network says so. */
function mayBeIt({ claimState }: MinerEntry, claimed: MinerEntry, facts: Facts): boolean {
  const { mac, serial, net } = matchOf(claimed, facts);
  if (claimState === 'refuted') return net === 'same' && !isBridged(claimed);
  return mac === 'same' || serial === 'same' || net === 'same';
}

const NOTHING: Match = { mac: 'unknown', serial: 'unknown', boards: 'unknown', net: 'unknown' };

/** Its serial is the one on record here. Where the MAC is another one, it is a new control board: then its hashboards are the old ones. */
const isOwnSwap = (here: MinerEntry, { mac, serial, boards }: Match): boolean =>
  serial === 'same' && (mac !== 'other' || here.boardSerials === null || boards === 'same');

/** What a unit shows that another one has owns nothing. */
const owns = (entry: MinerEntry, fact: 'mac' | 'serial'): boolean => !entry.claimedFacts.includes(fact);

function ownerOfMac(index: MinerIndex, facts: Facts, isLive: (entry: MinerEntry) => boolean): MinerEntry | undefined {
  if (facts.mac === undefined) return undefined;
  const rank = (entry: MinerEntry): number =>
    (owns(entry, 'mac') ? 0 : 8) +
    (matchOf(entry, facts).serial === 'same' ? 0 : 4) +
    (entry.ip === null ? 0 : isLive(entry) ? 2 : 1);
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
    if (!owns(entry, 'serial')) continue;
    if (owner !== undefined) return undefined;
    owner = entry;
  }
  return owner;
}

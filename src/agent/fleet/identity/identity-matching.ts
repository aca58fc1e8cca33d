// Which miner a sighting belongs to: by valid MAC, then valid serial, then address. Pure: it names the case.
// `claims.ts` decides whether a claim is believed, and the resolver carries it out.
import { contradictedByNetwork, contradicts } from './claims.ts';
import { type Facts, isBridged, type Match, type MinerEntry, matchOf, type Sighting } from './record.ts';
import type { MinerIndex } from './storage/registry-index.ts';

type Resolution =
  /** The miner on record at this address. */
  | { readonly kind: 'here'; readonly entry: MinerEntry }
  /** A known miner that is on record at another address, or at none; `displaced` is on record here. */
  | { readonly kind: 'elsewhere'; readonly entry: MinerEntry; readonly displaced: MinerEntry | undefined }
  /** It reports the facts of the miner on record here, and the network shows another unit. */
  | { readonly kind: 'doubtful'; readonly entry: MinerEntry }
  /** An unknown miner; `displaced` was here before and is another unit. */
  | { readonly kind: 'new'; readonly displaced: MinerEntry | undefined };

/** `isLive` breaks ties between miners that share a value: the silent one has moved. */
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
    // Its new serial number belongs to another known miner.
    const donor = match.serial === 'other' && claimed === undefined ? ownerOfSerial(index, facts) : undefined;
    return donor === undefined ? atItsPlace(here, match) : { kind: 'elsewhere', entry: donor, displaced: here };
  }

  const owner = ownerOfMac(index, facts, isLive);
  const isRefuted = here?.claimState === 'refuted' && owner !== undefined && owner === claimed;
  if (owner !== undefined && !isRefuted) {
    // Address and serial belong to one miner, the MAC to another: a control board was moved, the miner stays.
    const isBoardSwap = here !== undefined && isOwnSwap(here, match) && matchOf(owner, facts).serial === 'other';
    const isSeenByNetwork = facts.netMac !== undefined && facts.netMac === facts.reportedMac;
    if (!(isBoardSwap && isSeenByNetwork)) return { kind: 'elsewhere', entry: owner, displaced: here };
  }
  // The network shows the unit on record here, whatever the device reports.
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

/** Whether the claim of a unit must be judged again. A refuted claim is believed only with proof from the network. */
function mayBeIt({ claimState }: MinerEntry, claimed: MinerEntry, facts: Facts): boolean {
  const { mac, serial, net } = matchOf(claimed, facts);
  if (claimState === 'refuted') return net === 'same' && !isBridged(claimed);
  return mac === 'same' || serial === 'same' || net === 'same';
}

const NOTHING: Match = { mac: 'unknown', serial: 'unknown', boards: 'unknown', net: 'unknown' };

/** Its serial is on record here. With another MAC (a new control board) its hashboards must be the old ones. */
const isOwnSwap = (here: MinerEntry, { mac, serial, boards }: Match): boolean =>
  serial === 'same' && (mac !== 'other' || here.boardSerials === null || boards === 'same');

/** A claimed fact belongs to the other miner, not to the claimant. */
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

/** A serial that several miners show identifies none of them. */
function ownerOfSerial(index: MinerIndex, facts: Facts): MinerEntry | undefined {
  let owner: MinerEntry | undefined;
  for (const entry of facts.serialKey === undefined ? [] : index.bySerial(facts.serialKey)) {
    if (!owns(entry, 'serial')) continue;
    if (owner !== undefined) return undefined;
    owner = entry;
  }
  return owner;
}

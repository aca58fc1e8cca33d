// What the miner registry keeps of one miner, and what a sighting says against it. Pure: no storage, no clock.
import { z } from 'zod';
import { macState, normaliseMac, normaliseSerial, serialState } from '../../../model/identity-facts.ts';
import { plainText } from '../../../model/plain-text.ts';
import type { EventRecord } from '../../../wire/records.ts';

const ownFactState = z.enum(['ok', 'empty', 'invalid']);

/** One miner of the farm, as it is stored: a column per field. Times in ms since the epoch. */
export const minerEntrySchema = z.object({
  key: z.string(),
  /** Where it stands; null when another unit took its address or it was replaced. */
  ip: z.string().nullable(),
  /** Where it was last seen. */
  lastIp: z.string(),
  /** The last valid MAC, upper case with colons. */
  mac: z.string().nullable(),
  /** Who said the MAC: the device itself, or this host's table of its direct neighbours for a device that is silent about it. */
  macSource: z.enum(['device', 'neighbour']).nullable(),
  /** What its newest MAC statement was worth; `empty` = it never made one. */
  macState: ownFactState,
  /** The last valid serial number as the device writes it; compared by `serialKey`. */
  serialNumber: z.string().nullable(),
  serialState: ownFactState,
  /** What the network (this host's table of its neighbours) last said of its address, if it was of no other address too. */
  netMac: z.string().nullable(),
  /** Serial numbers of its hashboards as they were last told, sorted, one per line; null = it never told any. */
  boardSerials: z.string().nullable(),
  /** The miner whose facts this unit shows, too, without having been found to be it; null = it shows its own. */
  claimsKey: z.string().nullable(),
  /** Those facts, e.g. `mac serial`; empty = none. */
  claimedFacts: z.string(),
  /** `refuted` = that miner answered as itself at the same time, or the network contradicts: never to be believed again. */
  claimState: z.enum(['open', 'refuted']).nullable(),
  claimedSinceMs: z.number().nullable(),
  driverId: z.string(),
  generation: z.string().nullable(),
  make: z.string().nullable(),
  model: z.string().nullable(),
  firmwareVersion: z.string().nullable(),
  firstSeenMs: z.number(),
  lastSeenMs: z.number(),
});
export type MinerEntry = Readonly<z.output<typeof minerEntrySchema>>;

/** A person's word: the unit that answered at `ip` is not the miner `key`, whatever it shows. Time in ms since the epoch. */
export const rejectionSchema = z.object({
  key: z.string(),
  ip: z.string(),
  /** What the network showed of that unit; null = nothing, then every unit at the address is meant. */
  netMac: z.string().nullable(),
  atMs: z.number(),
});
export type Rejection = Readonly<z.output<typeof rejectionSchema>>;

/** What tells one unit from another, and where it stands. */
export const unitFactsSchema = minerEntrySchema.pick({
  ...{ ip: true, mac: true, macSource: true, netMac: true, serialNumber: true, boardSerials: true },
});
export type UnitFacts = Readonly<z.output<typeof unitFactsSchema>>;

/** What one successful look at one address showed. `at` in ms since the epoch. Absent or blank facts are silence. */
export type Sighting = {
  readonly ip: string;
  readonly mac?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** What this host's neighbour table says of the address. `isShared` = of others, too: then it names nobody. */
  readonly neighbour?: { readonly mac: string; readonly isShared: boolean } | undefined;
  /** Of the hashboards, as the device writes them. */
  readonly boardSerials?: readonly string[] | undefined;
  readonly driverId: string;
  readonly generation?: string | undefined;
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  readonly firmwareVersion?: string | undefined;
  readonly at: number;
};

/** What of a sighting says who it is. */
export type Shown = Pick<Sighting, 'mac' | 'serialNumber' | 'neighbour' | 'boardSerials'>;

/** The facts of a sighting that can identify; invalid and blank ones are absent here. */
export type Facts = {
  readonly mac: string | undefined;
  /** The MAC that the device itself tells. */
  readonly toldMac: string | undefined;
  /** The MAC that the network shows at the address, and at no other. */
  readonly netMac: string | undefined;
  readonly boardSerials: string | undefined;
  readonly macSource: NonNullable<MinerEntry['macSource']>;
  /** A neighbour's MAC that turns out to stand for several addresses. */
  readonly sharedMac: string | undefined;
  readonly macState: MinerEntry['macState'];
  readonly serialNumber: string | undefined;
  readonly serialKey: string | undefined;
  readonly serialState: MinerEntry['serialState'];
};

/** The device's own word on its MAC goes before its neighbours', also when it makes no sense. */
export function factsOf(sighting: Shown): Facts {
  const own = macState(sighting.mac);
  const { neighbour } = sighting;
  const isOnlyNeighbour = neighbour !== undefined && !neighbour.isShared;
  const isFromTable = own === 'empty' && isOnlyNeighbour;
  const shown = isFromTable ? neighbour.mac : sighting.mac;
  const mac = isFromTable ? macState(shown) : own;
  const serial = serialState(sighting.serialNumber);
  const serialNumber = serial === 'ok' ? sighting.serialNumber?.trim() : undefined;
  const valid = mac === 'ok' && shown !== undefined ? normaliseMac(shown) : undefined;
  return {
    mac: valid,
    toldMac: isFromTable ? undefined : valid,
    netMac: isOnlyNeighbour ? normaliseMac(neighbour.mac) : undefined,
    macSource: isFromTable ? 'neighbour' : 'device',
    sharedMac: neighbour?.isShared ? normaliseMac(neighbour.mac) : undefined,
    macState: mac,
    serialNumber,
    serialKey: serialKey(serialNumber),
    serialState: serial,
    boardSerials: boardSerialsOf(sighting.boardSerials),
  };
}

export const serialKey = (serialNumber: string | null | undefined): string | undefined =>
  serialNumber ? normaliseSerial(serialNumber) : undefined;

const MAX_BOARDS = 16;
const MAX_SERIAL_CHARS = 64;

/** Valid ones, sorted, one per line; undefined when there are none. */
function boardSerialsOf(told: readonly string[] | undefined): string | undefined {
  const valid = (told ?? []).filter((serial) => serialState(serial) === 'ok');
  const serials = new Set(valid.map((serial) => normaliseSerial(serial).slice(0, MAX_SERIAL_CHARS)));
  return serials.size === 0 ? undefined : [...serials].sort().slice(0, MAX_BOARDS).join('\n');
}

export type Verdict = 'same' | 'other' | 'unknown';

/** Two values say something about each other only when both are valid. */
const compare = (known: string | undefined, seen: string | undefined): Verdict =>
  known === undefined || seen === undefined ? 'unknown' : known === seen ? 'same' : 'other';

/** A board may be missing or new: most of them must be the same ones. Some that are the same say nothing. */
function compareBoards(known: string | null, seen: string | undefined): Verdict {
  if (known === seen) return 'same';
  if (known === null || seen === undefined) return 'unknown';
  const [before, now] = [known.split('\n'), seen.split('\n')];
  const same = now.filter((serial) => before.includes(serial)).length;
  if (same === 0) return 'other';
  return same * 2 > Math.max(before.length, now.length) ? 'same' : 'unknown';
}

export type Match = {
  readonly mac: Verdict;
  readonly serial: Verdict;
  readonly boards: Verdict;
  /** Of the network's MAC with the one that the miner is known by. */
  readonly net: Verdict;
};

export const matchOf = (entry: UnitFacts, facts: Facts): Match => {
  const mac = compare(entry.mac ?? undefined, facts.mac);
  // A device may stand behind a bridge that shows a MAC of its own: what two sources say differently contradicts nothing.
  const isOtherSource = mac === 'other' && entry.macSource !== facts.macSource;
  return {
    mac: isOtherSource ? 'unknown' : mac,
    serial: compare(serialKey(entry.serialNumber), facts.serialKey),
    boards: compareBoards(entry.boardSerials, facts.boardSerials),
    net: isBridged(entry)
      ? compare(entry.netMac ?? undefined, facts.netMac)
      : compare(entry.mac ?? undefined, facts.netMac),
  };
};

/** It has been seen with another MAC in the network than the one that it tells: something stands in between. */
export const isBridged = ({ mac, netMac }: UnitFacts): boolean => mac !== null && netMac !== null && mac !== netMac;

/** The network has shown the MAC that it is known by at its address. */
export const isVouched = ({ mac, netMac }: UnitFacts): boolean => mac !== null && mac === netMac;

type MacFacts = Pick<MinerEntry, 'mac' | 'macSource' | 'macState'>;

/** Silence keeps what is known, the device's own word replaces it; a neighbour's MAC that others show, too, is taken back. */
function mergeMac(entry: MinerEntry, facts: Facts): MacFacts {
  const isTakenBack = entry.macSource === 'neighbour' && entry.mac === facts.sharedMac;
  const before: MacFacts = isTakenBack ? { mac: null, macSource: null, macState: 'empty' } : entry;
  const { mac, macSource, macState: state } = facts;
  // What the network shows is a fact, another MAC that the same unit tells from now on is none.
  const isOwnVouched = isVouched(entry) && entry.macSource === 'device' && facts.netMac === entry.mac;
  if (isOwnVouched && facts.toldMac !== entry.mac) return entry;
  if (mac === undefined) return { ...before, macState: state === 'empty' ? before.macState : state };
  const isOwnKnown = before.mac !== null && before.macSource === 'device';
  return macSource === 'neighbour' && isOwnKnown ? before : { mac, macSource, macState: state };
}

/** The entry after the sighting: silence keeps what is known, an answer replaces it. */
export function merge(entry: MinerEntry, sighting: Sighting, facts: Facts): MinerEntry {
  const { mac, macSource, macState: state } = mergeMac(entry, facts);
  return {
    ...entry,
    ip: sighting.ip,
    lastIp: sighting.ip,
    mac,
    macSource,
    macState: state,
    serialNumber: facts.serialNumber ?? entry.serialNumber,
    serialState: facts.serialState === 'empty' ? entry.serialState : facts.serialState,
    netMac: facts.netMac ?? (entry.netMac === facts.sharedMac ? null : entry.netMac),
    boardSerials: facts.boardSerials ?? entry.boardSerials,
    driverId: sighting.driverId,
    // A generation belongs to its driver: another driver's word would mislead.
    generation: plainText(sighting.generation) ?? (sighting.driverId === entry.driverId ? entry.generation : null),
    make: plainText(sighting.make) ?? entry.make,
    model: plainText(sighting.model) ?? entry.model,
    firmwareVersion: plainText(sighting.firmwareVersion) ?? entry.firmwareVersion,
    lastSeenMs: sighting.at,
  };
}

/** The first entry of a miner. */
export const newEntry = (key: string, sighting: Sighting, facts: Facts): MinerEntry =>
  merge(
    {
      key,
      ip: sighting.ip,
      lastIp: sighting.ip,
      mac: null,
      macSource: null,
      macState: 'empty',
      serialNumber: null,
      serialState: 'empty',
      netMac: null,
      boardSerials: null,
      claimsKey: null,
      claimedFacts: '',
      claimState: null,
      claimedSinceMs: null,
      driverId: sighting.driverId,
      generation: null,
      make: null,
      model: null,
      firmwareVersion: null,
      firstSeenMs: sighting.at,
      lastSeenMs: sighting.at,
    },
    sighting,
    facts,
  );

const FACTS = minerEntrySchema.omit({ lastSeenMs: true }).keyof().options;

/** Whether anything but the time differs, that is, whether it must be written now. */
export const hasChanged = (before: MinerEntry, after: MinerEntry): boolean =>
  FACTS.some((name) => before[name] !== after[name]);

/** `at` in ms since the epoch. */
export function event(
  type: EventRecord['type'],
  key: string,
  at: number,
  detail: Record<string, unknown>,
): EventRecord {
  return { kind: 'event', type, key, at: new Date(at).toISOString(), detail };
}

const BRIEF_MS = 3_600_000;

/** Only ever seen briefly. A wall clock that was set in between makes no entry brief. */
export const isBrief = ({ firstSeenMs, lastSeenMs }: MinerEntry): boolean =>
  Math.abs(lastSeenMs - firstSeenMs) < BRIEF_MS;

// What the miner registry keeps of one miner, and how a sighting compares with it. Pure: no storage, no clock.
import { z } from 'zod';
import type { EventType } from '../../../model/events/event-types.ts';
import { macState, normaliseMac, normaliseSerial, serialState } from '../../../model/identity-facts.ts';
import { plainText } from '../../../model/plain-text.ts';
import type { EventRecord } from '../../../wire/records.ts';

const ownFactState = z.enum(['ok', 'empty', 'invalid']);

/** One miner of the farm, as it is stored: a column per field. Times in ms since the epoch. */
export const minerEntrySchema = z.object({
  key: z.string(),
  /** Its address; null when another unit took it or the miner was replaced. */
  ip: z.string().nullable(),
  /** Where it was last seen. */
  lastIp: z.string(),
  /** The last valid MAC, upper case with colons. */
  mac: z.string().nullable(),
  /** Source of the MAC: the device itself, or this host's neighbour table if the device reports none. */
  macSource: z.enum(['device', 'neighbour']).nullable(),
  /** Of the newest MAC that it reported; `empty` = it never reported one. */
  macState: ownFactState,
  /** The last valid serial number as the device writes it; compared by `serialKey`. */
  serialNumber: z.string().nullable(),
  serialState: ownFactState,
  /** The last MAC of its address in this host's neighbour table, unless other addresses had it too. */
  netMac: z.string().nullable(),
  /** The last reported serial numbers of its hashboards, sorted, one per line; null = it never reported any. */
  boardSerials: z.string().nullable(),
  /** The miner whose facts this unit shows without proof that it is that miner; null = its facts are its own. */
  claimsKey: z.string().nullable(),
  /** Those facts, e.g. `mac serial`; empty = none. */
  claimedFacts: z.string(),
  /** `refuted` = the miner answered at the same time, or the network contradicts: never believed again. */
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

/** A person's decision: the unit at `ip` is not the miner `key`, whatever it shows. Time in ms since the epoch. */
export const rejectionSchema = z.object({
  key: z.string(),
  ip: z.string(),
  /** The MAC of that unit in the network; null = unknown, then every unit at the address is meant. */
  netMac: z.string().nullable(),
  atMs: z.number(),
});
export type Rejection = Readonly<z.output<typeof rejectionSchema>>;

/** The facts that identify a unit, and its address. */
export const unitFactsSchema = minerEntrySchema.pick({
  ...{ ip: true, mac: true, macSource: true, netMac: true, serialNumber: true, boardSerials: true },
});
export type UnitFacts = Readonly<z.output<typeof unitFactsSchema>>;

/** What one successful look at one address showed. `at` in ms since the epoch. Absent or blank facts mean nothing. */
export type Sighting = {
  readonly ip: string;
  readonly mac?: string | undefined;
  readonly serialNumber?: string | undefined;
  /** From this host's neighbour table. `isShared` = other addresses have that MAC too: then it identifies no unit. */
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

/** What of a sighting identifies the unit. */
export type Shown = Pick<Sighting, 'mac' | 'serialNumber' | 'neighbour' | 'boardSerials'>;

/** The facts of a sighting that can identify; invalid and blank ones are absent here. */
export type Facts = {
  readonly mac: string | undefined;
  /** The MAC that the device itself reports. */
  readonly reportedMac: string | undefined;
  /** The MAC that the network shows at the address, and at no other. */
  readonly netMac: string | undefined;
  readonly boardSerials: string | undefined;
  readonly macSource: NonNullable<MinerEntry['macSource']>;
  /** A MAC of the neighbour table that several addresses have. */
  readonly sharedMac: string | undefined;
  readonly macState: MinerEntry['macState'];
  readonly serialNumber: string | undefined;
  readonly serialKey: string | undefined;
  readonly serialState: MinerEntry['serialState'];
};

/** The MAC that the device reports goes before the neighbour table's, also when it is invalid. */
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
    reportedMac: isFromTable ? undefined : valid,
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

/** Only valid values are compared. */
const compare = (known: string | undefined, seen: string | undefined): Verdict =>
  known === undefined || seen === undefined ? 'unknown' : known === seen ? 'same' : 'other';

/** A board may be missing or new, so most boards must be the same. Fewer prove nothing. */
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
  // A device may be behind a bridge with a MAC of its own: values of two sources that differ contradict nothing.
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

/** The network showed another MAC than the device reports: a bridge is in between. */
export const isBridged = ({ mac, netMac }: UnitFacts): boolean => mac !== null && netMac !== null && mac !== netMac;

/** The network has shown the MAC that it is known by at its address. */
export const isVouched = ({ mac, netMac }: UnitFacts): boolean => mac !== null && mac === netMac;

type MacFacts = Pick<MinerEntry, 'mac' | 'macSource' | 'macState'>;

/** A missing MAC keeps the known one, a reported one replaces it. A shared MAC of the neighbour table is dropped. */
function mergeMac(entry: MinerEntry, facts: Facts): MacFacts {
  const isTakenBack = entry.macSource === 'neighbour' && entry.mac === facts.sharedMac;
  const before: MacFacts = isTakenBack ? { mac: null, macSource: null, macState: 'empty' } : entry;
  const { mac, macSource, macState: state } = facts;
  // The network still shows the known MAC: another MAC that the unit reports does not count.
  const isOwnVouched = isVouched(entry) && entry.macSource === 'device' && facts.netMac === entry.mac;
  if (isOwnVouched && facts.reportedMac !== entry.mac) return entry;
  if (mac === undefined) return { ...before, macState: state === 'empty' ? before.macState : state };
  const isOwnKnown = before.mac !== null && before.macSource === 'device';
  return macSource === 'neighbour' && isOwnKnown ? before : { mac, macSource, macState: state };
}

/** The entry after the sighting: a missing value keeps the known one, a reported one replaces it. */
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
    // A generation belongs to its driver.
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

/** Whether anything but the time differs: then it must be written now. */
export const hasChanged = (before: MinerEntry, after: MinerEntry): boolean =>
  FACTS.some((name) => before[name] !== after[name]);

/** `at` in ms since the epoch. */
export function event(type: EventType, key: string, at: number, detail: Record<string, unknown>): EventRecord {
  return { kind: 'event', type, key, at: new Date(at).toISOString(), detail };
}

const BRIEF_MS = 3_600_000;

/** Only ever seen briefly. A wall clock that was set in between makes no entry brief. */
export const isBrief = ({ firstSeenMs, lastSeenMs }: MinerEntry): boolean =>
  Math.abs(lastSeenMs - firstSeenMs) < BRIEF_MS;

// What the identity book keeps of one miner, and what a sighting says against it. Pure: no storage, no clock.
import { type FactState, macState, normaliseMac, normaliseSerial, serialState } from '../../model/identity-facts.ts';
import { plainText } from '../../model/plain-text.ts';

export type OwnFactState = Exclude<FactState, 'duplicate'>;

/** One miner of the farm. Times in ms since the epoch. */
export type MinerEntry = {
  readonly key: string;
  /** Where it stands; null when another unit took its address or it was replaced. */
  readonly ip: string | null;
  /** Where it was last seen. */
  readonly lastIp: string;
  /** The last valid MAC, upper case with colons. */
  readonly mac: string | null;
  /** What its newest MAC statement was worth; `empty` = it never made one. */
  readonly macState: OwnFactState;
  /** The last valid serial number as the device writes it; compared by `serialKey`. */
  readonly serialNumber: string | null;
  readonly serialState: OwnFactState;
  readonly driverId: string;
  readonly generation: string | null;
  readonly make: string | null;
  readonly model: string | null;
  readonly firmwareVersion: string | null;
  readonly firstSeenMs: number;
  readonly lastSeenMs: number;
};

/** What one successful look at one address showed. `at` in ms since the epoch. Absent or blank facts are silence. */
export type Sighting = {
  readonly ip: string;
  readonly mac?: string | undefined;
  readonly serialNumber?: string | undefined;
  readonly driverId: string;
  readonly generation?: string | undefined;
  readonly make?: string | undefined;
  readonly model?: string | undefined;
  readonly firmwareVersion?: string | undefined;
  readonly at: number;
};

/** The facts of a sighting that can identify; invalid and blank ones are absent here. */
export type Facts = {
  readonly mac: string | undefined;
  readonly macState: OwnFactState;
  readonly serialNumber: string | undefined;
  readonly serialKey: string | undefined;
  readonly serialState: OwnFactState;
};

export function factsOf(sighting: Pick<Sighting, 'mac' | 'serialNumber'>): Facts {
  const mac = macState(sighting.mac);
  const serial = serialState(sighting.serialNumber);
  const serialNumber = serial === 'ok' ? sighting.serialNumber?.trim() : undefined;
  return {
    mac: mac === 'ok' && sighting.mac !== undefined ? normaliseMac(sighting.mac) : undefined,
    macState: mac,
    serialNumber,
    serialKey: serialKey(serialNumber),
    serialState: serial,
  };
}

export const serialKey = (serialNumber: string | null | undefined): string | undefined =>
  serialNumber ? normaliseSerial(serialNumber) : undefined;

type Verdict = 'same' | 'other' | 'unknown';

/** Two values say something about each other only when both are valid. */
const compare = (known: string | undefined, seen: string | undefined): Verdict =>
  known === undefined || seen === undefined ? 'unknown' : known === seen ? 'same' : 'other';

export type Match = { readonly mac: Verdict; readonly serial: Verdict };

export const matchOf = (entry: MinerEntry, facts: Facts): Match => ({
  mac: compare(entry.mac ?? undefined, facts.mac),
  serial: compare(serialKey(entry.serialNumber), facts.serialKey),
});

/** The entry after the sighting: silence keeps what is known, an answer replaces it. */
export function merge(entry: MinerEntry, sighting: Sighting, facts: Facts): MinerEntry {
  return {
    ...entry,
    ip: sighting.ip,
    lastIp: sighting.ip,
    mac: facts.mac ?? entry.mac,
    macState: facts.macState === 'empty' ? entry.macState : facts.macState,
    serialNumber: facts.serialNumber ?? entry.serialNumber,
    serialState: facts.serialState === 'empty' ? entry.serialState : facts.serialState,
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
      macState: 'empty',
      serialNumber: null,
      serialState: 'empty',
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

/** Whether anything but the time differs, that is, whether it must be written now. */
export function hasChanged(before: MinerEntry, after: MinerEntry): boolean {
  return (
    before.ip !== after.ip ||
    before.lastIp !== after.lastIp ||
    before.mac !== after.mac ||
    before.macState !== after.macState ||
    before.serialNumber !== after.serialNumber ||
    before.serialState !== after.serialState ||
    before.driverId !== after.driverId ||
    before.generation !== after.generation ||
    before.make !== after.make ||
    before.model !== after.model ||
    before.firmwareVersion !== after.firmwareVersion
  );
}

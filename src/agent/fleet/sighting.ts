// The identity facts in a device's answer, in the form of the miner registry, and the facts that its driver may use.
// Pure.
import type { PeerCode, PeerError } from '../../base/errors.ts';
import type { Known } from '../../driver/contract.ts';
import type { VisitOutcome } from '../../driver/visit/visit.ts';
import type { Reading } from '../../model/reading.ts';
import type { EventRecord } from '../../wire/records.ts';
import type { MinerTarget } from '../device/device-client.ts';
import type { NamedUnit } from './identity/conflicts.ts';
import type { MinerEntry, Shown, Sighting } from './identity/record.ts';

/** Values that the device reports go before those of identification. */
export const sightingOf = (
  { ip, driver, known }: MinerTarget,
  identity: Pick<Sighting, 'mac' | 'serialNumber'>,
  at: number,
  reading: Reading = {},
): Sighting => ({
  ip,
  driverId: driver.id,
  at,
  mac: reading.mac ?? identity.mac,
  serialNumber: reading.serialNumber ?? identity.serialNumber,
  boardSerials: boardSerialsOf(reading),
  generation: known.generation,
  make: reading.make ?? known.make,
  model: reading.model ?? known.model,
  firmwareVersion: reading.firmwareVersion,
});

/** What of a reading identifies the miner. */
export const factsIn = (reading: Reading): Pick<Shown, 'mac' | 'serialNumber' | 'boardSerials'> => ({
  mac: reading.mac,
  serialNumber: reading.serialNumber,
  boardSerials: boardSerialsOf(reading),
});

const boardSerialsOf = ({ boards = [] }: Reading) => boards.flatMap((board) => board.serialNumber ?? []);

/** The login was not sent, because an earlier unit at this address refused it. */
export function isHeldBack({ failed }: VisitOutcome): boolean {
  const refusals = failed.filter(({ error }) => error.code === 'peer.auth');
  return refusals.length > 0 && refusals.every(({ error }) => error.wasSent === false);
}

/** What its driver may know. */
export function knownOf({ generation, make, model }: MinerEntry): Known {
  return {
    ...(generation !== null && { generation }),
    ...(make !== null && { make }),
    ...(model !== null && { model }),
  };
}

const MAX_TWINS = 3;

/** `10.0.0.5 and 10.0.0.9 (Antminer S19)`: a miner and the others that show the same; undefined when there are none. */
export function twinsIn(ip: string, others: readonly NamedUnit[]): string | undefined {
  if (others.length === 0) return undefined;
  const named = others.slice(0, MAX_TWINS).map(nameOf);
  const more = others.length > MAX_TWINS ? ` and ${others.length - MAX_TWINS} more` : '';
  return `${ip} and ${named.join(', ')}${more}`;
}

const nameOf = ({ ip, make, model }: NamedUnit): string => {
  const name = model === null || make === null || model.startsWith(make) ? (model ?? make) : `${make} ${model}`;
  return name === null ? ip : `${ip} (${name})`;
};

/** Once per miner and difference: the device's own report of its build counts, and our table should be corrected. */
export const contradiction = (key: string, at: string, reading: Reading | undefined): EventRecord => ({
  ...{ kind: 'event', type: 'model_contradicted', key, at },
  detail: { make: reading?.make ?? null, model: reading?.model ?? null, counts: reading?.expected?.contradicted ?? [] },
});

/** These come from a host whose network works. A timeout shows that only after the request was sent. */
const FROM_HOST: ReadonlySet<PeerCode> = new Set(['peer.refused', 'peer.reset', 'peer.unparsable', 'peer.too-large']);

/** The failure shows that the host takes connections, or turns them away. */
export const showsHost = ({ code, wasSent }: PeerError): boolean =>
  FROM_HOST.has(code) || (code === 'peer.busy' && wasSent !== false) || (code === 'peer.timeout' && wasSent === true);

// From a Reading to the miner document of the interface: names and units only, nothing invented or rounded. It decides
// no flag and keeps no state; after a failed poll, values come from the previous document.
import { mean, sumOfAll } from '../base/numbers.ts';
import { toBitmask } from './flags/anomaly-types.ts';
import type { Flag } from './flags/flags.ts';
import { macState, normaliseMac, serialState, type UnstableReason } from './identity-facts.ts';
import type { MinerDocument, MinerExtras } from './miner.ts';
import { plainText as text, withoutLogin } from './plain-text.ts';
import type { BoardReading, ErrorReading, PoolReading, Reading } from './reading.ts';

/** `source` of the `network` flag "does not answer". A `network` flag of another source says nothing about mining. */
export const OFFLINE_SOURCE = 'contact';

type MinerRecordParts = { readonly document: MinerDocument; readonly extras: MinerExtras };

export type DocumentFacts = {
  /** The newest successful reading: of this visit, or of an earlier one when this visit failed. */
  readonly reading: Reading | undefined;
  /** What was reported before; its values stand when there is no reading (after a restart, before the first answer). */
  readonly previous?: MinerRecordParts | undefined;
  readonly ip: string;
  /** Id of the driver. */
  readonly driverId: string;
  /** The driver is a file on this host, no part of the program. */
  readonly isFolderDriver?: boolean;
  /** As last proven by a rate, shares or the device's own word; undefined = never. */
  readonly isMining: boolean | undefined;
  /** Facts that earlier visits learned, for the fields that this reading lacks. */
  readonly known?: KnownFacts | undefined;
  readonly isLastCheckOk: boolean;
  readonly unstableReason: UnstableReason | null;
  /** The factory login was accepted lately; undefined = this visit cannot tell. */
  readonly isFactoryLogin?: boolean | undefined;
  /** The host takes connections, and nothing on it gives an answer. */
  readonly isHung?: boolean;
  /** What a model mines by; null = not known. */
  readonly algorithmOf?: (make: string | null, model: string | null) => string | null;
  readonly flags: readonly Flag[];
  /** The agent's own 24 h average, for devices that report none. */
  readonly hashrate24hHs: number | undefined;
  /** Wall time of the newest successful reading, ms since the epoch. */
  readonly lastReadingAtMs: number | undefined;
};

type KnownFacts = {
  readonly [K in 'mac' | 'serialNumber' | 'make' | 'model' | 'firmwareVersion']?: string | null | undefined;
};

export function toMinerDocument(facts: DocumentFacts): MinerRecordParts {
  const { reading, previous } = facts;
  const standing: MinerRecordParts =
    reading === undefined
      ? (previous ?? { document: fromReading({}, facts), extras: extrasOf({}, facts) })
      : { document: fromReading(reading, facts), extras: extrasOf(reading, facts) };
  const isOffline =
    !facts.isLastCheckOk && facts.flags.some((flag) => flag.type === 'network' && flag.source === OFFLINE_SOURCE);
  return {
    document: {
      ...standing.document,
      ip: facts.ip,
      is_mining: standing.document.is_mining && !isOffline,
      last_check_succeed: facts.isLastCheckOk,
      last_updated_at: facts.lastReadingAtMs === undefined ? null : new Date(facts.lastReadingAtMs).toISOString(),
      unstable_reason: facts.unstableReason,
      anomaly_flags: toBitmask(facts.flags.map((flag) => flag.type)),
    },
    extras: {
      ...withoutHung(standing.extras),
      ...(facts.isHung === true ? { hung: true } : {}),
      flags: [...facts.flags],
    },
  };
}

const withoutHung = ({ hung: _, ...extras }: MinerExtras): MinerExtras => extras;

function fromReading(reading: Reading, facts: DocumentFacts): MinerDocument {
  const { ip, known, hashrate24hHs, isMining, previous } = facts;
  const boards = inSlotOrder(reading.boards);
  return {
    ip,
    mac: identifyingMac(said(reading.mac) ?? known?.mac ?? undefined) ?? '',
    serial_number: identifyingSerial(said(reading.serialNumber) ?? known?.serialNumber ?? undefined) ?? null,
    model: text(reading.model) ?? text(known?.model) ?? null,
    firmware_version: text(reading.firmwareVersion) ?? text(known?.firmwareVersion) ?? null,
    is_mining: isMining ?? previous?.document.is_mining ?? false,
    mining_mode: modeOf(reading, facts) ?? 'normal',
    mining_mode_preset: text(reading.miningModePreset) ?? null,
    hashrate: reading.hashrateHs ?? null,
    hashrate_24h: reading.hashrate24hHs ?? hashrate24hHs ?? null,
    power: reading.powerW ?? null,
    temp: reading.tempC ?? hottest(boards) ?? null,
    temperature_inlet_avg: reading.inletTempC ?? mean(boards.map((board) => board.inletTempC)) ?? null,
    temperature_outlet_avg: reading.outletTempC ?? mean(boards.map((board) => board.outletTempC)) ?? null,
    efficiency: joulesPerTerahash(reading.powerW, reading.hashrateHs) ?? null,
    uptime: reading.uptimeS ?? reading.systemUptimeS ?? 0,
    errors: (reading.errors ?? [])
      // A state such as "tuning finished" travels as a code too, and is no error.
      .filter((error) => error.category !== 'state')
      .map((error) => ({ code: text(error.code, 128) ?? 'unknown', message: text(wordsOf(error), 512) ?? null })),
    hashboards: boards.map((board) => ({
      serial_number: text(board.serialNumber) ?? null,
      hashrate: board.hashrateHs ?? null,
      chips: board.chips ?? null,
      chip_frequency: board.frequencyMhz ?? null,
    })),
    total_chips: sumOfAll(boards.map((board) => board.chips)) ?? reading.totalChips ?? null,
    expected_chips: product(reading.expected?.boards, reading.expected?.chipsPerBoard) ?? null,
    pools: [...(reading.pools ?? [])].sort((a, b) => a.index - b.index).map(poolOf),
    psus: (reading.psus ?? []).map((psu) => ({
      serial_number: text(psu.serialNumber) ?? null,
      temperature: psu.tempC ?? null,
    })),
    last_check_succeed: false,
    last_updated_at: null,
    unstable_reason: null,
    anomaly_flags: 0,
  };
}

const wordsOf = ({ message, since }: ErrorReading): string | undefined =>
  since === undefined ? message : `${message === undefined ? '' : `${message}, `}since ${since}`;

function extrasOf(reading: Reading, facts: DocumentFacts): MinerExtras {
  const { driverId, isFolderDriver, known, isFactoryLogin, algorithmOf } = facts;
  const expected = reading.expected;
  const make = text(reading.make) ?? text(known?.make) ?? null;
  return {
    make,
    algorithm: algorithmOf?.(make, text(reading.model) ?? text(known?.model) ?? null) ?? null,
    firmware: driverId,
    ...(isFolderDriver === true ? { driver_origin: 'folder' } : {}),
    hostname: text(reading.hostname) ?? null,
    controller_serial_number: text(reading.controllerSerialNumber) ?? null,
    expected_hashrate: expected?.hashrateHs ?? null,
    power_limit: reading.powerLimitW ?? null,
    cooling: expected?.cooling ?? null,
    light_on: reading.isLightOn ?? null,
    fans: [...(reading.fans ?? [])]
      .sort((a, b) => a.index - b.index)
      .map((fan) => ({ index: fan.index, rpm: fan.rpm ?? null, duty_percent: fan.dutyPercent ?? null })),
    board_details: inSlotOrder(reading.boards).map((board) => ({
      slot: board.slot,
      temperatures: board.boardTempsC ?? [],
      chip_temperature_max: board.chipTempMaxC ?? null,
      chip_temperature_avg: board.chipTempAvgC ?? null,
      expected_chips: expected?.chipsPerBoard ?? null,
      bad_chips: board.badChips ?? null,
      expected_hashrate: board.expectedHashrateHs ?? null,
      ...(board.voltageV === undefined ? {} : { voltage: board.voltageV }),
      ...(board.powerW === undefined ? {} : { power: board.powerW }),
    })),
    ...(modeOf(reading, facts) === undefined ? { mining_mode_reported: false } : {}),
    ...(isFactoryLogin === true ? { default_password: true } : {}),
    flags: [],
  };
}

/**
 * One failed answer is no change of mode: the last mode of the same firmware stays, except sleep that has ended or may
 * have begun.
 */
function modeOf({ miningMode }: Reading, { previous, driverId, isMining }: DocumentFacts): string | undefined {
  if (miningMode !== undefined || previous === undefined) return miningMode;
  const { document, extras } = previous;
  if (extras.mining_mode_reported === false || extras.firmware !== driverId) return undefined;
  const wasAsleep = document.mining_mode === 'sleep';
  return isMining === wasAsleep ? undefined : document.mining_mode;
}

function poolOf(pool: PoolReading): MinerDocument['pools'][number] {
  return {
    url: text(withoutLogin(pool.url), 512) ?? '',
    worker_id: text(pool.user, 512) ?? '',
    difficulty_accepted: pool.difficultyAccepted ?? null,
    difficulty_rejected: pool.difficultyRejected ?? null,
    difficulty_stale: pool.difficultyStale ?? null,
  };
}

/** A blank is silence, so an earlier answer stands; an invalid value is an answer, so it does not. */
const said = (value: string | undefined): string | undefined => (value?.trim() ? value : undefined);

const identifyingMac = (mac: string | undefined): string | undefined =>
  mac !== undefined && macState(mac) === 'ok' ? normaliseMac(mac) : undefined;

const identifyingSerial = (serial: string | undefined): string | undefined =>
  serialState(serial) === 'ok' ? text(serial, 128) : undefined;

const inSlotOrder = (boards: readonly BoardReading[] | undefined): BoardReading[] =>
  [...(boards ?? [])].sort((a, b) => a.slot - b.slot);

/** J/TH. A miner that does not hash has no efficiency. */
function joulesPerTerahash(powerW: number | undefined, hashrateHs: number | undefined): number | undefined {
  if (powerW === undefined || hashrateHs === undefined || hashrateHs <= 0) return undefined;
  const efficiency = powerW / (hashrateHs / 1e12);
  return Number.isFinite(efficiency) ? efficiency : undefined;
}

/** The hottest chip, else the hottest board sensor. */
function hottest(boards: readonly BoardReading[]): number | undefined {
  const chips = boards.flatMap((board) => board.chipTempMaxC ?? board.chipTempAvgC ?? []);
  const sensors = chips.length > 0 ? chips : boards.flatMap((board) => board.boardTempsC ?? []);
  return sensors.length === 0 ? undefined : Math.max(...sensors);
}

const product = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a * b;

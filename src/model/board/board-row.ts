// Makes the row of one miner in two steps, from what its agent reported of it and then from what is known of it
// besides: the report itself need not be kept. Numbers are rounded to what people read, so that a row changes when
// something has changed. Pure.
import { type Flag, worstFirst } from '../flags/flags.ts';
import type { MinerDocument, MinerExtras, OpsStatus } from '../miner.ts';
import type { SelectableMiner } from '../selector/selector.ts';
import type { BoardFlag } from './board-miner.ts';

/** As reported, or as stored: there the mode is null where the device reports none. */
export type ReportedMiner = {
  readonly document: Omit<MinerDocument, 'mining_mode'> & { readonly mining_mode: string | null };
  readonly extras: MinerExtras;
  /** Names of tasks. */
  readonly abilities: readonly string[];
};

/** What no report says; times in ms since the epoch. */
export type Circumstances = {
  readonly id: string;
  readonly key: string | null;
  readonly agentId: string | null;
  readonly container: string | null;
  readonly rack: string | null;
  readonly position: number | null;
  readonly opsStatus: OpsStatus | null;
  /** Its reports are not too old. */
  readonly isReported: boolean;
  readonly isUnknown: boolean;
  readonly seenAtMs: number | null;
  readonly createdAtMs: number | null;
};

/** What a row has of the report. */
export type ReportedRow = Omit<SelectableMiner, Exclude<keyof Circumstances, 'isReported'> | 'isOnline'> & {
  /** The newest poll succeeded. */
  readonly hasAnswered: boolean;
};

const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
const HOUR_S = 3_600;

export function boardRow({ hasAnswered, ...reported }: ReportedRow, known: Circumstances): SelectableMiner {
  const { isReported, isUnknown, seenAtMs, createdAtMs, ...rest } = known;
  return {
    ...reported,
    ...rest,
    isUnknown,
    isOnline: isReported && !isUnknown && hasAnswered,
    seenAtMs: seenAtMs === null ? null : floorTo(seenAtMs, SECOND_MS),
    createdAtMs: createdAtMs === null ? null : floorTo(createdAtMs, MINUTE_MS),
  };
}

export function reportedRow(reported: ReportedMiner): ReportedRow {
  const { document, extras, abilities } = reported;
  const [pool] = document.pools;
  return {
    hasAnswered: document.last_check_succeed,
    ip: document.ip,
    mac: orNull(document.mac),
    serial: orNull(document.serial_number),
    hostname: orNull(extras.hostname),
    make: extras.make,
    model: document.model,
    algorithm: extras.algorithm ?? null,
    driver: extras.firmware,
    firmware: document.firmware_version,
    abilities,
    mode: extras.mining_mode_reported === false ? null : document.mining_mode,
    isMining: document.is_mining,
    isHung: extras.hung === true,
    flags: document.anomaly_flags,
    firstFlag: firstOf(extras.flags),
    hashrateHs: digits(document.hashrate),
    expectedHs: digits(extras.expected_hashrate),
    powerW: rounded(document.power, 1),
    tempC: rounded(document.temp, 10),
    fanRpm: fastest(extras),
    pool: orNull(pool?.url),
    worker: orNull(pool?.worker_id),
    // 0 = the device does not say.
    uptimeS: document.uptime === 0 ? null : shownUptime(document.uptime),
    serials: serialsOf(reported),
    pools: document.pools.flatMap(({ url }) => orNull(url) ?? []),
    workers: document.pools.flatMap(({ worker_id }) => orNull(worker_id) ?? []),
  };
}

const orNull = (text: string | null | undefined): string | null => text || null;

const RATE_DIGITS = 4;
const digits = (value: number | null): number | null => value && Number(value.toPrecision(RATE_DIGITS));
const rounded = (value: number | null, steps: number): number | null => value && Math.round(value * steps) / steps;
const floorTo = (value: number, step: number): number => Math.floor(value / step) * step;
/** Seconds where a restart is recent, minutes later. */
const shownUptime = (uptimeS: number) => floorTo(uptimeS, uptimeS < HOUR_S ? 1 : 60);

function fastest({ fans }: MinerExtras): number | null {
  const speeds = fans.flatMap(({ rpm }) => rpm ?? []);
  return speeds.length === 0 ? null : Math.round(Math.max(...speeds));
}

function firstOf(flags: readonly Flag[]): BoardFlag | null {
  const [first] = flags.toSorted(worstFirst);
  if (first === undefined) return null;
  const { type, severity, message, since } = first;
  return { type, severity, message, sinceMs: floorTo(Date.parse(since), SECOND_MS) };
}

function serialsOf({ document, extras }: ReportedMiner): readonly string[] {
  const all = [
    document.serial_number,
    extras.controller_serial_number,
    ...document.hashboards.map(({ serial_number }) => serial_number),
    ...document.psus.map(({ serial_number }) => serial_number),
  ];
  return [...new Set(all.flatMap((serial) => orNull(serial) ?? []))];
}

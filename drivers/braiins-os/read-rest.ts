// The REST generation as a Reading. Each answer gives its own fields; what is missing stays away.
import { first, firstMac, largest, mean, scale } from '../../src/driver/fields.ts';
import type { Model } from '../../src/driver/kit/models/models.ts';
import type { BoardReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import { boardsBeside } from '../_dialects/empty-list.ts';
import { errorsOf } from './errors.ts';
import { countedChips, fansOf, poolsIn, slotsOf } from './parts.ts';
import type { Replies } from './replies.ts';
import type { RestBoard } from './replies-rest.ts';

/** `control_board_soc_family`. */
const CONTROL_BOARDS: Readonly<Record<number, string>> = {
  1: 'CVITek',
  2: 'BeagleBone',
  3: 'AMLogic',
  4: 'Xilinx',
  5: 'Braiins CB',
};

/** Its averages count the time before it started as nothing hashed. */
const FULL_S = 900;

export const RUNNING = 2;
const RESTING: readonly number[] = [1, 3, 4];
const PAUSED = 3;
const SUSPENDED = 4;

export function readRest(replies: Replies, model: Model | undefined): Reading {
  const { details, stats, cooling, network } = replies;
  const rates = stats?.miner_stats?.real_hashrate;
  const nowHs = rates?.last_5s?.gigahash_per_second;
  const boards = replies.hashboards?.hashboards && boardsOf(replies.hashboards.hashboards);
  const soc = details?.control_board_soc_family;
  return present({
    mac: firstMac(network?.mac_address, details?.mac_address),
    serialNumber: details?.serial_number,
    hostname: first(details?.hostname, network?.hostname),
    firmwareVersion: details?.bos_version?.current,
    apiVersion: apiVersion(replies.version),
    controlBoard: soc === undefined ? undefined : CONTROL_BOARDS[soc],

    hashrateHs: nowHs,
    hashrateWindow: nowHs === undefined ? undefined : ('5s' as const),
    hashrateSettledHs:
      (details?.bosminer_uptime_s ?? FULL_S) < FULL_S ? undefined : rates?.last_15m?.gigahash_per_second,
    hashrateAverageHs: rates?.since_restart?.gigahash_per_second,
    hashrate24hHs: rates?.last_24h?.gigahash_per_second,
    powerW: stats?.power_stats?.approximated_consumption?.watt,
    powerLimitW: powerLimit(replies),
    uptimeS: details?.bosminer_uptime_s,
    systemUptimeS: details?.system_uptime_s,

    isMining: isMining(details?.status, nowHs),
    miningMode: miningMode(replies),
    isLightOn: replies.locate,

    tempC: first(
      largest(boards?.map(({ chipTempMaxC }) => chipTempMaxC) ?? []),
      cooling?.highest_temperature?.temperature?.degree_c,
      largest(boards?.flatMap(({ boardTempsC }) => boardTempsC ?? []) ?? []),
    ),
    inletTempC: mean(boards?.map(({ inletTempC }) => inletTempC) ?? []),
    outletTempC: mean(boards?.map(({ outletTempC }) => outletTempC) ?? []),

    boards: boardsBeside(boards, nowHs),
    fans: fansOf(
      cooling?.fans?.map(({ position, rpm, target_speed_ratio }) => ({
        index: position,
        rpm,
        duty: scale(target_speed_ratio, 100),
      })),
      model,
    ),
    psus: psus(details),
    pools: pools(replies.pools),
    // Without the clock of the statistics there is no telling which of its history is of now.
    errors: stats && errorsOf(replies.errors?.errors, stats.pool_stats?.last_share_time?.seconds, nowHs),
  });
}

/** The rate that the firmware aims at, else the sticker's, which counts for a machine that is not tuned. */
export function restExpectedHs(replies: Replies): number | undefined {
  const nominal = positive(replies.stats?.miner_stats?.nominal_hashrate?.gigahash_per_second);
  const sticker = positive(replies.details?.sticker_hashrate?.gigahash_per_second);
  return first(nominal, miningMode(replies) === 'normal' ? sticker : undefined);
}

/** Not started, paused, suspended: the device's own word. Of any other the rate tells, which may be 0 while it runs. */
function isMining(status: number | undefined, nowHs: number | undefined): boolean | undefined {
  if (status !== undefined && RESTING.includes(status)) return false;
  return nowHs === undefined ? undefined : nowHs > 0;
}

/** What it is set to holds for one that is awake. `paused` is what it was told; what suspended itself is not asleep. */
function miningMode({ details, configuration, stats }: Replies): MiningMode | undefined {
  const nowHs = stats?.miner_stats?.real_hashrate?.last_5s?.gigahash_per_second ?? 0;
  if (details?.status === undefined && nowHs === 0) return undefined;
  if (details?.status === PAUSED) return 'sleep';
  // What it is tuned to is its mode only while it does not sleep.
  if (details?.status === undefined || details.status === SUSPENDED) return undefined;
  const tuner = configuration?.tuner;
  if (tuner?.enabled === undefined) return undefined;
  if (!tuner.enabled) return 'normal';
  switch (tuner.tuner_mode) {
    case 1:
      return 'power_tuning';
    case 2:
      return 'hashrate_tuning';
    default:
      return undefined;
  }
}

/** What is in force, which is below what is set while the firmware scales down. */
function powerLimit({ configuration, tunerState }: Replies): number | undefined {
  const tuner = configuration?.tuner;
  if (tuner?.enabled === false || (tuner?.tuner_mode ?? 1) !== 1) return undefined;
  return first(tunerState?.mode_state?.powertargetmodestate?.current_target?.watt, tuner?.power_target?.watt);
}

function boardsOf(rows: readonly RestBoard[]): BoardReading[] {
  const slots = slotsOf(rows.map(({ id }) => id));
  const taken = new Set<number>();
  return rows.flatMap((row, place) => {
    const slot = slots[place];
    if (slot === undefined || taken.has(slot)) return [];
    taken.add(slot);
    const boardC = row.board_temp?.degree_c;
    return [
      present({
        slot,
        serialNumber: row.serial_number,
        hashrateHs: row.stats?.real_hashrate?.last_5s?.gigahash_per_second,
        expectedHashrateHs: positive(row.stats?.nominal_hashrate?.gigahash_per_second),
        chips: countedChips(row.chips_count, row.stats?.real_hashrate?.last_5s?.gigahash_per_second),
        frequencyMhz: positive(scale(row.current_frequency?.hertz, 1e-6)),
        voltageV: positive(row.current_voltage?.volt),
        boardTempsC: boardC === undefined ? undefined : [boardC],
        chipTempMaxC: row.highest_chip_temp?.temperature?.degree_c,
        inletTempC: row.lowest_inlet_temp?.degree_c,
        outletTempC: row.highest_outlet_temp?.degree_c,
        isAlive: row.enabled === false ? false : undefined,
      }),
    ];
  });
}

function psus(details: Replies['details']): Reading['psus'] {
  if (details?.psu_info === undefined) return undefined;
  const { model_name, serial_number } = details.psu_info;
  if (model_name === undefined && serial_number === undefined) return undefined;
  return [present({ model: model_name, serialNumber: serial_number })];
}

const pools = (groups: Replies['pools']) =>
  poolsIn(groups, ({ alive, active, stats }) => ({
    isAlive: alive,
    isActive: active,
    accepted: stats?.accepted_shares,
    rejected: stats?.rejected_shares,
    stale: stats?.stale_shares,
    difficulty: positive(stats?.last_difficulty),
  }));

function apiVersion(version: Replies['version']): string | undefined {
  if (version?.major === undefined || version.minor === undefined || version.patch === undefined) return undefined;
  return `${version.major}.${version.minor}.${version.patch}`;
}

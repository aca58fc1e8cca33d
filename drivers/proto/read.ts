// Turns the answers of one Proto rig into a Reading (atlas 12). Slots count from 1, telemetry from 0.
import type { Known } from '../../src/driver/contract.ts';
import { first, firstMac, firstSerial, isFillerName, largest, mean } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import { targetText } from '../../src/driver/kit/words/target-preset.ts';
import type {
  BoardReading,
  ErrorReading,
  MiningMode,
  PoolReading,
  PsuReading,
  Reading,
} from '../../src/model/reading.ts';
import { positive, present } from '../_dialects/cgminer.ts';
import { FAULTS } from './errors.data.ts';
import type { Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const mining = replies.mining?.['mining-status'];
  const system = replies.system?.['system-info'];
  const network = replies.network?.['network-info'];
  const hardware = replies.hardware?.['hardware-info'];
  const reported = first(system?.model, known.model);
  const model = findModel('proto-os', reported);
  const boards = boardsOf(replies);
  const serial = firstSerial(system?.cb_sn, hardware?.['cb-info']?.serial_number);
  const hashrateHs = first(replies.telemetry?.miner?.hashrate, mining?.hashrate_ghs);
  const target = targetOf(replies);
  return present({
    mac: firstMac(network?.mac, network?.mac_address),
    serialNumber: serial,
    controllerSerialNumber: serial,
    hostname: network?.hostname,
    make: 'Proto',
    model: model?.model ?? reported,
    firmwareVersion: system?.os?.version,
    apiVersion: system?.web_server?.version,
    controlBoard: system?.board,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: mining?.average_hashrate_ghs,
    powerW: first(positive(replies.telemetry?.miner?.power), positive(mining?.power_usage_watts)),
    powerLimitW: target.powerW,
    uptimeS: mining?.mining_uptime_s,
    systemUptimeS: mining?.reboot_uptime_s,

    isMining: isMining(mining?.status, hashrateHs),
    miningMode: target.mode,
    miningModePreset: target.preset,

    tempC: hottest(replies),
    inletTempC: mean(replies.telemetry?.hashboards?.map(({ temperature }) => temperature?.inlet) ?? []),
    outletTempC: mean(replies.telemetry?.hashboards?.map(({ temperature }) => temperature?.outlet) ?? []),

    boards,
    fans: replies.cooling?.['cooling-status'].fans?.flatMap(({ slot, rpm, speed_percentage }) =>
      slot === undefined ? [] : [present({ index: slot - 1, rpm, dutyPercent: speed_percentage })],
    ),
    psus: psus(replies),
    pools: pools(replies.pools),
    errors: faults(replies.errors),
    expected: expectation(replies, model, boards),
  });
}

/**
 * The hottest chip. Where the chips are not told one by one their mean stands in, if it is hotter than the sensors on
 * the boards, which lie 15 to 20 C below the chips.
 */
function hottest({ telemetry, mining }: Replies): number | undefined {
  const heard = telemetry?.hashboards ?? [];
  const chips = largest(heard.flatMap(({ asics }) => asics?.temperature ?? []));
  if (chips !== undefined) return chips;
  return largest([
    mining?.['mining-status'].average_asic_temp_c,
    ...heard.flatMap(({ temperature: { inlet, outlet, average } = {} }) => [inlet, outlet, average]),
  ]);
}

export const isStopped = (status: string | undefined) =>
  status === undefined ? undefined : /^(stopped|curtailed)$/i.test(status);

function isMining(status: string | undefined, hashrateHs: number | undefined): boolean | undefined {
  if (status === undefined || isFillerName(status)) return hashrateHs === undefined ? undefined : hashrateHs > 0;
  return /^(mining|degradedmining)$/i.test(status) && hashrateHs !== 0;
}

type Told = { readonly mode?: MiningMode; readonly preset?: string; readonly powerW?: number | undefined };

/** A power target that is not the one from the factory is what it tunes to, whatever the performance mode. */
function targetOf({ mining, target }: Replies): Told {
  const powerW = first(positive(mining?.['mining-status'].power_target_watts), positive(target?.power_target_watts));
  const usualW = target?.default_power_target_watts;
  const isTuned = powerW !== undefined && usualW !== undefined && powerW !== usualW;
  const preset = isTuned ? { preset: targetText({ value: powerW, unit: 'W' }) } : {};
  const status = mining?.['mining-status'].status;
  if (isStopped(status) === true) return { mode: 'sleep', powerW, ...preset };
  // What it is set to holds for one that is awake.
  if (status === undefined) return { powerW, ...preset };
  if (isTuned) return { mode: 'power_tuning', powerW, ...preset };
  switch (target?.performance_mode?.toLowerCase()) {
    case 'efficiency':
      return { mode: 'low', powerW };
    case 'maximumhashrate':
      return { mode: 'high', powerW };
    default:
      return { powerW };
  }
}

/** Only slots that hold a board are listed; telemetry is matched by serial number, else by place. */
function boardsOf({ hardware, telemetry, mining }: Replies): BoardReading[] | undefined {
  const heard = telemetry?.hashboards;
  const listed = hardware?.['hardware-info']['hashboards-info']?.filter(({ slot }) => slot !== undefined);
  const rows =
    listed?.map(({ slot = 1, hb_sn: serial, mining_asic_count: chips }) => ({ slot: slot - 1, serial, chips })) ??
    heard?.flatMap(({ index, serial_number: serial }) =>
      index === undefined ? [] : [{ slot: index, serial, chips: undefined }],
    );
  if (rows === undefined) return undefined;
  const idealHs = positive(mining?.['mining-status'].ideal_hashrate_ghs);
  const isCounted = countsThem(mining?.['mining-status'], heard ?? []);
  const taken = new Set<number>();
  return rows.flatMap(({ slot, serial, chips }) => {
    if (taken.has(slot)) return [];
    taken.add(slot);
    const bySerial = serial === undefined ? undefined : heard?.find((row) => row.serial_number === serial);
    const isThis = (other: string | undefined) => serial === undefined || (other ?? serial) === serial;
    const row = bySerial ?? heard?.find((entry) => entry.index === slot && isThis(entry.serial_number));
    const { inlet, outlet, average } = row?.temperature ?? {};
    const chipsC = row?.asics?.temperature ?? [];
    const boardTempsC = [inlet, outlet, average].filter((tempC) => tempC !== undefined);
    return [
      present({
        slot,
        serialNumber: serial,
        hashrateHs: row?.hashrate,
        voltageV: positive(row?.voltage),
        powerW: positive(row?.power),
        isAlive: isCounted ? (row?.hashrate ?? 0) > 0 : undefined,
        expectedHashrateHs: idealHs === undefined || listed === undefined ? undefined : idealHs / rows.length,
        chips,
        chipTempMaxC: largest(chipsC),
        chipTempAvgC: mean(chipsC),
        boardTempsC: boardTempsC.length === 0 ? undefined : boardTempsC,
        inletTempC: inlet,
        outletTempC: outlet,
      }),
    ];
  });
}

type Status = NonNullable<Replies['mining']>['mining-status'];
type Heard = NonNullable<NonNullable<Replies['telemetry']>['hashboards']>[number];

/** At work it counts the boards that hash but names none of them: they are those with a rate, if they are as many. */
function countsThem(status: Status | undefined, heard: readonly Heard[]): boolean {
  const hashing = heard.filter(({ hashrate = 0 }) => hashrate > 0).length;
  return isMining(status?.status, undefined) === true && hashing > 0 && hashing === status?.hashboards_mining;
}

function psus({ telemetry, hardware }: Replies): PsuReading[] | undefined {
  const listed = hardware?.['hardware-info']['psus-info'];
  return telemetry?.psus?.map((psu, place) => {
    const part = listed?.find(
      ({ psu_sn: serial, slot }) =>
        (psu.serial_number !== undefined && serial === psu.serial_number) ||
        (psu.serial_number === undefined && slot === (psu.index ?? place) + 1),
    );
    return present({
      serialNumber: first(psu.serial_number, part?.psu_sn),
      model: part?.model,
      tempC: psu.temperature?.average,
      inputPowerW: positive(psu.power?.input),
      outputPowerW: psu.power?.output,
      inputVoltageV: positive(psu.voltage?.input),
      outputVoltageV: psu.voltage?.output,
    });
  });
}

const pools = (reply: Replies['pools']) =>
  setPools(
    reply?.pools,
    ({ url }) => url,
    (pool, url, place): PoolReading => {
      const status = pool.status?.toLowerCase();
      return present({
        index: pool.priority ?? place,
        url,
        user: pool.user ?? '',
        isAlive: status === undefined ? undefined : status !== 'dead',
        isActive: status === undefined ? undefined : status === 'active',
        accepted: first(pool.accepted, pool.accepted_shares),
        rejected: first(pool.rejected, pool.rejected_shares),
        difficultyAccepted: pool.difficulty_accepted_shares,
        difficultyRejected: pool.difficulty_rejected_shares,
        difficulty: first(positive(pool.current_difficulty), positive(pool.difficulty)),
      });
    },
  );

function faults(rows: Replies['errors']): ErrorReading[] | undefined {
  return rows?.flatMap(({ source, slot, error_code, code = error_code, message }) => {
    if (code === undefined) return [];
    const table = source === undefined ? undefined : FAULTS[source.toLowerCase()];
    const known = table !== undefined && Object.hasOwn(table, code) ? table[code] : undefined;
    return [
      {
        code,
        category: known?.category ?? ('unknown' as const),
        severity: known?.severity ?? ('minor' as const),
        ...present({
          message: message ?? known?.message,
          index: slot === undefined || source?.toLowerCase() === 'rig' ? undefined : slot - 1,
        }),
      },
    ];
  });
}

/**
 * What the rig lists is what is there now: a lost board must not become what is expected. So boards are expected only
 * by a model that has its number, or where the rig counts more than it lists; else what it steadily had is held against
 * it. What most boards have is what a board should have.
 */
function expectation(
  { mining, hardware }: Replies,
  model: Model | undefined,
  boards: readonly BoardReading[] | undefined,
): Reading['expected'] {
  const status = mining?.['mining-status'];
  const installed = status?.hashboards_installed ?? 0;
  const expected = present({
    ...model?.expected,
    boards: first(model?.expected.boards, boards !== undefined && installed > boards.length ? installed : undefined),
    chipsPerBoard: first(model?.expected.chipsPerBoard, usual(boards?.map(({ chips }) => chips) ?? [])),
    fans: first(model?.expected.fans, positive(hardware?.['hardware-info']['fans-info']?.length)),
    hashrateHs: positive(status?.ideal_hashrate_ghs),
  });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

/** What more than half of them are. */
function usual(counts: readonly (number | undefined)[]): number | undefined {
  return counts.find((count) => count && counts.filter((other) => other === count).length > counts.length / 2);
}

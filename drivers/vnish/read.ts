// Turns the answers of one VNish miner into a Reading (atlas 8).
import type { Known } from '../../src/driver/contract.ts';
import { first, isNoFault, largest, mean, sumOfAll } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import { categoryOfWords } from '../../src/driver/kit/words/trouble-words.ts';
import type { BoardReading, ErrorReading, FanReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { positive, present, rateHs, rateUnit } from '../_dialects/cgminer.ts';
import { boardsBeside, unlessEmpty } from '../_dialects/empty-list.ts';
import { hashrates } from '../_dialects/windows.ts';
import { boardsOf, MINING, type ToHs, wattsOf } from './boards.ts';
import { pools } from './pools.ts';
import type { Replies } from './replies.ts';
import { readTcpStats, typeOnTcp } from './tcp.ts';

type Miner = NonNullable<NonNullable<Replies['summary']>['miner']>;

export function read(replies: Replies, known: Known): Reading {
  const { info, factory } = replies;
  // Older versions tell it beside the rest.
  const system = first(info?.system, replies.summary?.system);
  const miner = replies.summary?.miner ?? undefined;
  const reported = first(info?.miner, miner?.miner_type, typeOnTcp(replies), known.model);
  const model = modelOf(reported);
  const toHs = unitOf(info?.hr_measure, model);
  const stats = readTcpStats(replies, model);
  const beside = statusState(replies);
  const asleep = isAsleep(beside) ? beside : undefined;
  const state = first(miner?.miner_status?.miner_state?.toLowerCase(), stats?.state, asleep);
  const preset = replies.perf?.current_preset?.name;
  const boards = first(miner && boardsOf(miner, toHs, factory), stats?.boards);
  // Older versions have no rate for the whole that we could read; that of the boards they all have.
  const boardsHs = sumOfAll(boards?.map(({ hashrateHs }) => hashrateHs) ?? []);
  const inTera = (value: number | undefined) => (model?.algorithm === 'sha256' ? teraHs(value, boardsHs) : undefined);
  const nowHs = first(toHs(miner?.hr_realtime), inTera(miner?.instant_hashrate), stats?.nowHs, boardsHs);
  const tcp = replies.tcpSummary?.SUMMARY?.[0];
  const onTcp = tcp && ratesOnTcp(tcp, model);
  const mode = miningMode(first(state, beside), (nowHs ?? 0) > 0, preset);
  const isImmersed = /^immers/i.test(miner?.cooling?.settings?.mode?.name ?? '');
  // In a tank the fans are listed as lost.
  const fanCount = isImmersed ? 0 : positive(miner?.cooling?.fan_num);
  return present({
    mac: system?.network_status?.mac,
    serialNumber: info?.serial,
    hostname: system?.network_status?.hostname,
    make: 'Antminer',
    model: model?.model ?? reported,
    firmwareVersion: first(info?.fw_version, versionIn(typeOnTcp(replies)), versionIn(miner?.miner_type)),
    controlBoard: info?.platform === undefined ? undefined : (PLATFORMS[info.platform] ?? info.platform),

    ...onTcp,
    ...present({
      hashrateHs: nowHs,
      hashrateWindow:
        nowHs === undefined ? undefined : stats?.nowHs === nowHs ? ('5s' as const) : ('realtime' as const),
      hashrateSettledHs: stats?.settledHs,
      hashrateAverageHs: first(toHs(miner?.hr_average), inTera(miner?.average_hashrate), stats?.averageHs),
    }),
    powerW: first(miner?.power_consumption, wattsOf(miner), stats?.consumptionW),
    powerLimitW: presetWatts(preset, info?.hr_measure),
    uptimeS: first(tcp?.Elapsed, stats?.elapsedS),
    systemUptimeS: secondsOf(system?.uptime),

    isMining: replies.summary?.miner === null ? false : isMining(state, first(nowHs, onTcp?.hashrateHs)),
    miningMode: mode,
    miningModePreset: preset,
    isLightOn: replies.status?.find_miner,

    tempC: first(
      largest(boards?.map(({ chipTempMaxC }) => chipTempMaxC) ?? []),
      miner?.chip_temp?.max,
      largest(boards?.flatMap(({ boardTempsC }) => boardTempsC ?? []) ?? []),
    ),
    inletTempC: mean(boards?.map(({ inletTempC }) => inletTempC) ?? []),
    outletTempC: mean(boards?.map(({ outletTempC }) => outletTempC) ?? []),

    boards: boardsBeside(boards && [...boards], nowHs),
    fans: miner?.cooling ? fansOf(miner.cooling, fanCount ?? model?.expected.fans) : stats?.fans && [...stats.fans],
    psus: psusOf(factory, miner?.psu?.temps),
    pools: pools(miner?.pools, replies.tcpPools?.POOLS),
    errors: errorsOf(miner, replies.status),
    expected: present({
      ...withOwnBuild(model?.expected, { fans: first(fanCount, stats?.fanCount) }),
      ...(isImmersed && { cooling: 'liquid' as const }),
      hashrateHs: first(
        expectedHs(miner, toHs),
        stats?.idealHs,
        boardsIdealHs(boards, model),
        factoryHs(model, miner, toHs, mode),
      ),
    }),
  });
}

const PLATFORMS: Readonly<Record<string, string>> = {
  aml: 'AMLogic',
  bb: 'BeagleBone',
  cv: 'CVITek',
  xil: 'Xilinx',
};

/** `Antminer S19j Pro (Vnish 1.2.6)`. */
export function modelOf(reported: string | undefined): Model | undefined {
  if (reported === undefined) return undefined;
  const names = [reported, `Antminer ${reported}`];
  return first(
    ...names.map((name) => findModel('vnish', name)),
    ...names.map((name) => findModel('antminer-stock', name)),
  );
}

/** Without the name of the unit it is proven for SHA-256 machines only: GH/s. */
function unitOf(measure: string | undefined, model: Model | undefined): ToHs {
  const unit = rateUnit(measure) ?? (model?.algorithm === 'sha256' ? 'G' : undefined);
  return unit === undefined ? (value) => (value === 0 ? 0 : undefined) : (value) => rateHs(value, unit);
}

/** What versions before `hr_…` have: TH/s, which the boards prove, of whose rates it is a good part. */
function teraHs(value: number | undefined, boardsHs = 0): number | undefined {
  const hs = rateHs(value, 'T');
  return hs !== undefined && hs > boardsHs / 10 && hs < boardsHs * 2 ? hs : undefined;
}

/** `GHS` on TCP is proven for SHA-256 machines only. */
function ratesOnTcp(row: Readonly<Record<string, unknown>>, model: Model | undefined) {
  const isNamedOtherwise = row['GHS 5s'] === undefined && row['GHS av'] === undefined;
  return isNamedOtherwise || model?.algorithm === 'sha256' ? hashrates(row) : undefined;
}

const statusState = ({ status }: Replies) => status?.miner_state?.toLowerCase();
const versionIn = (type: string | undefined) => /vnish\s+v?(\d[\w.-]*)/i.exec(type ?? '')?.[1];

const ASLEEP = ['stopped', 'paused'];
const IDLE = [...ASLEEP, 'initializing', 'starting', 'restarting', 'shutting-down', 'failure'];

/** The word for what it does, and the rate beside it; a word that is not known says nothing. */
function isMining(state: string | undefined, nowHs: number | undefined): boolean | undefined {
  if (state !== undefined && IDLE.includes(state)) return false;
  if (nowHs !== undefined) return nowHs > 0;
  return state !== undefined && MINING.includes(state) ? true : undefined;
}

export const isAsleep = (state: string | undefined) => state !== undefined && ASLEEP.includes(state.toLowerCase());

/** A preset is no mode of ours, and what is set holds for one that is awake. */
function miningMode(state: string | undefined, isHashing: boolean, preset = ''): MiningMode | undefined {
  if (isAsleep(state)) return 'sleep';
  if (state === undefined && !isHashing) return undefined;
  return preset.toLowerCase() === 'disabled' ? 'normal' : undefined;
}

/** Presets of SHA-256 machines are named by their watts, those of others are not. */
function presetWatts(preset: string | undefined, measure: string | undefined): number | undefined {
  if (preset === undefined || rateUnit(measure) !== 'G' || !/^\d{2,5}$/.test(preset.trim())) return undefined;
  return Number(preset);
}

/** `10 days, 18:00`, `1:05`, `12 min`. */
export function secondsOf(uptime: string | undefined): number | undefined {
  const [, days, hours, minutes, alone] =
    /^(?:(\d{1,5})\s*days?,?\s*)?(?:(\d{1,2}):(\d{2})(?::\d{2})?|(\d{1,2})\s*min\w*)?$/i.exec(uptime?.trim() ?? '') ??
    [];
  if (days === undefined && hours === undefined && alone === undefined) return undefined;
  return (Number(days ?? 0) * 24 + Number(hours ?? 0)) * 3_600 + Number(minutes ?? alone ?? 0) * 60;
}

/** In a tank or on water there are none, whatever is listed. */
function fansOf(cooling: Miner['cooling'], wanted: number | undefined): FanReading[] | undefined {
  const found = cooling?.fans
    ?.map(({ id, rpm }, place) => present({ index: id ?? place, rpm, dutyPercent: cooling.fan_duty }))
    .filter(({ index }, place, all) => all.findIndex((fan) => fan.index === index) === place)
    .filter(({ rpm }, place) => (wanted === undefined ? (rpm ?? 0) > 0 : place < wanted));
  return wanted === 0 ? found : unlessEmpty(found);
}

function psusOf(factory: Replies['factory'], temps: NonNullable<Miner['psu']>['temps']): Reading['psus'] {
  const psu = present({
    model: factory?.psu_model,
    serialNumber: factory?.psu_serial,
    tempC: largest([temps?.pfc, temps?.llc1, temps?.llc2, temps?.pfc_temp, temps?.llc1_temp, temps?.llc2_temp]),
  });
  return Object.keys(psu).length === 0 ? undefined : [psu];
}

/** There is one fault of the whole, and one of each board. */
function errorsOf(miner: Miner | undefined, status: Replies['status']): ErrorReading[] | undefined {
  const whole = first(miner?.miner_status, status);
  if (whole === undefined && miner?.chains === undefined) return undefined;
  const boards = (miner?.chains ?? []).flatMap(({ id, status: { state, description } = {} }): ErrorReading[] => {
    // Of all states only these are a fault: a board that is stopped or tuned has a description, too.
    if (description === undefined || state === undefined || !/fail|error|fault/i.test(state)) return [];
    return [
      { code: `chain:${state}`, category: 'hashboard', ...present({ message: description, index: id && id - 1 }) },
    ];
  });
  if (whole?.miner_state?.toLowerCase() !== 'failure') return boards;
  const { failure_code: code, description } = whole;
  return [
    {
      code: code === undefined || isNoFault(code) ? 'failure' : code,
      category: categoryOfWords(description ?? ''),
      severity: 'major',
      ...present({ message: description }),
    },
    ...boards,
  ];
}

/** The rate of the preset. */
const expectedHs = (miner: Miner | undefined, toHs: ToHs) => positive(toHs(miner?.hr_nominal));

/** What the boards say of themselves, where all that belong there do. */
function boardsIdealHs(boards: readonly BoardReading[] | undefined, model: Model | undefined): number | undefined {
  if (boards === undefined || boards.length < (model?.expected.boards ?? 1)) return undefined;
  return sumOfAll(boards.map(({ expectedHashrateHs }) => expectedHashrateHs));
}

/** The factory's own rate counts only where no preset is set. */
const factoryHs = (model: Model | undefined, miner: Miner | undefined, toHs: ToHs, mode: MiningMode | undefined) =>
  mode === 'normal' ? first(positive(toHs(miner?.hr_stock)), model?.expected.hashrateHs) : undefined;

// Turns the answers of one LuxOS miner into a Reading (atlas 7).
import type { Known } from '../../src/driver/contract.ts';
import { first, isNoFault, mean } from '../../src/driver/fields.ts';
import { Answer } from '../../src/driver/kit/answer.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import type { Expectation, FanReading, MiningMode, Reading } from '../../src/model/reading.ts';
import { readStats, type Stats, statsType } from '../_dialects/bitmain.ts';
import { toFans } from '../_dialects/bitmain-fans.ts';
import { poolReadings, present, rateHs, whenS } from '../_dialects/cgminer.ts';
import { hashrates } from '../_dialects/windows.ts';
import { boards, hottestC } from './boards.ts';
import { errors } from './errors.ts';
import type { Config, Fans, Replies } from './replies.ts';

export function read(replies: Replies, known: Known): Reading {
  const config = replies.config?.CONFIG?.[0];
  const version = replies.version?.VERSION?.[0];
  const summary = replies.summary?.SUMMARY?.[0];
  const reported = first(config?.Model, version?.Type, statsType(new Answer(replies.stats)), known.model);
  const model = modelOf(reported);
  const stats = readStats(new Answer(replies.stats), model);
  const mode = miningMode(config);
  const rates = summary && hashrates(summary);
  const boardList = boards(replies, stats);
  const watts = replies.power?.POWER?.[0]?.Watts;
  const isLiquid = config?.ImmersionMode === true || (config?.Cooling !== undefined && !/air/i.test(config.Cooling));
  return present({
    mac: config?.MACAddr,
    serialNumber: config?.SerialNumber,
    hostname: config?.Hostname,
    make: 'Antminer',
    model: model?.model ?? reported,
    firmwareVersion: version?.Miner,
    apiVersion: version?.API,
    controlBoard: config?.ControlBoardType,

    ...rates,
    powerW: watts,
    powerLimitW: profileWatts(replies, config),
    uptimeS: first(summary?.Elapsed, stats?.elapsedS),
    deviceTimeS: whenS(replies.summary),

    isMining: mining(mode, rates?.hashrateHs),
    miningMode: mode,
    miningModePreset: config?.Profile,
    isLightOn: light(config),

    tempC: hottestC(boardList, replies.devs?.DEVS),
    inletTempC: mean(boardList?.map(({ inletTempC }) => inletTempC) ?? []),
    outletTempC: mean(boardList?.map(({ outletTempC }) => outletTempC) ?? []),

    boards: boardList,
    fans: fans(stats, replies.fans, isLiquid ? 0 : model?.expected.fans),
    psus: config?.PSULabel === undefined ? undefined : [{ model: config.PSULabel }],
    pools: poolReadings(replies.pools?.POOLS),
    errors: errors(replies.events?.EVENTS),
    expected: expectation(model, config, stats, mode, isLiquid),
  });
}

/**
 * LuxOS names the hardware as its maker's own firmware does; what is known from an earlier visit is our display name.
 */
export function modelOf(reported: string | undefined): Model | undefined {
  if (reported === undefined) return undefined;
  const names = [reported, `Antminer ${reported}`];
  return first(...names.flatMap((name) => [findModel('luxos', name), findModel('antminer-stock', name)]));
}

export const isAsleep = (config: Config | undefined) =>
  config?.CurtailMode === undefined ? undefined : !isNoFault(config.CurtailMode);

export const isDefaultProfile = (config: Config | undefined) => config?.Profile?.toLowerCase() === 'default';

/** Profiles other than the default are presets and no mode of ours. */
function miningMode(config: Config | undefined): MiningMode | undefined {
  if (isAsleep(config) === true) return 'sleep';
  return isDefaultProfile(config) ? 'normal' : undefined;
}

function mining(mode: MiningMode | undefined, hashrateHs: number | undefined): boolean | undefined {
  if (mode === 'sleep') return false;
  return hashrateHs === undefined ? undefined : hashrateHs > 0;
}

/** `auto` is the firmware's own use of the lamp. A green one that shines steadily may be that too. */
function light(config: Config | undefined): boolean | undefined {
  const [red, green] = [config?.RedLed?.toLowerCase(), config?.GreenLed?.toLowerCase()];
  if (red === undefined && green === undefined) return undefined;
  return red === 'blink' || red === 'on' || green === 'blink';
}

function profileWatts({ profiles }: Replies, config: Config | undefined): number | undefined {
  if (config?.Profile === undefined) return undefined;
  return profiles?.PROFILES?.find((profile) => profile['Profile Name'] === config.Profile)?.Watts;
}

/**
 * Speeds from `stats`, which is asked at each poll, and the duty from `fans`, whose ID is the place in `stats` (`fan1`
 * is ID 0).
 */
function fans(
  stats: Stats | undefined,
  reply: Fans | undefined,
  expected: number | undefined,
): FanReading[] | undefined {
  const listed = reply?.FANS ?? [];
  const count = listed.length > 0 ? Math.max(...listed.map(({ ID }) => (ID ?? -1) + 1)) : 0;
  const ofReply = Array.from({ length: count }, (_, id) => listed.find(({ ID }) => ID === id)?.RPM);
  const slots = stats !== undefined && stats.fanSlots.length > 0 ? stats.fanSlots : ofReply;
  if (slots.length === 0) return undefined;
  const wanted = expected ?? stats?.fanCount ?? listed.length;
  const found = toFans(slots, wanted).map((fan): FanReading => present(fan));
  if (found.length !== listed.length) return found;
  return found.map((fan) => ({
    ...fan,
    ...present({ dutyPercent: listed.find(({ ID }) => ID === fan.index)?.Speed }),
  }));
}

/** The figure of the profile that is set; the nameplate holds only for the default profile. */
function expectation(
  model: Model | undefined,
  config: Config | undefined,
  stats: Stats | undefined,
  mode: MiningMode | undefined,
  isLiquid: boolean,
): Expectation | undefined {
  const { hashrateHs: nominalHs, ...parts } = model?.expected ?? {};
  const nameplateHs = mode === 'normal' ? first(rateHs(config?.NameplateTHS || undefined, 'T'), nominalHs) : undefined;
  const expected = present({
    ...parts,
    ...(isLiquid && { fans: 0, cooling: 'liquid' as const }),
    hashrateHs: first(stats?.idealHs, nameplateHs),
  });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

// Turns the answers of one ePIC miner into a Reading (atlas 9).
import type { Known } from '../../src/driver/contract.ts';
import { first, firstMac, firstSerial, isNoFault, largest, sumOfAll, toNumber } from '../../src/driver/fields.ts';
import { findModel, type Model } from '../../src/driver/kit/models/models.ts';
import { withOwnBuild } from '../../src/driver/kit/models/own-build.ts';
import { setPools } from '../../src/driver/kit/pool-rows.ts';
import { categoryOfWords } from '../../src/driver/kit/words/trouble-words.ts';
import type { ErrorReading, FanReading, MiningMode, PoolReading, Reading } from '../../src/model/reading.ts';
import { positive, present, rateHs } from '../_dialects/cgminer.ts';
import { boardsBeside } from '../_dialects/empty-list.ts';
import { boardsOf, hottestC } from './boards.ts';
import type { Capabilities, Replies, Summary } from './replies.ts';
import { type Tuning, tuningOf } from './tuning.ts';

export function read(replies: Replies, known: Known): Reading {
  const { summary, capabilities } = replies;
  const reported = first(capabilities?.Model, known.model);
  const model = modelOf(reported);
  const tuning = tuningOf(summary);
  const boards = boardsOf(replies);
  const rate = rateOf(summary);
  const hashrateHs = rate?.hs;
  const network = replies.network;
  const mode = miningMode(summary, tuning);
  return present({
    mac: firstMac(network?.dhcp?.mac_address, network?.static?.mac_address),
    serialNumber: firstSerial(
      capabilities?.['Miner Serial Number'],
      capabilities?.['Control Board Version']?.cpuSerial,
    ),
    controllerSerialNumber: capabilities?.['Control Board Version']?.cpuSerial,
    hostname: summary?.Hostname,
    make: model?.make ?? makeOf(capabilities?.Model) ?? known.make,
    model: model?.model ?? reported,
    firmwareVersion: summary?.Software,
    controlBoard: capabilities?.['Control Board Version']?.cpuHardware,

    hashrateHs,
    hashrateWindow: rate?.window,
    hashrateAverageHs: rateHs(summary?.Session?.['Average MHs'], 'M'),
    powerW: powerOf(summary),
    psuOutputPowerW: positive(summary?.['Power Supply Stats']?.['Output Power']),
    powerLimitW: tuning?.unit === 'W' ? tuning.inForce : undefined,
    uptimeS: summary?.Session?.Uptime,

    isMining: isMining(summary, hashrateHs),
    miningMode: mode,
    miningModePreset: first(tuning?.preset, summary?.PresetInfo?.Preset, summary?.Preset),
    isLightOn: summary?.Misc?.['Locate Miner State'],

    tempC: hottestC(boards),
    boards: boardsBeside(boards, hashrateHs),
    fans: fans(summary),
    psus: supplyOf(summary),
    pools: pools(summary),
    errors: errors(summary),
    expected: expectation(model, summary, capabilities, tuning, mode),
  });
}

/** The firmware writes `AntMiner S19 XP`, and runs on machines of ePIC's own. */
export const modelOf = (reported: string | undefined): Model | undefined => findModel('epic-umcos', reported);

export function makeOf(reported: string | undefined): string | undefined {
  if (reported === undefined) return undefined;
  return /^antminer\b/i.test(reported) ? 'Antminer' : 'ePIC';
}

const stateOf = (summary: Summary | undefined) => summary?.Status?.['Operating State']?.toLowerCase();

/**
 * The sum of the boards. Machines of ePIC's own (epic-miner 2.x, 4.x) have a rate of the whole alone, the mean since it
 * started.
 */
function rateOf(summary: Summary | undefined): { hs: number; window: 'realtime' | 'average' } | undefined {
  const rates = summary?.HBs?.map(({ Hashrate }) => rateHs(Hashrate?.[0], 'M')) ?? [];
  const isUntold = rates.every((hs) => hs === undefined);
  const state = stateOf(summary);
  if (state === 'idling' && summary?.HBs !== undefined && isUntold) return { hs: 0, window: 'realtime' };
  const sum = sumOfAll(rates);
  if (sum !== undefined) return { hs: sum, window: 'realtime' };
  const isOwn = summary?.Status === undefined || /^epic[- ]miner\b/i.test(summary.Software ?? '');
  const isOfWhole = isOwn && (state === undefined || state === 'mining') && rates.length > 0 && isUntold;
  const told = isOfWhole ? rateHs(summary?.Session?.['Average MHs'], 'M') : undefined;
  // What mines by its own word has not told its rate with a 0.
  const hs = state === undefined ? told : positive(told);
  return hs === undefined ? undefined : { hs, window: 'average' };
}

/** Where the supply tells nothing: what the boards draw, if all of them tell it. */
function powerOf(summary: Summary | undefined): number | undefined {
  const boards = summary?.HBs?.map((board) => positive(board['Input Power'])) ?? [];
  return first(positive(summary?.['Power Supply Stats']?.['Input Power']), sumOfAll(boards));
}

/** The device's own word where it means rest; else the rate. A word that is not known says nothing. */
function isMining(summary: Summary | undefined, hashrateHs: number | undefined): boolean | undefined {
  const state = stateOf(summary);
  if (state !== undefined && /^(idling|idle|stopped|initializing|shutdown)/.test(state)) return false;
  if (hashrateHs !== undefined) return hashrateHs > 0;
  return state === 'mining' ? true : undefined;
}

/**
 * It idles when it is told to, but also by itself: after an error, and, if it is set so, while its pool is lost. Only
 * the first is sleep.
 */
function miningMode(summary: Summary | undefined, tuning: Tuning | undefined): MiningMode | undefined {
  const state = stateOf(summary);
  if (state === 'idling') {
    const command = summary?.Status?.['Last Command'];
    const isCommanded = command !== undefined && /stop/i.test(command);
    const lostPool = summary?.IdleOnConnectionLost === true && summary.Stratum?.IsPoolConnected === false;
    const error = summary?.Status?.['Last Error'];
    const isByItself = (error !== undefined && !isNoFault(error)) || lostPool;
    return isCommanded || !isByItself ? 'sleep' : undefined;
  }
  if (state === undefined || tuning === undefined) return undefined;
  if (tuning.unit === undefined) return tuning.isOn ? undefined : 'normal';
  return tuning.unit === 'W' ? 'power_tuning' : 'hashrate_tuning';
}

/** The duty is one for all. */
function supplyOf(summary: Summary | undefined): Reading['psus'] {
  const stats = summary?.['Power Supply Stats'];
  const supply = present({
    outputPowerW: positive(stats?.['Output Power']),
    outputVoltageV: positive(stats?.['Output Voltage']),
  });
  return Object.keys(supply).length === 0 ? undefined : [supply];
}

function fans(summary: Summary | undefined): FanReading[] | undefined {
  const slots = summary?.['Fans Rpm'];
  if (slots === undefined) return undefined;
  const dutyPercent = summary?.Fans?.['Fans Speed'];
  const found = Object.entries(slots).flatMap(([name, value]) => {
    const number = toNumber(/^Fans Speed (\d{1,2})$/.exec(name)?.[1], { min: 1, max: 32 });
    const rpm = toNumber(value, { min: 0, max: 30_000 });
    return number === undefined || rpm === undefined ? [] : [present({ index: number - 1, rpm, dutyPercent })];
  });
  return found.toSorted((a, b) => a.index - b.index);
}

/** Shares are counted for the machine: told with the pool in use. */
function pools(summary: Summary | undefined): PoolReading[] | undefined {
  const stratum = summary?.Stratum;
  const current = stratum?.['Current Pool'];
  if (summary?.StratumConfigs === undefined && current !== undefined)
    return [
      present({
        index: 0,
        url: poolUrl(current),
        user: stratum?.['Current User'] ?? '',
        isActive: true,
        ...ofActive(summary),
      }),
    ];
  return setPools(
    summary?.StratumConfigs,
    ({ pool }) => pool,
    ({ login }, pool, index): PoolReading => {
      const isActive = stratum?.['Config Id'] === undefined ? undefined : stratum['Config Id'] === index;
      return present({
        index,
        url: poolUrl(pool),
        user: login ?? '',
        isActive,
        ...(isActive && ofActive(summary)),
      });
    },
  );
}

const ofActive = (summary: Summary | undefined) => ({
  isAlive: summary?.Stratum?.IsPoolConnected,
  accepted: summary?.Session?.Accepted,
  rejected: summary?.Session?.Rejected,
  difficulty: positive(summary?.Session?.Difficulty),
});

/** Some builds write it without the scheme. */
const poolUrl = (pool: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(pool) ? pool : `stratum+tcp://${pool}`);

/** One sentence; it may stay after the trouble has gone. */
function errors(summary: Summary | undefined): ErrorReading[] | undefined {
  const status = summary?.Status;
  if (status === undefined) return undefined;
  const message = status['Last Error'];
  if (message === undefined || isNoFault(message)) return [];
  const severity = stateOf(summary) === 'mining' ? 'minor' : 'major';
  return [{ code: message.slice(0, 128), message, category: categoryOfWords(message), severity }];
}

/**
 * The target of the tuner; else what the boards' clocks are worth, for as many boards as belong there; else what the
 * machine leaves the factory with, which holds while nothing is tuned.
 */
function expectation(
  model: Model | undefined,
  summary: Summary | undefined,
  capabilities: Capabilities | undefined,
  tuning: Tuning | undefined,
  mode: MiningMode | undefined,
): Reading['expected'] {
  const { hashrateHs: nameplateHs, ...table } = model?.expected ?? {};
  const parts = withOwnBuild(table, {
    boards: capabilities?.['Max HBs'],
    chipsPerBoard: capabilities?.['Performance Estimator']?.['Chip Count'],
  });
  const { boards } = parts;
  const ideals = (summary?.HBs ?? []).flatMap(({ Hashrate: [rate, percent] = [] }) => {
    const hs = rateHs(rate, 'M');
    return hs !== undefined && hs > 0 && percent !== undefined && percent > 1 ? [hs / (percent / 100)] : [];
  });
  const clockHs = boards === undefined ? undefined : scaleUp(ideals, boards);
  const factoryHs = positive(rateHs(capabilities?.['Default Hashrate'], 'T'));
  const hashrateHs = first(
    tuning?.unit === 'TH/s' ? rateHs(tuning.inForce, 'T') : undefined,
    clockHs,
    mode === 'normal' || mode === 'sleep' ? first(factoryHs, nameplateHs) : undefined,
  );
  const expected = present({ ...parts, hashrateHs });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

function scaleUp(ideals: readonly number[], boards: number): number | undefined {
  const most = largest(ideals);
  if (most === undefined) return undefined;
  const sum = ideals.reduce((total, ideal) => total + ideal, 0);
  return (sum / ideals.length) * Math.max(boards, ideals.length);
}

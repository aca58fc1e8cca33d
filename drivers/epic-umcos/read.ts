// Turns the answers of one ePIC miner into a Reading (atlas 9).
import type { Known } from '../../src/driver/contract.ts';
import { first, largest, sumOfAll, toNumber } from '../../src/driver/fields.ts';
import type { ErrorReading, FanReading, MiningMode, PoolReading, Reading } from '../../src/model/reading.ts';
import { positive, present, rateHs } from '../_families/cgminer.ts';
import { findModel, type Model } from '../_families/models.ts';
import { categoryOfWords } from '../_families/trouble-words.ts';
import { boardsOf, hottestC } from './boards.ts';
import type { Capabilities, Replies, Summary } from './replies.ts';
import { type Tuning, tuningOf } from './tuning.ts';

export function read(replies: Replies, known: Known): Reading {
  const { summary, capabilities } = replies;
  const reported = first(capabilities?.Model, known.model);
  const model = modelOf(reported);
  const tuning = tuningOf(summary);
  const boards = boardsOf(replies);
  const rates = summary?.HBs?.map(({ Hashrate }) => rateHs(Hashrate?.[0], 'M'));
  const isIdle = stateOf(summary) === 'idling' && rates?.every((hs) => hs === undefined);
  const hashrateHs = isIdle ? 0 : sumOfAll(rates ?? []);
  const network = replies.network;
  const mode = miningMode(summary, tuning);
  return present({
    mac: first(network?.dhcp?.mac_address, network?.static?.mac_address),
    serialNumber: first(capabilities?.['Miner Serial Number'], capabilities?.['Control Board Version']?.cpuSerial),
    controllerSerialNumber: capabilities?.['Control Board Version']?.cpuSerial,
    hostname: summary?.Hostname,
    make: model?.make ?? makeOf(reported),
    model: model?.model ?? reported,
    firmwareVersion: summary?.Software,
    controlBoard: capabilities?.['Control Board Version']?.cpuHardware,

    hashrateHs,
    hashrateWindow: hashrateHs === undefined ? undefined : ('realtime' as const),
    hashrateAverageHs: rateHs(summary?.Session?.['Average MHs'], 'M'),
    powerW: positive(summary?.['Power Supply Stats']?.['Input Power']),
    powerLimitW: tuning?.unit === 'W' ? tuning.inForce : undefined,
    uptimeS: summary?.Session?.Uptime,

    isMining: isMining(summary, hashrateHs),
    miningMode: mode,
    miningModePreset: first(tuning?.preset, summary?.PresetInfo?.Preset),
    isLightOn: summary?.Misc?.['Locate Miner State'],

    tempC: hottestC(boards),
    boards,
    fans: fans(summary),
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

function isMining(summary: Summary | undefined, hashrateHs: number | undefined): boolean | undefined {
  const state = stateOf(summary);
  if (state === undefined) return hashrateHs === undefined ? undefined : hashrateHs > 0;
  return state === 'mining' && hashrateHs !== 0;
}

/** It idles when it is told to, but also by itself: after an error, and, if it is set so, while its pool is lost. Only the first is sleep. */
function miningMode(summary: Summary | undefined, tuning: Tuning | undefined): MiningMode | undefined {
  const state = stateOf(summary);
  if (state === 'idling') {
    const command = summary?.Status?.['Last Command'];
    const isOrdered = command !== undefined && /stop/i.test(command);
    const lostPool = summary?.IdleOnConnectionLost === true && summary.Stratum?.IsPoolConnected === false;
    const isByItself = summary?.Status?.['Last Error'] !== undefined || lostPool;
    return isOrdered || !isByItself ? 'sleep' : undefined;
  }
  if (state === undefined || tuning === undefined) return undefined;
  if (tuning.unit === undefined) return tuning.isOn ? undefined : 'normal';
  return tuning.unit === 'W' ? 'power_tuning' : 'hashrate_tuning';
}

/** The duty is one for all. */
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
  const { Session: session, Stratum: stratum } = summary ?? {};
  return summary?.StratumConfigs?.flatMap(({ pool, login }, index) => {
    if (pool === undefined) return [];
    const isActive = stratum?.['Config Id'] === undefined ? undefined : stratum['Config Id'] === index;
    return [
      present({
        index,
        url: poolUrl(pool),
        user: login ?? '',
        isActive,
        ...(isActive && {
          isAlive: stratum?.IsPoolConnected,
          accepted: session?.Accepted,
          rejected: session?.Rejected,
          difficulty: positive(session?.Difficulty),
        }),
      }),
    ];
  });
}

/** Some builds write it without the scheme. */
const poolUrl = (pool: string) => (/^[a-z][a-z0-9+.-]*:\/\//i.test(pool) ? pool : `stratum+tcp://${pool}`);

/** One sentence; it may stay after the trouble has gone. */
function errors(summary: Summary | undefined): ErrorReading[] | undefined {
  const status = summary?.Status;
  if (status === undefined) return undefined;
  const message = status['Last Error'];
  if (message === undefined) return [];
  const severity = stateOf(summary) === 'mining' ? 'minor' : 'major';
  return [{ code: message.slice(0, 128), message, category: categoryOfWords(message), severity }];
}

/**
 * The target of the tuner; else what the boards' clocks are worth, for as many boards as belong there; else what the machine leaves the factory
 * with, which holds while nothing is tuned.
 */
function expectation(
  model: Model | undefined,
  summary: Summary | undefined,
  capabilities: Capabilities | undefined,
  tuning: Tuning | undefined,
  mode: MiningMode | undefined,
): Reading['expected'] {
  const { hashrateHs: nameplateHs, ...parts } = model?.expected ?? {};
  const boards = first(capabilities?.['Max HBs'], parts.boards);
  const chipsPerBoard = first(capabilities?.['Performance Estimator']?.['Chip Count'], parts.chipsPerBoard);
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
  const expected = present({ ...parts, boards, chipsPerBoard, hashrateHs });
  return Object.keys(expected).length === 0 ? undefined : expected;
}

function scaleUp(ideals: readonly number[], boards: number): number | undefined {
  const most = largest(ideals);
  if (most === undefined) return undefined;
  const sum = ideals.reduce((total, ideal) => total + ideal, 0);
  return (sum / ideals.length) * Math.max(boards, ideals.length);
}

// Prepares a sample for the rules: what is expected, and why the miner may be idle. Raises nothing.
import type { PeerCode } from '../../../base/errors.ts';
import { ERROR_CATEGORY_FLAG } from '../../../model/flags/flags.ts';
import type { BuildPart, ErrorReading, Reading } from '../../../model/reading.ts';
import type { Expectations, Expected } from './rule.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings } from './settings.ts';
import type { History, Idle } from './state.ts';

const DEFAULT_WARM_UP_MS = 10 * 60_000;

type Present = {
  readonly sample: Sample;
  readonly reading: Reading | undefined;
  readonly before: History;
  readonly settings: AnomalySettings;
  /** It has restarted since its last reading. */
  readonly isFresh: boolean;
  /** A flag says that it is too hot. */
  readonly isHot: boolean;
};

/** Our own actions first, then the operator's status, then the miner's report. */
export function idleReason(present: Present): Idle | undefined {
  const { sample, reading, before } = present;
  if (sample.context.isRebooting) return 'rebooting';
  if (sample.context.opsMaintenance) return 'maintenance';
  if (reading === undefined) return before.idle === 'sleep' || before.idle === 'warm-up' ? before.idle : undefined;
  if (reading.miningMode === 'sleep') return 'sleep';
  if (isStoppedByHeat(reading, present)) return 'heat';
  return isWarmingUp(reading, present) ? 'warm-up' : undefined;
}

function isWarmingUp(reading: Reading, { sample: { context }, before, settings, isFresh }: Present): boolean {
  const warmUpMs = settings.warmUp ?? (context.warmUpS === undefined ? DEFAULT_WARM_UP_MS : context.warmUpS * 1_000);
  // Some miners wake up or change their mode without a new process, and some report no uptime.
  if (before.idle === 'sleep') return true;
  const isAnew = before.t - (before.anewT ?? -Infinity) < warmUpMs;
  if (isAnew && (before.idle === 'warm-up' || reading.hashrateHs === 0)) return true;
  // No process is older than its system.
  const uptimeS = reading.uptimeS ?? reading.systemUptimeS;
  if (uptimeS === undefined || uptimeS * 1_000 >= warmUpMs) return false;
  // A miner watched for longer than its reported uptime has a clock that stands still.
  return isFresh || before.t - (before.startedT ?? before.t) < warmUpMs;
}

const PART = /^(boards|fans|psus)\[(\d+)\]\.(\w+)$/;

/** Whether a part of the miner is present and no longer reports the value that was wrong. */
export function isUnreported(source: string, reading: Reading): boolean {
  const [, list, number = '', name = ''] = PART.exec(source) ?? [];
  const index = Number(number);
  const part: object | undefined =
    list === 'boards'
      ? reading.boards?.[index]
      : list === 'psus'
        ? reading.psus?.[index]
        : reading.fans?.find((fan) => fan.index === index);
  if (list === undefined || part === undefined) return false;
  const value: unknown = Reflect.get(part, name);
  return value === undefined || (Array.isArray(value) && value.length === 0);
}

const GRAVE: readonly ErrorReading['severity'][] = ['major', 'critical', undefined];

/** It does not hash, and it is too hot, reports heat as the fault, or did so when it stopped hashing. */
function isStoppedByHeat(reading: Reading, { before, isFresh, isHot }: Present): boolean {
  if (reading.hashrateHs === undefined ? reading.isMining !== false : reading.hashrateHs > 0) return false;
  const isReported = (reading.errors ?? []).some(
    ({ category, severity }) => ERROR_CATEGORY_FLAG[category] === 'temperature' && GRAVE.includes(severity),
  );
  return isReported || isHot || (before.idle === 'heat' && !isFresh);
}

const SILENT_CODES: readonly PeerCode[] = ['peer.refused', 'peer.unreachable', 'peer.timeout', 'peer.reset'];

/** No whole answer came back. Other failures prove that a device is there. */
export const isSilent = (sample: Sample): boolean => sample.kind === 'failed' && SILENT_CODES.includes(sample.code);

export function isHashing(reading: Reading | undefined): boolean {
  if (reading === undefined || reading.miningMode === 'sleep' || reading.isMining === false) return false;
  return reading.hashrateHs === undefined ? reading.isMining === true : reading.hashrateHs > 0;
}

/** From the device or its model, else as learned from this miner; undefined where neither is known. */
export function expectations(reading: Reading | undefined, { learned, top }: History): Expectations {
  const given = reading?.expected;
  const pick = (told: number | undefined, best: number | undefined): Expected | undefined =>
    told !== undefined && told > 0
      ? { value: told, from: 'device' }
      : best === undefined
        ? undefined
        : { value: best, from: 'learned' };
  const isWeak = (part: BuildPart) => given?.unproven === true && given.own?.includes(part) !== true;
  const count = (part: BuildPart, best: number | undefined): Expected | undefined => {
    const expected = pick(given?.[part], best);
    return expected?.from === 'device' && isWeak(part) ? { ...expected, unproven: { learned: best } } : expected;
  };
  return {
    hashrateHs: pick(withinLimit(reading, top), learned.hashrateHs?.best),
    boards: count('boards', learned.boards?.best),
    chipsPerBoard: count('chipsPerBoard', undefined),
    chips: pick(undefined, learned.chips?.best),
    fans: count('fans', learned.fans?.best),
    powerW: pick(undefined, learned.powerW?.best),
    isLiquidCooled: given?.cooling === 'liquid' || given?.fans === 0,
  };
}

/** An expectation that does not follow a lower power limit is scaled by the limit. */
function withinLimit(reading: Reading | undefined, top: History['top']): number | undefined {
  const { expected, powerLimitW = Infinity } = reading ?? {};
  const rate = expected?.hashrateHs;
  if (rate === undefined || top === undefined || powerLimitW >= 0.95 * top.limitW) return rate;
  return Math.abs(rate - top.hashrateHs) <= 0.02 * top.hashrateHs ? (rate * powerLimitW) / top.limitW : rate;
}

/** The present hashrate: the settled average of the device, else our own, else the newest value. */
export function presentHashrateHs(reading: Reading | undefined, history: History): number | undefined {
  return reading?.hashrateSettledHs ?? history.average?.hashrateHs ?? reading?.hashrateHs;
}

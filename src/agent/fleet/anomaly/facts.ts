// Prepares a sample for the rules: says what is expected and why a miner may be idle. Raises nothing.
import type { Reading } from '../../../model/reading.ts';
import type { Expectations, Expected } from './rule.ts';
import type { Sample } from './sample.ts';
import type { AnomalySettings } from './settings.ts';
import type { History, Idle } from './state.ts';

const DEFAULT_WARM_UP_MS = 10 * 60_000;

/** Our own actions first, then what the operator says, then what the miner says. */
export function idleReason(
  sample: Sample,
  reading: Reading | undefined,
  before: History,
  settings: AnomalySettings,
): Idle | undefined {
  if (sample.context.isRebooting) return 'rebooting';
  if (sample.context.opsMaintenance) return 'maintenance';
  if (reading === undefined) return before.idle === 'sleep' ? 'sleep' : undefined;
  if (reading.miningMode === 'sleep') return 'sleep';
  const warmUpMs =
    settings.warmUp ?? (sample.context.warmUpS === undefined ? DEFAULT_WARM_UP_MS : sample.context.warmUpS * 1_000);
  // Nothing has run for longer than its system.
  const uptimeS = reading.uptimeS ?? reading.systemUptimeS;
  if (uptimeS !== undefined && uptimeS * 1_000 < warmUpMs) return 'warm-up';
  return undefined;
}

export function isHashing(reading: Reading | undefined): boolean {
  if (reading === undefined || reading.miningMode === 'sleep' || reading.isMining === false) return false;
  return reading.hashrateHs === undefined ? reading.isMining === true : reading.hashrateHs > 0;
}

/** The device or its model first, then what it steadily showed; undefined where nobody knows. */
export function expectations(reading: Reading | undefined, { learned }: History): Expectations {
  const given = reading?.expected;
  const pick = (told: number | undefined, best: number | undefined): Expected | undefined =>
    told !== undefined && told > 0
      ? { value: told, from: 'device' }
      : best === undefined
        ? undefined
        : { value: best, from: 'learned' };
  return {
    hashrateHs: pick(given?.hashrateHs, learned.hashrateHs?.best),
    boards: pick(given?.boards, learned.boards?.best),
    chipsPerBoard: pick(given?.chipsPerBoard, undefined),
    chips: pick(undefined, learned.chips?.best),
    fans: pick(given?.fans, learned.fans?.best),
    powerW: pick(undefined, learned.powerW?.best),
    isLiquidCooled: given?.cooling === 'liquid' || given?.fans === 0,
  };
}

/** What the miner does now as far as it matters to its owner: the settled average, else our own, else the newest value. */
export function presentHashrateHs(reading: Reading | undefined, history: History): number | undefined {
  return reading?.hashrateSettledHs ?? history.average?.hashrateHs ?? reading?.hashrateHs;
}

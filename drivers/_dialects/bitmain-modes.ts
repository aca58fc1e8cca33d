// The numbers of modes in Bitmain's dialect (atlas 3.4, 15): what is written for a mode, and what a number means.
import type * as kit from '../../src/driver/kit/index.ts';
import type { PowerMode } from '../../src/model/tasks/task-params.ts';

/** Bitmain's own numbers; 5 ("not mining") is told by the newest builds and never set. */
const NUMBERS = { normal: 0, sleep: 1, high: 2, low: 3 } as const;

/** The 17 series writes sleep in its own way; its late builds have either web. */
export const SLEEP_17 = 254;
export const is17Series = (model: string | undefined) => /^(antminer )?[STX]17/i.test(model ?? '');

/** The device's number for a mode. */
export function modeNumber(mode: PowerMode, model: string | undefined): number | undefined {
  if (!is17Series(model)) return NUMBERS[mode];
  // Of its numbers two are known.
  return mode === 'sleep' ? SLEEP_17 : mode === 'normal' ? 0 : undefined;
}

/** What a number of the device means; undefined where it is not known. */
export function modeName(number: number | undefined, model: string | undefined): PowerMode | undefined {
  if (is17Series(model)) return number === 0 ? 'normal' : number === SLEEP_17 ? 'sleep' : undefined;
  switch (number) {
    case 0:
      return 'normal';
    case 1:
    case 5:
      return 'sleep';
    case 2:
      return 'high';
    case 3:
      return 'low';
    default:
      return undefined;
  }
}

/** The number of a setting under its two names; where they disagree neither is believed. */
export function settingOf(conf: kit.Answer): number | undefined {
  const [written, other] = [conf.count('bitmain-work-mode'), conf.count('miner-mode')];
  return written !== undefined && other !== undefined && written !== other ? undefined : (written ?? other);
}

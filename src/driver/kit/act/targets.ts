// Tuning targets as presets of a task: what a machine takes of them, and whether a reading shows one.
import type { Reading } from '../../../model/reading.ts';
import { parseTarget, sameTarget, type Target } from '../words/target-preset.ts';
import { unsupported } from './outcomes.ts';

type Takes = { readonly unit?: Target['unit']; readonly min?: number | undefined; readonly max?: number | undefined };

/** The target that a preset names; `peer.unsupported` for what is none, and for one that the machine does not take. */
export function wantedTarget(link: { readonly ip: string }, preset: string, takes: Takes = {}): Target {
  const { unit, min = 0, max = Number.POSITIVE_INFINITY } = takes;
  const target = parseTarget(preset);
  const isFit = target !== undefined && (unit ?? target.unit) === target.unit;
  if (isFit && target.value >= min && target.value <= max) return target;
  const units = unit ?? 'TH/s or W';
  const bounds = max === Number.POSITIVE_INFINITY ? `from ${min}` : `from ${min} to ${max}`;
  throw unsupported(link, `set the target '${preset}' of`, `its tuner takes a number and ${units}, ${bounds}`);
}

/** `shows` of a preset that is a target. */
export const showsTarget = ({ miningMode, miningModePreset }: Reading, preset: string): boolean | undefined =>
  miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);

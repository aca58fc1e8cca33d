// Tuning targets as presets of a task: what a machine takes of them, and whether a reading shows one.
import type { PeerError } from '../../../base/errors.ts';
import type { Reading } from '../../../model/reading.ts';
import { parseTarget, sameTarget, type Target, targetText } from '../words/target-preset.ts';
import { unsupported } from './outcomes.ts';

type Device = { readonly ip: string };

/** The target that a preset names; `peer.unsupported` for what is none, and for one of another `unit`. */
export function wantedTarget(link: Device, preset: string, unit?: Target['unit']): Target {
  const target = parseTarget(preset);
  if (target === undefined || (unit ?? target.unit) !== target.unit)
    throw refused(link, preset, `it takes a number and ${unit ?? 'TH/s or W'}`);
  return target;
}

/** `peer.unsupported` for a target beyond what the device says that it takes. */
export function mustBeWithin(link: Device, target: Target, min = 0, max = Number.POSITIVE_INFINITY): void {
  if (target.value < min || target.value > max)
    throw refused(link, targetText(target), `it takes from ${min} to ${max} ${target.unit}`);
}

const refused = (link: Device, preset: string, why: string): PeerError =>
  unsupported(link, `set the target '${preset}' of`, why);

/** `shows` of a preset that is a target. */
export const showsTarget = ({ miningMode, miningModePreset }: Reading, preset: string): boolean | undefined =>
  miningMode === undefined ? undefined : sameTarget(miningModePreset, preset);

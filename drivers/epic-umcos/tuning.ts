// What ePIC's tuner is set to: the algorithm in use, its target and what of it is in force while the machine throttles
// itself.
import { first } from '../../src/driver/fields.ts';
import { targetText } from '../../src/driver/kit/words/target-preset.ts';
import { positive } from '../_dialects/cgminer.ts';
import type { Summary } from './replies.ts';

export type Tuning = {
  readonly isOn: boolean;
  readonly name?: string;
  readonly unit?: 'TH/s' | 'W';
  /** As its owner set it, in the words of target-preset.ts. */
  readonly preset?: string;
  /** The lower of what was set and what the machine has throttled itself to. */
  readonly inForce?: number;
  readonly minThrottle?: number;
  readonly throttleStep?: number;
};

/** Undefined when the firmware says nothing of a tuner. */
export function tuningOf(summary: Summary | undefined): Tuning | undefined {
  const tune = summary?.PerpetualTune;
  if (tune?.Running === undefined) return undefined;
  const [name, algorithm] = Object.entries(tune.Algorithm ?? {}).find(([, entry]) => entry !== undefined) ?? [];
  const known = name === undefined ? {} : { name };
  if (!tune.Running) return { isOn: false, ...known };
  const unit = unitOf(algorithm?.Unit);
  const target = positive(algorithm?.Target);
  const throttled = first(positive(algorithm?.['Throttle Target']), target);
  return {
    isOn: true,
    ...known,
    ...(unit !== undefined && { unit }),
    ...(unit !== undefined && target !== undefined && { preset: targetText({ value: target, unit }) }),
    ...(target !== undefined && throttled !== undefined && { inForce: Math.min(target, throttled) }),
    ...(algorithm?.['Min Throttle Target'] !== undefined && { minThrottle: algorithm['Min Throttle Target'] }),
    ...(algorithm?.['Throttle Step'] !== undefined && { throttleStep: algorithm['Throttle Step'] }),
  };
}

function unitOf(written: string | undefined): Tuning['unit'] {
  switch (written?.toUpperCase()) {
    case 'TH/S':
      return 'TH/s';
    case 'W':
      return 'W';
    default:
      return undefined;
  }
}

// What ePIC's tuner is set to: the algorithm in use, its target and what of it is in force while the machine throttles
// itself.
import * as kit from '../../src/driver/kit/index.ts';

const UNITS = ['TH/s', 'W'] as const;

/** Undefined when the firmware says nothing of a tuner. */
export function tuningOf(summary: kit.Answer) {
  const tune = summary.at('PerpetualTune');
  const isOn = tune.bool('Running');
  if (isOn === undefined) return undefined;
  const name = tune
    .at('Algorithm')
    .keys()
    .find((key) => tune.at('Algorithm', key).isThere);
  const algorithm = tune.at('Algorithm', name ?? '');
  const value = (key: string) => (isOn ? algorithm.number(key, { min: 0, max: 1e5 }) : undefined);
  /** As its owner set it. */
  const target = kit.positive(value('Target'));
  const throttled = kit.positive(value('Throttle Target')) ?? target;
  return {
    ...{ isOn, name, target },
    unit: isOn ? algorithm.word('Unit', UNITS) : undefined,
    /** The lower of what was set and what the machine has throttled itself to. */
    inForce: target === undefined || throttled === undefined ? undefined : Math.min(target, throttled),
    throttle: kit.present({ min_throttle: value('Min Throttle Target'), throttle_step: value('Throttle Step') }),
  };
}
export type Tuning = NonNullable<ReturnType<typeof tuningOf>>;

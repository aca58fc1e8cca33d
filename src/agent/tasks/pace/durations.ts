// How long tasks take here: the medians of those that succeeded, per queue and driver; else what is usual. In memory,
// bounded; the journal gives what earlier runs of the agent saw.
import { median } from '../../../base/numbers.ts';
import type { AbilityName } from '../../../driver/contract.ts';
import type { LoadedAbility } from '../../../driver/load/loaded-driver.ts';
import type { TaskTimes } from './eta.ts';

const KEPT = 64;
/** Fewer say too little. */
const ENOUGH = 3;
const MAX_KEYS = 500;

/** How long the check took is not in the journal. */
type Sample = Omit<TaskTimes, 'checkS'> & { readonly checkS?: number };

export class Durations {
  readonly #samples = new Map<string, Sample[]>();

  learn(queue: string, driverId: string, sample: Sample): void {
    for (const key of [queue, `${queue} ${driverId}`]) {
      const samples = this.#samples.get(key);
      if (samples !== undefined) samples.splice(0, samples.push(sample) - KEPT);
      else if (this.#samples.size < MAX_KEYS) this.#samples.set(key, [sample]);
    }
  }

  /** Of this driver's miners; else of all in the queue; else what is usual. */
  of(queue: string, driverId: string, usual: TaskTimes): TaskTimes {
    const samples = this.#enough(`${queue} ${driverId}`) ?? this.#enough(queue);
    if (samples === undefined) return usual;
    const checks = samples.flatMap(({ checkS }) => checkS ?? []);
    return {
      checkS: checks.length === 0 ? usual.checkS : median(checks),
      holdS: median(samples.map(({ holdS }) => holdS)),
      totalS: median(samples.map(({ totalS }) => totalS)),
    };
  }

  #enough(key: string): readonly Sample[] | undefined {
    const samples = this.#samples.get(key);
    return samples !== undefined && samples.length >= ENOUGH ? samples : undefined;
  }
}

const CHECK_S = 1;
/** The first look at what was set comes after this. */
const FIRST_LOOK_S = 3;
/** From the answer until it hashes again. */
const WARM_UP_S = 180;
const START_S = 30;
const UPLOAD_S = 120;
const LOG_S = 10;

/** Where nothing was learnt, by what the driver says of the device. */
export function usualTimes(ability: AbilityName | undefined, rule: LoadedAbility | undefined): TaskTimes {
  const [shortestS, longestS] = rule?.offlineS ?? [0, 0];
  const awayS = (shortestS + longestS) / 2;
  const lasts = (totalS: number) => ({ checkS: CHECK_S, holdS: totalS, totalS });
  switch (ability) {
    case 'reboot':
      return { ...lasts(awayS + START_S + WARM_UP_S), holdS: awayS + START_S };
    case 'firmware':
      return lasts(UPLOAD_S + awayS + START_S);
    case 'log':
      return lasts(LOG_S);
    case 'light':
    case 'powerMode':
    case 'pools':
    case 'password':
      return lasts(FIRST_LOOK_S + awayS);
    case undefined:
      return lasts(FIRST_LOOK_S);
  }
}

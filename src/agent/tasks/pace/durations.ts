// How long tasks take here: as long as those that ended, per queue and driver; else what is usual. In memory, bounded;
// the journal gives what earlier runs of the agent saw.
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
  /** The same by length, as far as it was asked for. */
  readonly #sorted = new Map<string, readonly Sample[]>();

  /** Failures are learnt from as well: they take their time, too. */
  learn(queue: string, driverId: string, sample: Sample): void {
    for (const key of [queue, `${queue} ${driverId}`]) {
      const samples = this.#samples.get(key);
      if (samples !== undefined) samples.splice(0, samples.push(sample) - KEPT);
      else if (this.#samples.size < MAX_KEYS) this.#samples.set(key, [sample]);
      this.#sorted.delete(key);
    }
  }

  /**
   * Of this driver's miners; else of all in the queue; else what is usual. One of those that ended, in the order of
   * their length: `at` says which, from 0 = the shortest to 1 = the longest.
   */
  of(queue: string, driverId: string, usual: TaskTimes, at: number): TaskTimes {
    const samples = this.#enough(`${queue} ${driverId}`) ?? this.#enough(queue);
    const sample = samples?.[Math.min(samples.length - 1, Math.floor(at * samples.length))];
    return sample === undefined ? usual : { ...sample, checkS: sample.checkS ?? usual.checkS };
  }

  /** Enough of them have ended to go by. */
  isKnown(queue: string, driverId: string): boolean {
    return [`${queue} ${driverId}`, queue].some((key) => (this.#samples.get(key)?.length ?? 0) >= ENOUGH);
  }

  #enough(key: string): readonly Sample[] | undefined {
    const samples = this.#samples.get(key);
    if (samples === undefined || samples.length < ENOUGH) return undefined;
    const known = this.#sorted.get(key);
    if (known !== undefined) return known;
    const sorted = samples.toSorted((a, b) => a.totalS - b.totalS);
    this.#sorted.set(key, sorted);
    return sorted;
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
const USUAL_PART = 4;

/** Where nothing was learnt, by what the driver says of the device. */
export function usualTimes(ability: AbilityName | undefined, rule: LoadedAbility | undefined): TaskTimes {
  const [shortestS, longestS] = rule?.offlineS ?? [0, 0];
  // The longest is of the slowest unit of the family.
  const awayS = shortestS + (longestS - shortestS) / USUAL_PART;
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

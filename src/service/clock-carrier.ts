// Carries what lives in the store over a step of the clock: at once over a step forward, and over a step back when all
// copies of the service go by it. It sees no steps itself: see clock-watch.ts.
import type { Clock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import type { ReferenceStep, ServiceClock } from './service-clock.ts';
import type { ClockRepairs } from './store/store.ts';

/**
 * After this time all copies have seen a step that one of them has seen, and what they were about to write is written.
 */
export const ALL_SEE_MS = 3_000;

/**
 * A step that the service goes by and that is not finished in the store. `byMs` < 0 = back. `isOurs`: this copy carried
 * it over. Else another one did, or the clock was not set at all: a host that stood still sees the same.
 */
export type TakenStep = {
  readonly byMs: number;
  readonly atElapsedMs: number;
  readonly isCarried: boolean;
  readonly isOurs: boolean;
};

/** By how much the clock was set, with what an earlier step still has to be carried over. */
export const joinedMs = (
  { fromMs, toMs }: ReferenceStep,
  before: Pick<TakenStep, 'byMs' | 'isCarried'> | undefined,
): number => toMs - fromMs + (before?.isCarried === false ? before.byMs : 0);

/** What is left to do for a step that was taken over `sinceMs` ago. */
export function workLeft(
  { isCarried }: Pick<TakenStep, 'isCarried'>,
  sinceMs: number,
  isShared: boolean,
): 'wait' | 'carry' | 'stragglers' {
  if (isCarried) return sinceMs < ALL_SEE_MS ? 'wait' : 'stragglers';
  return isShared && sinceMs < ALL_SEE_MS ? 'wait' : 'carry';
}

export type CarrierParts = {
  readonly store: ClockRepairs;
  /** Of this host. */
  readonly clock: Clock;
  readonly serviceClock: ServiceClock;
  /** By how much the clock of this host is behind the time at which the service ended, ms; 0 = it is not. */
  readonly behindMs: number;
  readonly log: Log;
  /** The service goes by another time from now on. */
  readonly onTaken: () => void;
  /** Called by the one copy that carried the step over. */
  readonly onCarried: (step: ReferenceStep) => Promise<void>;
};

/** Each method throws what the store throws, and can be called again then. */
export class StepCarrier {
  readonly #parts: CarrierParts;
  readonly #isShared: boolean;
  #taken: TakenStep | undefined;
  #isHistoryRepaired = false;

  constructor(parts: CarrierParts) {
    this.#parts = parts;
    this.#isShared = parts.store.sharedNowMs !== undefined;
    if (parts.behindMs > 0)
      this.#taken = { byMs: -parts.behindMs, atElapsedMs: parts.clock.elapsedMs(), isCarried: false, isOurs: false };
  }

  get isBusy(): boolean {
    return this.#taken !== undefined;
  }

  async takeOver(step: ReferenceStep): Promise<void> {
    const { store, clock, serviceClock, log } = this.#parts;
    const byMs = joinedMs(step, this.#taken);
    // Forward: before anything goes by it, because everything would be stale.
    let isOurs = false;
    if (byMs > 0) isOurs = await this.#carry({ fromMs: step.toMs - byMs, toMs: step.toMs }, 0);
    else await store.endWhatIsOver(step, this.#isShared ? ALL_SEE_MS : 0);
    serviceClock.takeOver(step);
    this.#taken = { byMs, atElapsedMs: clock.elapsedMs(), isCarried: byMs > 0, isOurs };
    this.#isHistoryRepaired = false;
    if (this.#isShared) log.warn({ stepMs: byMs }, 'the clock of the database was set: let a time server keep it');
    this.#parts.onTaken();
  }

  /** Does what is left to do and is due. */
  async finish(): Promise<void> {
    if (this.#taken !== undefined) await this.#finishStep(this.#taken);
    if (!this.#isHistoryRepaired) await this.#repairHistory();
  }

  async #finishStep(taken: TakenStep): Promise<void> {
    const { store, clock, serviceClock } = this.#parts;
    const { byMs } = taken;
    const toMs = serviceClock.nowMs();
    const step = { fromMs: toMs - byMs, toMs };
    const sinceMs = Math.round(clock.elapsedMs() - taken.atElapsedMs);
    switch (workLeft(taken, sinceMs, this.#isShared)) {
      case 'wait':
        return;
      case 'carry': {
        const isOurs = (byMs < 0 && (await this.#carry(step, sinceMs))) || taken.isOurs;
        // What follows may fail, and is tried again with all of this.
        this.#taken = { ...taken, isOurs };
        if (byMs < 0) await store.redate(toMs, -byMs);
        this.#taken = { ...taken, isOurs, isCarried: true };
        return;
      }
      case 'stragglers':
        // Elsewhere those that were last heard of at that time may have fallen silent then.
        if (taken.isOurs) await store.carryStragglers(step);
        this.#taken = undefined;
    }
  }

  /** False where another copy was first. */
  async #carry(step: ReferenceStep, freshMs: number): Promise<boolean> {
    const miners = await this.#parts.store.carryOver(step, freshMs);
    if (miners !== undefined) await this.#parts.onCarried(step);
    return miners !== undefined;
  }

  async #repairHistory(): Promise<void> {
    const { store, serviceClock, log } = this.#parts;
    const found = await store.repairHistory(serviceClock.nowMs());
    this.#isHistoryRepaired = true;
    if (found.setAside > 0) log.warn(found, 'history that is later than now is set aside: the clock was set back');
    else if (found.broughtBack > 0) log.info(found, 'history that was set aside while the clock was behind is back');
  }
}

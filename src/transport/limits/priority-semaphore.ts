// A fixed number of places and a bounded line in front of them; the more urgent class goes first, and within a class who came first.
// Someone who waits can leave by signal. It does not bound how long a place is held: the work has its own deadline.
import { CancelledError, type RefusalCode, RefusedError } from '../../base/errors.ts';

type SemaphoreLimits = {
  readonly places: number;
  /** Per class, so that a crowd of one class cannot turn another away. */
  readonly maxWaitingPerClass: number;
  /** Code of the RefusedError when the line is full. */
  readonly fullCode: RefusalCode;
};

type Waiter = { readonly enter: () => void };

export class PrioritySemaphore {
  readonly #limits: SemaphoreLimits;
  /** One set per class, most urgent first. Sets keep their order and let anyone leave at once. */
  readonly #classes: readonly Set<Waiter>[];
  #taken = 0;

  constructor(classes: number, limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#classes = Array.from({ length: classes }, () => new Set<Waiter>());
  }

  get taken(): number {
    return this.#taken;
  }

  get waiting(): number {
    return this.#classes.reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Runs `work` when a place is free. Class 0 is the most urgent. */
  async run<T>(urgency: number, what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new CancelledError(what, signal.reason);
    if (this.#taken < this.#limits.places) this.#taken++;
    else await this.#wait(urgency, what, signal);
    try {
      return await work();
    } finally {
      this.#leave();
    }
  }

  #wait(urgency: number, what: string, signal: AbortSignal | undefined): Promise<void> {
    const waiters = this.#classes[urgency];
    if (!waiters || waiters.size >= this.#limits.maxWaitingPerClass) {
      return Promise.reject(new RefusedError(this.#limits.fullCode, `${what}: ${waiters?.size ?? 0} wait already`));
    }
    return new Promise((resolve, reject) => {
      const onAbort = () => {
        waiters.delete(waiter);
        reject(new CancelledError(what, signal?.reason));
      };
      const waiter: Waiter = {
        enter: () => {
          waiters.delete(waiter);
          signal?.removeEventListener('abort', onAbort);
          resolve();
        },
      };
      waiters.add(waiter);
      signal?.addEventListener('abort', onAbort, { once: true });
    });
  }

  /** Hands the place on, or gives it back when nobody waits. */
  #leave(): void {
    for (const waiters of this.#classes) {
      for (const next of waiters) {
        next.enter();
        return;
      }
    }
    this.#taken--;
  }
}

// Runs a limited number of works; the others wait in one bounded queue per class, the most urgent class first. A waiter
// can leave by signal. It does not bound how long a work runs.
import { CancelledError, type RefusalCode, RefusedError } from '../../base/errors.ts';

type SemaphoreLimits = {
  /** Works that run at the same time. */
  readonly capacity: number;
  /** Per class, so that many waiters of one class cannot keep another out. */
  readonly maxWaitingPerClass: number;
  /** Code of the RefusedError when too many wait. */
  readonly fullCode: RefusalCode;
};

type Waiter = { readonly enter: () => void };

export class PrioritySemaphore {
  readonly #limits: SemaphoreLimits;
  /** One set per class, most urgent first. Sets keep their order, and any waiter can leave at once. */
  readonly #classes: readonly Set<Waiter>[];
  #running = 0;

  constructor(classes: number, limits: SemaphoreLimits) {
    this.#limits = limits;
    this.#classes = Array.from({ length: classes }, () => new Set<Waiter>());
  }

  get running(): number {
    return this.#running;
  }

  get waiting(): number {
    return this.#classes.reduce((sum, waiters) => sum + waiters.size, 0);
  }

  /** Class 0 is the most urgent. */
  async run<T>(urgency: number, what: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
    if (signal?.aborted) throw new CancelledError(what, signal.reason);
    if (this.#running < this.#limits.capacity) this.#running++;
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

  /** The next waiter runs in its place. */
  #leave(): void {
    for (const waiters of this.#classes) {
      for (const next of waiters) {
        next.enter();
        return;
      }
    }
    this.#running--;
  }
}

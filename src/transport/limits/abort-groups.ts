// Many jobs under one abort signal with one listener. Adding or removing a listener takes time in proportion to the
// signal's listeners, which a scan with thousands of jobs under one signal would pay for each job.

export class AbortGroups<T> {
  readonly #groups = new Map<AbortSignal, { readonly jobs: Set<T>; readonly onAbort: () => void }>();
  readonly #cancel: (job: T) => void;

  constructor(cancel: (job: T) => void) {
    this.#cancel = cancel;
  }

  /** The caller checks `signal.aborted` first. */
  add(signal: AbortSignal, job: T): void {
    let group = this.#groups.get(signal);
    if (!group) {
      const jobs = new Set<T>();
      const onAbort = () => {
        this.#groups.delete(signal);
        for (const each of jobs) this.#cancel(each);
      };
      group = { jobs, onAbort };
      this.#groups.set(signal, group);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    group.jobs.add(job);
  }

  remove(signal: AbortSignal, job: T): void {
    const group = this.#groups.get(signal);
    if (!group) return;
    group.jobs.delete(job);
    if (group.jobs.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener('abort', group.onAbort);
  }
}

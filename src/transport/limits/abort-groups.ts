// Many jobs under one abort signal with one listener: adding and removing a listener costs the length of the signal's list, which a scan with
// thousands of jobs under the same signal would pay for each job.

type Cancellable = { cancel(): void };

export class SignalGroups {
  readonly #groups = new Map<AbortSignal, { readonly jobs: Set<Cancellable>; readonly onAbort: () => void }>();

  /** The caller checks `signal.aborted` first. */
  add(signal: AbortSignal, job: Cancellable): void {
    let group = this.#groups.get(signal);
    if (!group) {
      const jobs = new Set<Cancellable>();
      const onAbort = () => {
        this.#groups.delete(signal);
        for (const each of jobs) each.cancel();
      };
      group = { jobs, onAbort };
      this.#groups.set(signal, group);
      signal.addEventListener('abort', onAbort, { once: true });
    }
    group.jobs.add(job);
  }

  remove(signal: AbortSignal, job: Cancellable): void {
    const group = this.#groups.get(signal);
    if (!group) return;
    group.jobs.delete(job);
    if (group.jobs.size > 0) return;
    this.#groups.delete(signal);
    signal.removeEventListener('abort', group.onAbort);
  }
}

// The sums of one scan: its progress while it runs, and the account in which every address has exactly one class. Pure.
import type { RangesToProbe } from '../../base/net/ranges.ts';
import { type ContactStatus, countedAs, noCounts, type ScanAccount } from '../../model/contact.ts';
import type { Identification, ScanProgress } from './plan.ts';

export class ScanTally {
  readonly #ranges: RangesToProbe;
  readonly #counts = noCounts();
  readonly #likely = new Map<string, number>();
  /** Asked in the first pass. */
  probed = 0;
  answering = 0;
  /** Being identified, or waiting for it. */
  identifying = 0;
  /** Could not be asked. */
  unasked = 0;

  constructor(ranges: RangesToProbe) {
    this.#ranges = ranges;
  }

  count(status: ContactStatus, found: Identification | undefined): void {
    this.#counts[countedAs(status)]++;
    if (found?.status !== 'likely') return;
    const { id } = found.target.driver;
    this.#likely.set(id, (this.#likely.get(id) ?? 0) + 1);
  }

  progress(phase: ScanProgress['phase'], elapsedMs: number): ScanProgress {
    const { probed, identifying, answering } = this;
    const { toProbe } = this.#ranges;
    const remainingMs = probed > 0 ? Math.round((elapsedMs / probed) * (toProbe - probed)) : undefined;
    const identified = this.#counts.identified;
    return {
      ...{ phase, toProbe, probed, identifying, identified, answering, elapsedMs },
      ...(remainingMs !== undefined && { remainingMs }),
    };
  }

  account(elapsedMs: number, isCancelled: boolean): ScanAccount {
    const { addresses, excluded, toProbe } = this.#ranges;
    const settled = Object.values(this.#counts).reduce((sum, count) => sum + count, 0);
    return {
      addresses,
      excluded,
      counts: { ...this.#counts },
      ...(this.#likely.size > 0 && { likely: Object.fromEntries([...this.#likely].toSorted()) }),
      notReached: toProbe - settled,
      elapsedMs,
      isCancelled,
      ...(this.unasked > 0 && {
        notes: [`${this.unasked} addresses could not be asked: this process ran out of sockets, or may not reach them`],
      }),
    };
  }
}

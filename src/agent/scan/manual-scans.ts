// The callers of manual scans: each gets the progress, and the account when every found miner is known. It queues
// nothing itself.
import { CancelledError } from '../../base/errors.ts';
import type { ScanAccount } from '../../model/contact.ts';
import type { Contact, Identification, ScanPlan, ScanProgress } from './plan.ts';
import type { FinishedScan, Scanner, ScanTicket } from './scanner.ts';

export type ManualScans<F extends Identification = Identification> = ReturnType<typeof createManualScans<F>>;

type ManualOptions<F extends Identification> = {
  readonly signal?: AbortSignal;
  readonly onContact?: (contact: Contact<F>) => void;
  readonly onProgress?: (progress: ScanProgress) => void;
};

type Waiting<F extends Identification> = ManualOptions<F> & {
  resolve(account: ScanAccount): void;
  reject(error: unknown): void;
};

/** `findings` resolves when everything found so far is taken in. */
export function createManualScans<F extends Identification = Identification>(
  scanner: () => Pick<Scanner, 'request' | 'cancel'>,
  findings: () => Promise<void>,
) {
  const waiting = new Map<string, Waiting<F>>();
  return {
    /**
     * Queues the scan before any scheduled one. A scan that `signal` cancels keeps what it found and resolves with its
     * account. Rejects with RefusedError when too many wait, with CancelledError when the scan broke.
     */
    async run(id: string, plan: ScanPlan, options: ManualOptions<F> = {}): Promise<ScanAccount> {
      const { promise, resolve, reject } = Promise.withResolvers<ScanAccount>();
      const cancel = () => scanner().cancel(id);
      waiting.set(id, { ...options, resolve, reject });
      try {
        scanner().request(id, plan);
      } catch (error) {
        waiting.delete(id);
        throw error;
      }
      options.signal?.addEventListener('abort', cancel, { once: true });
      if (options.signal?.aborted) cancel();
      try {
        return await promise;
      } finally {
        options.signal?.removeEventListener('abort', cancel);
      }
    },
    /** From here on: for the sink of the scanner. */
    onContact: ({ id }: ScanTicket, contact: Contact<F>) => waiting.get(id)?.onContact?.(contact),
    onProgress: ({ id }: ScanTicket, progress: ScanProgress) => waiting.get(id)?.onProgress?.(progress),
    onEnd({ id, account }: FinishedScan): void {
      const caller = waiting.get(id);
      waiting.delete(id);
      if (account === undefined) caller?.reject(new CancelledError('scan the farm'));
      else if (caller !== undefined) findings().then(() => caller.resolve(account), caller.reject);
    },
  };
}

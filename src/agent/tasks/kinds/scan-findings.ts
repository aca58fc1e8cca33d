// What a scan task finds at single addresses, reported in portions while it runs. Addresses that are silent are left to
// the account.
import type { Clock } from '../../../base/clock.ts';
import { renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { MOST_SCANNED, type Scanned, type ScanRecord } from '../../../wire/records.ts';

/** Of one scan; the account counts all of them. */
const MOST_REPORTED = 25_000;

export function createFindings(
  taskId: string,
  {
    clock,
    log,
    report,
  }: { readonly clock: Clock; readonly log: Log; readonly report: (record: ScanRecord) => Promise<void> },
) {
  let waiting: Scanned[] = [];
  let taken = 0;
  const beingSent = new Set<Promise<void>>();
  const sendAll = () => {
    while (waiting.length > 0) {
      const addresses = waiting.slice(0, MOST_SCANNED);
      waiting = waiting.slice(MOST_SCANNED);
      const at = new Date(clock.nowMs()).toISOString();
      const work = report({ kind: 'scan', task_id: taskId, at, addresses })
        .catch((error: unknown) =>
          log.warn({ taskId, cause: renderError(error) }, 'what a scan found could not be reported'),
        )
        .finally(() => beingSent.delete(work));
      beingSent.add(work);
    }
  };
  return {
    add(scanned: Scanned): void {
      if (scanned.status === 'silent' || taken >= MOST_REPORTED) return;
      taken++;
      waiting.push(scanned);
    },
    /** What was found since the last time. */
    report: sendAll,
    /** Resolves when all of it is on disk, before the outcome of the task. */
    async end(): Promise<void> {
      sendAll();
      await Promise.all(beingSent);
    },
  };
}

// Batches that are not carried out all at once: keeps the count of each while it has tasks here, from the journal on,
// and says who must wait and when a batch is over for those that were not started. It ends no task itself.
import type { TaskOutcome } from '../contract.ts';
import type { StoredTask } from '../stored-task.ts';
import type { Journal } from './journal.ts';
import { heldBackText, isHeldBack, type Rollout, stopOf, stoppedOutcome } from './rollout-rule.ts';

type Member = Pick<StoredTask, 'taskId' | 'batchId'>;

type Batch = NonNullable<ReturnType<Journal['batch']>> & {
  readonly open: Set<string>;
  readonly running: Set<string>;
  /** What `stopped` says is on disk. */
  isKept: boolean;
};

export function createRollouts(journal: Pick<Journal, 'keepBatch' | 'stopBatch' | 'batch'>) {
  const batches = new Map<string, Batch>();

  const keep = (batchId: string, batch: Batch) => {
    if (batch.isKept || batch.stopped === undefined) return;
    journal.stopBatch(batchId, batch.stopped);
    batch.isKept = true;
  };

  const stopIfDue = (batchId: string, batch: Batch): boolean => {
    if (batch.stopped !== undefined) return false;
    const stop = stopOf(batch.rule, batch);
    if (stop === undefined) return false;
    batch.stopped = stop;
    try {
      keep(batchId, batch);
    } catch {
      // Nothing more is begun all the same, and `tidy` tries again.
    }
    return true;
  };

  const find = (batchId: string | null): Batch | undefined => {
    if (batchId === null) return undefined;
    const known = batches.get(batchId);
    if (known !== undefined) return known;
    const kept = journal.batch(batchId);
    if (kept === undefined) return undefined;
    const batch: Batch = { ...kept, isKept: kept.stopped !== undefined, open: new Set(), running: new Set() };
    batches.set(batchId, batch);
    // A crash may have come between the last failure and the stop.
    stopIfDue(batchId, batch);
    return batch;
  };
  const held = ({ batchId }: Member) => (batchId === null ? undefined : batches.get(batchId));

  return {
    /** On disk when it returns. The first rule of a batch is the one that counts. */
    declare(batchId: string, rule: Rollout): void {
      if (!batches.has(batchId)) journal.keepBatch(batchId, rule);
    },
    /** The task waits or runs; before its end is told. */
    join: (task: Member): void => void find(task.batchId)?.open.add(task.taskId),
    /** Must wait for those before it, or is not begun any more. */
    isHeld(task: Member): boolean {
      const batch = held(task);
      if (batch === undefined) return false;
      return batch.stopped !== undefined || isHeldBack(batch.rule, batch, batch.running.size);
    },
    /** For people: why a task that waits is held back; undefined = it is not. */
    whyHeld(task: Member): string | undefined {
      const batch = held(task);
      if (batch === undefined || batch.stopped !== undefined) return undefined;
      return isHeldBack(batch.rule, batch, batch.running.size) ? heldBackText(batch.rule.canary) : undefined;
    },
    began: (task: Member): void => void held(task)?.running.add(task.taskId),
    /** It waits again. */
    returned: (task: Member): void => void held(task)?.running.delete(task.taskId),
    /**
     * True when the batch goes no further from here on, also when the disk refuses to keep that for now. Counts each
     * task that has joined once.
     */
    ended(task: Member, status: TaskOutcome['status']): boolean {
      const batch = held(task);
      if (batch === undefined || task.batchId === null) return false;
      batch.running.delete(task.taskId);
      // Its end may have been written more than once.
      if (!batch.open.delete(task.taskId)) return false;
      if (status === 'succeeded') batch.succeeded++;
      else if (status !== 'cancelled') batch.failed++;
      return stopIfDue(task.batchId, batch);
    },
    /**
     * How tasks of a stopped batch end that are not started; undefined = it was not stopped. On disk when it returns.
     */
    stopped(batchId: string | null): TaskOutcome | undefined {
      const batch = find(batchId);
      if (batchId !== null && batch !== undefined) keep(batchId, batch);
      return batch?.stopped && stoppedOutcome(batch.rule, batch.stopped);
    },
    /**
     * Keeps what the disk refused so far, and forgets what has no tasks here; the journal knows it. Throws while the
     * disk refuses.
     */
    tidy(): void {
      for (const [batchId, batch] of batches) {
        keep(batchId, batch);
        if (batch.open.size === 0) batches.delete(batchId);
      }
    },
    clear: () => batches.clear(),
  };
}

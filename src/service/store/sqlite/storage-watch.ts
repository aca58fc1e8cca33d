// Learns from the statements on the embedded database whether the disk takes what is written and whether the file is
// damaged. Only the write of the probe proves that a fault is over.
import { systemClock } from '../../../base/clock.ts';
import { type DiskFault, diskFault } from '../../../base/storage/disk-fault.ts';
import type { OpenFile } from '../../../base/storage/open-file.ts';
import type { StorageWatch } from '../databases.ts';

/** A page that cannot be used although the disk has read the whole file since so long ago is damaged. */
const READ_HOLDS_MS = 600_000;

/** `folder` is that of the file; `write` changes the file: to something else at odd times than at even ones. */
export function createFaultWatch(
  folder: string,
  file: Pick<OpenFile, 'isInPlace' | 'canBeRead'>,
  write: (isOdd: boolean) => Promise<unknown>,
) {
  let fault: DiskFault | undefined;
  let isOdd = false;
  /** SQLite calls a page damaged that the disk refused to read: which of both it is shows when the disk reads again. */
  let isSuspect = false;
  let readAtMs: number | undefined;
  const damaged = new AbortController();

  const suspect = () => {
    const isRead = readAtMs !== undefined && systemClock.monotonicMs() - readAtMs < READ_HOLDS_MS;
    isSuspect = !isRead;
    fault = isRead ? 'the file is damaged' : 'the disk does not answer';
    if (isRead) damaged.abort('the database of the service is damaged');
  };
  const note = (found: DiskFault | undefined) => {
    if (found === undefined || damaged.signal.aborted) return;
    if (found === 'the file is damaged') suspect();
    else fault = found;
  };
  /**
   * A statement of a connection that reads failed. A fault of the disk there proves nothing about writes; damage
   * counts.
   */
  const onReader = (error: unknown) => {
    const found = diskFault(error);
    if (found === 'the file is damaged') note(found);
  };
  return {
    /** A statement of the connection that writes failed. */
    onWriter: (error: unknown) => note(diskFault(error, folder)),
    onReader,
    storage: {
      noteReadError: onReader,
      fault: () => fault,
      damaged: damaged.signal,
      async probe() {
        if (damaged.signal.aborted) return;
        if (!file.isInPlace()) {
          fault = 'the file is not where it was opened';
          return;
        }
        if (isSuspect) {
          if (!(await file.canBeRead())) return;
          isSuspect = false;
          readAtMs = systemClock.monotonicMs();
        }
        if (fault === undefined) return;
        isOdd = !isOdd;
        await write(isOdd);
        fault = undefined;
      },
    } satisfies StorageWatch,
  };
}

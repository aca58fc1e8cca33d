// What the statements on the embedded database show of its file: whether the disk takes what is written, and whether the file is damaged. It writes
// nothing by itself, and a write that works proves only then that a fault is over when it was one in earnest: see the probe.
import { type DiskFault, diskFault } from '../../../base/storage/disk-fault.ts';
import type { StorageWatch } from '../databases.ts';

/** `folder` is that of the file; `write` changes the file: to something else at odd times than at even ones. */
export function createFaultWatch(folder: string, write: (isOdd: boolean) => Promise<unknown>) {
  let fault: DiskFault | undefined;
  let isOdd = false;
  const damaged = new AbortController();
  const note = (found: DiskFault | undefined) => {
    if (found === undefined || damaged.signal.aborted) return;
    fault = found;
    if (found === 'the file is damaged') damaged.abort('the database of the service is damaged');
  };
  return {
    /** A statement of the connection that writes failed. */
    onWriter: (error: unknown) => note(diskFault(error, folder)),
    /** One of the connection that reads: what it meets of the disk says nothing of what is written, but damage is damage. */
    onReader(error: unknown) {
      const found = diskFault(error);
      if (found === 'the file is damaged') note(found);
    },
    storage: {
      fault: () => fault,
      damaged: damaged.signal,
      async probe() {
        if (fault === undefined || damaged.signal.aborted) return;
        isOdd = !isOdd;
        await write(isOdd);
        fault = undefined;
      },
    } satisfies StorageWatch,
  };
}

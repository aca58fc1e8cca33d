// Waits until the disk has what was written: what is synced survives a power cut.
import { closeSync, fsyncSync, openSync } from 'node:fs';

/** So that a name in it survives a power cut. */
export function syncFolder(folder: string): void {
  // Folders cannot be opened everywhere; there the file system keeps names by itself.
  if (process.platform !== 'win32') sync(folder, 'r');
}

export const syncFile = (path: string): void => sync(path, 'r+');

function sync(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

// Files that are there whole or not at all, and stay so after a power cut. It says nothing about what is in them.
import { closeSync, fchmodSync, fsyncSync, openSync, renameSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

/** Replaces the file in one step; back from here, it is on the disk. `mode` holds whatever the mask of the process is. */
export function writeWhole(path: string, text: string, mode: number): void {
  const unfinished = `${path}.new`;
  const descriptor = openSync(unfinished, 'w', mode);
  try {
    // Before the text: one that a kill has left may be open to others.
    fchmodSync(descriptor, mode);
    writeFileSync(descriptor, text);
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
  renameSync(unfinished, path);
  syncFolder(dirname(path));
}

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

// Packs logs into one zip. It is loaded when a person asks for it.
import { strToU8, zipSync } from 'fflate';
import type { LogFile } from './log-files.ts';

export function packLogs(files: readonly LogFile[]): Blob {
  const packed = zipSync(Object.fromEntries(files.map(({ name, text }) => [name, strToU8(text)])));
  return new Blob([new Uint8Array(packed)], { type: 'application/zip' });
}

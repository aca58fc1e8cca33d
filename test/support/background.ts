// How this Node is started for what loads a service as other machines do in the field. They have processors of their
// own: here it gets what nothing else wants.
import { spawnSync } from 'node:child_process';

/** For `spawn`. */
export type Start = { readonly command: string; readonly args: readonly string[] };

export const inForeground = (args: readonly string[]): Start => ({ command: process.execPath, args });

/** As in the foreground where the system has no such priority. */
export function inBackground(args: readonly string[]): Start {
  const idle = ['--idle', '0'];
  const isThere = spawnSync('chrt', [...idle, 'true']).status === 0;
  return isThere ? { command: 'chrt', args: [...idle, process.execPath, ...args] } : inForeground(args);
}

// How this Node is started for what is measured: the service as it is installed, and what loads it as other machines do
// in the field. Those have processors of their own: here they get what nothing else wants.
import { spawnSync } from 'node:child_process';
import { HEAP_FLAGS } from '../../src/base/platform/heap-flags.ts';
import { ENVIRONMENT } from '../../src/update/linux/units.ts';

/** For `spawn`; `environment` comes on top of that of this process. */
export type Start = {
  readonly command: string;
  readonly args: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
};

export const inForeground = (args: readonly string[]): Start => ({ command: process.execPath, args });

/**
 * With the heap and the allocator of the installed program. Node alone has a large young generation, which several
 * threads collect: on busy processors that takes ten milliseconds at a time.
 */
export const asInstalled = (args: readonly string[]): Start => ({
  ...inForeground([...HEAP_FLAGS, ...args]),
  environment: ENVIRONMENT,
});

/** As in the foreground where the system has no such priority. */
export function inBackground(args: readonly string[]): Start {
  const idle = ['--idle', '0'];
  const isThere = spawnSync('chrt', [...idle, 'true']).status === 0;
  return isThere ? { command: 'chrt', args: [...idle, process.execPath, ...args] } : inForeground(args);
}

// Notices when a process that started this one has ended. On Linux the parent's parent is watched too, elsewhere the
// parent only.
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';

const CHECK_MS = 500;

/** Calls `onGone` once when a process that started this one has ended. It does not keep this process alive. */
export function whenLaunchersGo(clock: Clock, onGone: () => void): void {
  // npm starts a shell, and the shell starts the program.
  const parent = process.ppid;
  const npm = parentOf(parent);
  const check = () => {
    const now = process.ppid === parent ? parentOf(parent) : undefined;
    // Where it cannot be read at the moment, for want of files for example, nothing is known.
    const isGone = process.ppid !== parent || (now !== undefined && npm !== undefined && now !== npm);
    if (isGone) onGone();
    else wait();
  };
  const wait = () => void clock.after(CHECK_MS, check, { unref: true });
  wait();
}

function parentOf(pid: number): number | undefined {
  try {
    // `<pid> (<name>) <state> <parent> …`; the name may hold blanks and brackets.
    const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

// Which processes started this one, to notice when they are gone. Linux tells the parent of a parent; elsewhere only the own parent is watched.
import { readFileSync } from 'node:fs';
import type { Clock } from '../clock.ts';

const CHECK_MS = 500;

/** Calls `onGone` once when one of the processes that started this one is gone. It keeps the process from no end. */
export function whenLaunchersGo(clock: Clock, onGone: () => void): void {
  const started = launchers();
  const check = () => (launchers() === started ? wait() : onGone());
  const wait = () => void clock.after(CHECK_MS, check, { unref: true });
  wait();
}

/** The parent, and where it is known the parent of that: npm starts a shell, and the shell starts the program. It changes when one of them is gone. */
const launchers = (): string => [process.ppid, parentOf(process.ppid)].join(' ');

function parentOf(pid: number): number | undefined {
  try {
    // `<pid> (<name>) <state> <parent> …`; the name may hold blanks and brackets.
    const [, parent] = /^.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return parent === undefined ? undefined : Number(parent);
  } catch {
    return undefined;
  }
}

// Runs a command of the program in a process of its own, which may read some folders, write nothing and start nothing.
// It ends that process when one step takes too long: the driver that is checked there may contain an endless loop.
import { spawn } from 'node:child_process';
import { systemClock } from '../../base/clock.ts';
import { childEnvironment, ownCommand } from '../../driver/load/process/child-command.ts';
import type { CliContext } from '../output/terminal.ts';

const HEAP_MB = 512;
/** The longest that one step may take. */
const STEP_S = 30;
/** The variables that decide how output looks on this terminal. */
const OF_THE_TERMINAL = ['TERM', 'COLORTERM', 'NO_COLOR', 'FORCE_COLOR', 'TZ', 'LANG', 'LC_ALL'];

export type Ended =
  | { readonly kind: 'ended'; readonly code: number }
  /** The step that did not end within `afterS` seconds. */
  | { readonly kind: 'stuck'; readonly step: string; readonly afterS: number };

/** `words` = its command line. It reports each step with `reportStep`, and writes to the terminal itself. */
export function runInOwnProcess(
  words: readonly string[],
  folders: readonly string[],
  { environment, signal }: Pick<CliContext, 'environment' | 'signal'>,
): Promise<Ended> {
  const command = ownCommand(words);
  const shown = Object.fromEntries(OF_THE_TERMINAL.map((name) => [name, environment[name]]));
  const child = spawn(command.file, command.args, {
    env: { ...shown, ...childEnvironment(command, folders, HEAP_MB) },
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    windowsHide: true,
  });
  return new Promise((resolve, reject) => {
    let step = 'the start';
    let cancel = () => {};
    const end = () => child.kill('SIGKILL');
    const watch = (next: unknown) => {
      cancel();
      if (typeof next === 'string') step = next;
      cancel = systemClock.after(STEP_S * 1_000, () => {
        resolve({ kind: 'stuck', step, afterS: STEP_S });
        end();
      });
    };
    watch(undefined);
    signal.addEventListener('abort', end, { once: true });
    child.on('message', watch);
    child.on('error', reject);
    child.on('close', (code) => {
      cancel();
      signal.removeEventListener('abort', end);
      resolve({ kind: 'ended', code: code ?? 1 });
    });
  });
}

/** Called in that process: names the step that begins. */
export const reportStep = (step: string): void => void process.send?.(step);

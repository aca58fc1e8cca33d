// Runs a process under strace: to see what it does to its files, or to make the n-th call of a kind fail. Where there
// is no strace, or it may not trace, `canTrace` says so.
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';

export const canTrace = spawnSync('strace', ['-o', '/dev/null', 'true']).status === 0;

export type Run = { readonly code: number | null; readonly signal: string | null; readonly lines: readonly string[] };

/** `options` go to strace, `script` and its arguments to Node. Ended by force after `limitMs`. */
export async function trace(options: readonly string[], script: readonly string[], limitMs = 60_000): Promise<Run> {
  const child = spawn('strace', ['-f', '--seccomp-bpf', ...options, process.execPath, ...script], {
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
    killSignal: 'SIGKILL',
  });
  let text = '';
  let complaints = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    text += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    complaints += chunk;
  });
  await once(child, 'close');
  const isCrash = /Error|at .*\.ts:/.test(complaints);
  return {
    code: child.exitCode === 0 && isCrash ? 1 : child.exitCode,
    signal: child.signalCode,
    lines: text.split('\n').filter((line) => line !== ''),
  };
}

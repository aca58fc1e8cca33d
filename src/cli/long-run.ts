// The life of a long-running command once everything has started: the service manager hears that it is ready and that it gets on, until a signal
// comes; then everything stops in order.
import { once } from 'node:events';
import { systemClock } from '../base/clock.ts';
import type { Log } from '../base/log.ts';
import { keepHeapSmall } from '../base/platform/heap-flags.ts';
import { createServiceManager } from '../base/platform/service-manager.ts';
import type { CliContext } from './terminal.ts';

export async function runUntilStopped(
  { environment, signal }: Pick<CliContext, 'environment' | 'signal'>,
  running: { readonly log: Log; stalled?(): string | undefined; reload?(): void; stop(): Promise<void> },
): Promise<void> {
  keepHeapSmall();
  const manager = createServiceManager({ environment, clock: systemClock, log: running.log });
  const reload = () => running.reload?.();
  // From a terminal the signal means that its window is gone: then the program goes too.
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
  await manager.ready();
  const fed = manager.feed(() => running.stalled?.(), signal);
  if (!signal.aborted) await once(signal, 'abort');
  await manager.stopping();
  await running.stop();
  await fed;
  process.off('SIGHUP', reload);
}

/** How a Windows service is told to stop, where there are no signals: whoever started the program closes its standard input. */
export function stoppedByStdin(context: CliContext): CliContext {
  const ended = new AbortController();
  const end = () => ended.abort('standard input has ended');
  process.stdin.once('end', end).once('close', end).once('error', end).resume();
  return { ...context, signal: AbortSignal.any([context.signal, ended.signal]) };
}

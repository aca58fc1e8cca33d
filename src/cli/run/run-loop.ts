// The life of a long-running command after its start: it reports ready and alive to the service manager, reads the
// configuration again on SIGHUP, and stops everything in order on a stop signal.
import { once } from 'node:events';
import type { Agent } from '../../agent/agent.ts';
import type { AgentConfig } from '../../agent/config/config.ts';
import type { Reloaded } from '../../agent/control/control-handlers.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError, renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { createServiceManager } from '../../base/platform/service-manager.ts';
import { CommandFailed } from '../output/exit.ts';
import type { AdjustableLog } from '../output/logging.ts';
import type { CliContext } from '../output/terminal.ts';

/**
 * Throws CommandFailed after a stop because of `broken`, so that a service manager starts the process again. Errors of
 * `reload` go to the caller at the control socket; after a signal they are in the log.
 */
export async function runUntilStopped(
  { environment, signal }: Pick<CliContext, 'environment' | 'signal'>,
  running: {
    readonly log: Log;
    stalled?(): string | undefined;
    reload?(): unknown;
    stop(): Promise<void>;
    /** Aborts when it cannot go on and has to begin anew; the reason is for people. */
    readonly broken?: AbortSignal | undefined;
  },
): Promise<void> {
  const manager = createServiceManager({ environment, clock: systemClock, log: running.log });
  const reload = () => {
    try {
      running.reload?.();
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  };
  // From a terminal the signal means that its window is gone: then the program goes too.
  if (!process.stdin.isTTY) process.on('SIGHUP', reload);
  await manager.ready();
  const ends = AbortSignal.any([signal, ...(running.broken ? [running.broken] : [])]);
  const fed = manager.feed(() => running.stalled?.(), ends);
  if (!ends.aborted) await once(ends, 'abort');
  await manager.stopping();
  await running.stop();
  await fed;
  process.off('SIGHUP', reload);
  if (!signal.aborted) throw new CommandFailed(`ended, to begin anew: ${String(running.broken?.reason)}`);
}

/**
 * The configuration, read again by `read`. Throws ConfigError for a wrong one, and the last good one stays in use. The
 * log says which one it was, and what needs a restart.
 */
export function reloadNow(
  agent: Pick<Agent, 'reload'>,
  {
    log,
    read,
    onTaken,
  }: { readonly log: AdjustableLog; readonly read: () => AgentConfig; readonly onTaken?: (next: AgentConfig) => void },
): Reloaded {
  try {
    const next = read();
    const reloaded = agent.reload(next);
    const { changed, needsRestart } = reloaded;
    onTaken?.(next);
    log.level = next.log.level;
    log.info({ changed }, 'configuration read anew');
    if (needsRestart.length > 0) log.warn({ needsRestart }, 'these settings changed too, and take a restart');
    return reloaded;
  } catch (error) {
    const problems = error instanceof ConfigError ? error.problems : [];
    log.error({ problems, cause: renderError(error) }, 'the configuration is wrong: the last good one stays in use');
    throw error;
  }
}

/** Windows has no signals: the service host stops the program by closing its standard input. */
export function stoppedByStdin(context: CliContext): CliContext {
  const ended = new AbortController();
  const end = () => ended.abort('standard input has ended');
  process.stdin.once('end', end).once('close', end).once('error', end).resume();
  return { ...context, signal: AbortSignal.any([context.signal, ended.signal]) };
}

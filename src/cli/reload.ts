// Makes a running agent read its configuration anew, by SIGHUP or by `pithead reload`: whole; with a problem in it the last good one stays in use.
// The log tells which it was, and what takes a restart.
import type { Command } from 'commander';
import type { Agent } from '../agent/agent.ts';
import type { AgentConfig } from '../agent/config.ts';
import { ConfigError, renderError } from '../base/errors.ts';
import type { AdjustableLog } from './logging.ts';
import { addRunningOptions, type RunningFlags, withRunning } from './running.ts';
import type { CliContext } from './terminal.ts';

/** `read` throws ConfigError for a configuration that is wrong. */
type Source = { readonly log: AdjustableLog; readonly read: () => AgentConfig };

/** Throws ConfigError, and then nothing has changed. */
export function reloadNow(agent: Pick<Agent, 'reload'>, { log, read }: Source): ReturnType<Agent['reload']> {
  try {
    const next = read();
    const reloaded = agent.reload(next);
    const { changed, needsRestart } = reloaded;
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

/** For a signal, to which nobody can be answered: the log has it. */
export function reloader(agent: Pick<Agent, 'reload'>, source: Source): () => void {
  return () => {
    try {
      reloadNow(agent, source);
    } catch (error) {
      if (!(error instanceof Error)) throw error;
    }
  };
}

export function addReload(program: Command, context: CliContext): void {
  const command = program
    .command('reload')
    .description('let the running agent read its configuration anew; a wrong one changes nothing')
    .option('--json', 'one JSON object: changed, needs_restart');
  addRunningOptions(command)
    .addHelpText(
      'after',
      '\nPasswords that systemd hands over come with a restart only.\n\nExamples:\n  $ pithead reload\n  $ pithead reload --json',
    )
    .action(async (flags: RunningFlags & { json?: boolean }) => {
      const reloaded = await withRunning(flags, context, (agent) => agent.reload());
      const { changed, needs_restart } = reloaded;
      const lines = [
        changed.length === 0 ? 'nothing has changed' : `from now on: ${changed.join(', ')}`,
        ...(needs_restart.length === 0 ? [] : [`after a restart: ${needs_restart.join(', ')}`]),
      ];
      context.stdout.write(`${flags.json ? JSON.stringify(reloaded) : lines.join('\n')}\n`);
    });
}

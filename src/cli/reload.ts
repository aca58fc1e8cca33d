// What SIGHUP does to a running agent: the configuration is read anew, whole; with a problem in it the last good one stays in use. The log tells
// which it was, and what takes a restart.
import type { Agent } from '../agent/agent.ts';
import type { AgentConfig } from '../agent/config.ts';
import { ConfigError, renderError } from '../base/errors.ts';
import type { AdjustableLog } from './logging.ts';

/** `read` throws ConfigError for a configuration that is wrong. */
export function reloader(
  agent: Pick<Agent, 'reload'>,
  { log, read }: { readonly log: AdjustableLog; readonly read: () => AgentConfig },
): () => void {
  return () => {
    try {
      const next = read();
      const { changed, needsRestart } = agent.reload(next);
      log.level = next.log.level;
      log.info({ changed }, 'configuration read anew');
      if (needsRestart.length > 0) log.warn({ needsRestart }, 'these settings changed too, and take a restart');
    } catch (error) {
      const problems = error instanceof ConfigError ? error.problems : [];
      log.error({ problems, cause: renderError(error) }, 'the configuration is wrong: the last good one stays in use');
    }
  };
}

// `pithead config check`: every problem of a configuration file at once.
import type { Command } from 'commander';
import { loadConfig } from '../../agent/config.ts';
import { ConfigError } from '../../base/errors.ts';
import { readTls } from '../../service/service.ts';
import { DEFAULT_CONFIG, usualConfig } from '../config-file.ts';
import { CommandFailed, EXIT } from '../exit.ts';
import type { CliContext } from '../terminal.ts';

const CHECK_EXAMPLES = '\nExamples:\n  $ pithead config check\n  $ pithead config check /etc/pithead/pithead.yaml';

export function addConfig(program: Command, context: CliContext): void {
  program
    .command('config')
    .description('the configuration file')
    .addHelpText('after', CHECK_EXAMPLES)
    .command('check')
    .description('check a configuration and report every problem; exit code 78 if there is one')
    .argument('[file]', `configuration (default: ${DEFAULT_CONFIG} here, else that of the system service)`)
    .option('--json', 'print JSON, also when there are problems')
    .addHelpText('after', CHECK_EXAMPLES)
    .action((file: string | undefined, { json = false }: { json?: boolean }) => {
      const path = file ?? usualConfig(context.environment) ?? DEFAULT_CONFIG;
      try {
        const config = loadConfig(path, context.environment);
        const { tls, ...listen } = config.listen;
        // The files too: the service would not start without them.
        const certificate = tls && { certificateExpiresAt: new Date(readTls(tls).expiresAtMs).toISOString() };
        const lines = config.ranges.echo.map((line) => `  ${line}\n`).join('');
        const value = {
          path,
          ok: true,
          problems: [],
          networks: config.ranges.echo,
          listen: { ...listen, ...certificate },
        };
        context.stdout.write(json ? `${JSON.stringify(value)}\n` : `${path} is fine\n${lines}`);
      } catch (error) {
        if (!json || !(error instanceof ConfigError)) throw error;
        context.stdout.write(`${JSON.stringify({ path, ok: false, problems: error.problems })}\n`);
        throw new CommandFailed('', EXIT.config);
      }
    });
}

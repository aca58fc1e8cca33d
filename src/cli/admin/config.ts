// `pithead config check`: every problem of a configuration file at once.
import type { Command } from 'commander';
import { loadConfig } from '../../agent/config.ts';
import { DEFAULT_CONFIG, usualConfig } from '../config-file.ts';
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
    .addHelpText('after', CHECK_EXAMPLES)
    .action((file: string | undefined) => {
      const path = file ?? usualConfig(context.environment) ?? DEFAULT_CONFIG;
      const config = loadConfig(path, context.environment);
      context.stdout.write(`${path} is fine\n${config.ranges.echo.map((line) => `  ${line}\n`).join('')}`);
    });
}

// `pithead config check`: all problems of a configuration at once. `pithead config seal`: encrypts the passwords of a
// secrets file.
import { dirname, join, resolve } from 'node:path';
import type { Command } from 'commander';
import { parseDocument } from 'yaml';
import { z } from 'zod';
import { KEY_FILE, loadConfig } from '../../agent/config/config.ts';
import { driverIds } from '../../agent/standalone/folder-drivers.ts';
import { ConfigError } from '../../base/errors.ts';
import { writeFileAtomic } from '../../base/storage/atomic-file.ts';
import { readSmallFile } from '../../base/storage/plain-file.ts';
import { isEncrypted, openOrCreateVault } from '../../base/storage/vault.ts';
import { readTls } from '../../service/service.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { DEFAULT_CONFIG, SECRETS_FILE, usualConfig } from '../setup/config-file.ts';
import { openCode } from '../setup/open-code.ts';

const CHECK_EXAMPLES = '\nExamples:\n  $ pithead config check\n  $ pithead config check /etc/pithead/pithead.yaml';

export function addConfig(program: Command, context: CliContext): void {
  const commands = program.command('config').description('the configuration file').addHelpText('after', CHECK_EXAMPLES);
  addSeal(commands, context);
  commands
    .command('check')
    .description('check a configuration and report every problem; exit code 78 if there is one')
    .argument('[file]', `configuration (default: ${DEFAULT_CONFIG} here, else that of the system service)`)
    .option('--json', 'print JSON, also when there are problems')
    .addHelpText('after', CHECK_EXAMPLES)
    .action((file: string | undefined, { json = false }: { json?: boolean }) => {
      const path = file ?? usualConfig(context.environment) ?? DEFAULT_CONFIG;
      try {
        const config = loadConfig(path, context.environment, driverIds);
        const { tls, ...listen } = config.listen;
        // The files too: the service would not start without them.
        const certificate =
          typeof tls === 'object'
            ? { certificateExpiresAt: new Date(readTls(tls).expiresAtMs).toISOString() }
            : undefined;
        const lines = config.ranges.echo.map((line) => `  ${line}\n`).join('');
        const { trust, logins } = config.credentials;
        const open = openCode(path);
        const warnings = open === undefined ? [] : [`${open.text}: ${open.remedy}`];
        const about = {
          networks: config.ranges.echo,
          trust,
          logins: logins.length,
          listen: { ...listen, ...certificate },
        };
        const value = { path, ok: true, problems: [], warnings, ...about };
        context.stdout.write(
          json
            ? `${JSON.stringify(value)}\n`
            : `${path} is fine\n${lines}${logins.length === 0 ? '' : TRUST_LINES[trust]}`,
        );
        for (const line of json ? [] : warnings) context.stderr.write(`warning: ${line}\n`);
      } catch (error) {
        if (!json || !(error instanceof ConfigError)) throw error;
        context.stdout.write(`${JSON.stringify({ path, ok: false, problems: error.problems })}\n`);
        throw new CommandFailed('', EXIT.config);
      }
    });
}

/** Who gets the logins of the configuration. */
const TRUST_LINES = {
  pinned: '  logins go to devices that a person accepted: pithead trust list shows who waits\n',
  network: '  logins go to every device of the networks that proves its family, accepted or not\n',
} as const;

function addSeal(commands: Command, context: CliContext): void {
  commands
    .command('seal')
    .description('encrypt the passwords of a secrets file, with the key in pithead.key beside it')
    .argument('[file]', 'secrets file', SECRETS_FILE)
    .addHelpText('after', '\nExamples:\n  $ pithead config seal /etc/pithead/secrets.yaml')
    .action((file: string) => {
      const keyFile = join(dirname(resolve(file)), KEY_FILE);
      const vault = openOrCreateVault(keyFile);
      if (vault === undefined) throw new CommandFailed(`${keyFile} holds no key that only its owner may read`);
      const document = parseDocument(readSmallFile(file));
      const secrets = z.record(z.string(), z.string()).safeParse(document.toJS() ?? {});
      if (!secrets.success) throw new CommandFailed(`${file} is not a list of 'name: value' lines with text values`);
      const open = Object.entries(secrets.data).filter(([, value]) => !isEncrypted(value));
      for (const [name, value] of open) document.set(name, vault.encrypt(value));
      if (open.length > 0) writeFileAtomic(file, document.toString({ lineWidth: 0 }), 0o600);
      context.stdout.write(`${open.length} sealed, ${Object.keys(secrets.data).length - open.length} were already\n`);
    });
}

// `pithead setup`: from nothing to a checked configuration and a first scan, by questions or by options. It scans only
// what was named.
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Command } from 'commander';
import { KEY_FILE, parseConfig } from '../../agent/config/config.ts';
import { rangesOrThrow } from '../../agent/standalone/reach.ts';
import { ConfigError } from '../../base/errors.ts';
import { isExposed } from '../../base/net/ipv4.ts';
import { restartService } from '../../base/platform/service-manager.ts';
import { readSmallFile } from '../../base/storage/plain-file.ts';
import { openVault } from '../../base/storage/vault.ts';
import { readPortMap } from '../miners/access-options.ts';
import { wrongOption } from '../options.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { acceptFound } from './accept-found.ts';
import {
  type Answers,
  changedConfig,
  changedSecrets,
  DEFAULT_CONFIG,
  type LoginAnswer,
  listenHostIn,
  newConfig,
  SECRETS_FILE,
  systemFolder,
  writeOwn,
  writePrivate,
} from './config-file.ts';
import { type FirstScan, firstScan } from './first-scan.ts';
import { CODE_SECRET } from './open-code.ts';
import {
  describePage,
  type Listen,
  type OpenedPage,
  openPage,
  type PageAccess,
  readPageAccess,
  settingsFor,
} from './page/page-access.ts';
import { askWhoOpensPage } from './page/page-question.ts';
import { askQuestions, type Told } from './setup-questions.ts';

type Flags = {
  config?: string;
  network?: string[];
  service?: string;
  code?: string;
  allowPlain?: boolean;
  listen?: string;
  page?: string;
  login?: string[];
  portMap?: string[];
  yes?: boolean;
  accept?: boolean;
  scan: boolean;
  json?: boolean;
};

export function addSetup(program: Command, context: CliContext): void {
  program
    .command('setup')
    .description('first run: name the networks, write and check the configuration, scan once')
    .option(
      '-c, --config <file>',
      `configuration to write (default: that of the system service if this host has one, else ${DEFAULT_CONFIG})`,
    )
    .option('--network <ranges...>', 'addresses of the miners: CIDR, hyphen ranges or single addresses')
    .option('--service <url>', "the company's service; without it this host has a service of its own")
    .option('--code <code>', 'enrolment code that the service gave')
    .option('--allow-plain', 'let the service be reached without TLS')
    .option('--listen <host:port>', "where this host's own service listens, e.g. 0.0.0.0:8420")
    .option(
      '--page <who>',
      'who opens the web page: network (by HTTPS, certificates are made), host (only this one), off',
    )
    .option('--login <family=user:reference...>', "login of a family, its password as 'env:NAME' or 'secret:name'")
    .option('--port-map <from=to...>', 'port FROM of a miner is reached at port TO (port forwarding)')
    .option('-y, --yes', 'ask nothing: take the flags')
    .option('--accept', 'let the miners that the scan finds have the logins that are configured for them')
    .option('--no-scan', 'write and check, do not scan')
    .option('--json', 'print the outcome as one JSON object')
    .addHelpText(
      'after',
      `
Examples:
  $ pithead setup
  $ pithead setup --yes --network 10.31.0.0/22
  $ pithead setup --yes --network 10.31.0.0/22 --page network
  $ pithead setup --yes --network 10.31.0.0/22 --service https://pithead.example.com --code ABCD-EFGH
  $ pithead setup --yes --accept --network 10.31.0.0/22 --login antminer-stock=root:env:ANTMINER_PASSWORD`,
    )
    .action((flags: Flags) => runSetup(flags, context));
}

async function runSetup(flags: Flags, context: CliContext): Promise<void> {
  const path = flags.config ?? usualPlace(context.environment);
  const told = await answersOf(flags, context);
  const before = existsSync(path) ? readSmallFile(path) : undefined;
  const secretsPath = join(dirname(path), SECRETS_FILE);
  const answers: Answers = {
    networks: told.networks,
    service:
      told.service === undefined
        ? undefined
        : {
            url: told.service,
            enrolmentCode: `secret:${CODE_SECRET}`,
            ...(flags.allowPlain === true && { allowPlain: true }),
          },
    ...settingsFor(told.page, told.listen, before && listenHostIn(before)),
    ...(flags.portMap === undefined ? {} : { portMap: readPortMap(flags.portMap) }),
    logins: [
      ...readLogins(flags.login ?? []),
      ...told.logins.map(({ family, user }) => ({ family, user, password: `secret:${family}` })),
    ],
  };
  const text = configText(before, answers, path);

  // The secrets first: the check below looks for them.
  // Only with the key that came with the installation: the service is known to get that one.
  const vault = openVault(join(dirname(path), KEY_FILE));
  const secrets = existsSync(secretsPath) ? readSmallFile(secretsPath) : '';
  const passwords = told.logins.map(({ family, password }) => [family, vault?.encrypt(password) ?? password]);
  const code =
    told.service === undefined || told.code === undefined
      ? []
      : [[CODE_SECRET, vault?.encrypt(told.code) ?? told.code]];
  writePrivate(secretsPath, changedSecrets(secrets, Object.fromEntries([...passwords, ...code])));
  const config = parseConfig(text, { baseDir: dirname(path), environment: context.environment, name: path });
  const page = told.page === undefined ? undefined : await openPage(told.page, config, { vault });
  if (before !== undefined && before !== text) writePrivate(`${path}.bak`, before);
  writeOwn(path, text);
  if (answers.service !== undefined && isExposed(new URL(answers.service.url)))
    context.stderr.write(
      `${answers.service.url} is not encrypted: everybody on the way can read along. For trials only\n`,
    );
  if (!flags.json)
    context.stderr.write(`${path} is written and fine\n${config.ranges.echo.map((line) => `  ${line}\n`).join('')}`);

  const scan = flags.scan ? await firstScan(config, path, context) : undefined;
  const trust = scan === undefined ? undefined : await acceptFound(config, flags, context);
  const isRestarted = isOfService(path, context.environment) && (await restartService('pithead'));
  const outcome = {
    ...{ config: path, networks: config.ranges.toProbe, restarted: isRestarted, scan: scan ?? null },
    ...{ trust: trust ?? null, page: page ?? null },
  };
  if (flags.json) context.stdout.write(`${JSON.stringify(outcome)}\n`);
  else context.stdout.write(describe({ path, scan, page, isRestarted, answers }, context));
}

/** A system service's configuration if this host has one; the packages make the folder. */
function usualPlace(environment: CliContext['environment']): string {
  const folder = systemFolder(environment);
  return existsSync(folder) && !existsSync(DEFAULT_CONFIG) ? join(folder, DEFAULT_CONFIG) : DEFAULT_CONFIG;
}

const isOfService = (path: string, environment: CliContext['environment']) =>
  dirname(path) === systemFolder(environment);

/**
 * A configuration file that no person has changed is written again as a whole: its comments stay in the right places.
 */
function configText(before: string | undefined, answers: Answers, path: string): string {
  if (before === undefined) return newConfig(answers, undefined);
  const stateDir = /^stateDir: (\S+)$/m.exec(before)?.[1];
  const untouched = newConfig({ networks: [], logins: [] }, stateDir);
  if (before === untouched) return newConfig(answers, stateDir);
  try {
    return changedConfig(before, answers);
  } catch (error) {
    const message = 'is not YAML: mend it, or move it away';
    throw new ConfigError(`change ${path}`, [{ path: '(file)', message }], error);
  }
}

type Answered = Told & {
  readonly page: PageAccess | undefined;
  readonly listen: Listen | undefined;
};

async function answersOf(flags: Flags, context: CliContext): Promise<Answered> {
  const page = flags.page === undefined ? undefined : readPageAccess(flags.page);
  const listen = flags.listen === undefined ? undefined : readListen(flags.listen);
  const networks = (flags.network ?? []).flatMap((range) => range.split(','));
  if (networks.length > 0) rangesOrThrow(networks, []);
  if (page !== undefined && flags.service !== undefined)
    throw wrongOption('--page', "is for this host's own service: leave it out, or leave out --service");
  if (flags.yes) {
    if (networks.length === 0)
      throw wrongOption('--network', 'is needed with --yes: Pithead scans nothing that was not named');
    if (flags.service !== undefined && flags.code === undefined)
      throw wrongOption('--code', 'is needed with --service');
    return { networks, service: flags.service, code: flags.code, logins: [], page, listen };
  }
  if (!process.stdin.isTTY || !context.stderr.isTTY) {
    throw wrongOption('--yes', 'is needed where no person can be asked, with --network and the other wanted options');
  }
  const told = await askQuestions({ networks, service: flags.service, code: flags.code }, context);
  if (page !== undefined || told.service !== undefined) return { ...told, page, listen };
  const { access, host } = await askWhoOpensPage(listen !== undefined, context);
  return { ...told, page: access, listen: host === undefined ? listen : { host } };
}

function readListen(text: string): Listen {
  const [, host, port] = /^([\w.-]+|\[[0-9a-fA-F:]+\]):(\d{1,5})$/.exec(text) ?? [];
  if (host === undefined || port === undefined)
    throw wrongOption('--listen', `'${text}' is not HOST:PORT, for example 0.0.0.0:8420`);
  return { host: host.replaceAll(/[[\]]/g, ''), port: Number(port) };
}

function readLogins(texts: readonly string[]): LoginAnswer[] {
  return texts.map((text) => {
    const [, family, user, password] = /^([\w-]+)=([^:]*):((?:env|secret):.+)$/.exec(text) ?? [];
    if (family === undefined || user === undefined || password === undefined) {
      throw wrongOption(
        '--login',
        'is not FAMILY=USER:REFERENCE, for example antminer-stock=root:env:ANTMINER_PASSWORD',
      );
    }
    return { family, user, password };
  });
}

function describe(
  {
    path,
    scan,
    page,
    isRestarted,
    answers,
  }: {
    path: string;
    scan: FirstScan | undefined;
    page: OpenedPage | undefined;
    isRestarted: boolean;
    answers: Answers;
  },
  context: CliContext,
): string {
  const paint = painter(context.stdout);
  const section = (title: string, lines: readonly string[]) =>
    `${paint('bold', title)}\n${lines.map((line) => `  ${line}\n`).join('')}`;
  const isTerminal = context.stdout.isTTY;
  const opened = page === undefined ? '' : `\n${section('The page', describePage(page, { isTerminal, config: path }))}`;
  const found = scan === undefined ? '' : `${scan.text}\n`;
  const next = [
    isRestarted
      ? 'The service was restarted with it.'
      : isOfService(path, context.environment)
        ? `Restart the service: ${process.platform === 'win32' ? 'sc.exe stop pithead, then sc.exe start pithead' : 'systemctl restart pithead'}`
        : `Start it: pithead run --config ${path}`,
    ...(answers.service === undefined
      ? [`A key for integrators: pithead key create --name <who> --config ${path}`]
      : []),
    'Something odd on this host? pithead doctor',
  ];
  return `${found}${opened}\n${section('Next', next)}`;
}

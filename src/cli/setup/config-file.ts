// The configuration file: a commented one for a first run, and changes to an existing one that keep its comments.
import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { parseDocument, stringify } from 'yaml';
import {
  type AgentConfig,
  type DriverIds,
  KEY_FILE,
  keyFilesIn,
  listenIn,
  loadConfig,
  parseConfig,
  stateDirOf,
  usualKeyFiles,
  webhookNetworksIn,
} from '../../agent/config/config.ts';
import { ConfigError } from '../../base/errors.ts';
import { refuseForeign } from '../../base/storage/foreign-files.ts';
import { openOrCreateVault } from '../../base/storage/vault.ts';
import type { CliContext } from '../output/terminal.ts';

/** What a first run decides. */
export type Answers = {
  readonly networks: readonly string[];
  /** The company's service; absent = a service of this host's own. */
  readonly service?: { readonly url: string; readonly enrolmentCode: string; readonly allowPlain?: true } | undefined;
  /** `tls` none = certificates of the farm are no longer served; files that a person named stay in either case. */
  readonly listen?: { readonly host: string; readonly port?: number; readonly tls?: 'farm' | 'none' } | undefined;
  readonly page?: { readonly enabled: boolean } | undefined;
  readonly logins: readonly LoginAnswer[];
  readonly portMap?: Readonly<Record<string, number>>;
};

/** In a file `password` is a reference, `env:NAME` or `secret:name`. */
export type LoginAnswer = { readonly family: string; readonly user: string; readonly password: string };

export const DEFAULT_CONFIG = 'pithead.yaml';
export const CONFIG_HELP = `configuration (default: ${DEFAULT_CONFIG} here, else that of the system service)`;
/** For commands that need nothing else of it. */
export const CONFIG_FOR_STATE = `${CONFIG_HELP}, for its state directory`;
export const SECRETS_FILE = 'secrets.yaml';

type Environment = CliContext['environment'];

/** Where a system service keeps its configuration. */
export function systemFolder(environment: Environment): string {
  return process.platform === 'win32' ? join(environment.ProgramData ?? 'C:\\ProgramData', 'Pithead') : '/etc/pithead';
}

/**
 * The configuration of commands without --config: the one in this folder, else the system service's; undefined without
 * either.
 */
export function usualConfig(environment: Environment): string | undefined {
  return [DEFAULT_CONFIG, join(systemFolder(environment), DEFAULT_CONFIG)].find((path) => existsSync(path));
}

/** The named file, else the usual one if there is one, else the defaults. `driverIds` as in `loadConfig`. */
export function configOrDefault(
  path: string | undefined,
  { environment }: Pick<CliContext, 'environment'>,
  driverIds?: DriverIds,
): AgentConfig {
  const found = path ?? usualConfig(environment);
  if (found !== undefined) return loadConfig(found, environment, driverIds);
  const defaults = JSON.stringify({ stateDir: defaultStateDir(environment) });
  return parseConfig(defaults, { baseDir: '.', environment, name: '(defaults)' });
}

/** The state directory of `configOrDefault`. Nothing else of the file is read, so no secret that it names is needed. */
export function stateDirOrDefault(path: string | undefined, { environment }: Pick<CliContext, 'environment'>): string {
  const found = path ?? usualConfig(environment);
  return found === undefined ? defaultStateDir(environment) : stateDirOf(found);
}

/** The key files of `configOrDefault`, read as `stateDirOrDefault` does. */
export function keyFilesOrDefault(path: string | undefined, { environment }: Pick<CliContext, 'environment'>) {
  const found = path ?? usualConfig(environment);
  return found === undefined ? usualKeyFiles({ baseDir: '.', environment }) : keyFilesIn(found, environment);
}

/** `webhooks.allowedNetworks` of `configOrDefault`, read as `stateDirOrDefault` does. */
export function webhookNetworksOrDefault(path: string | undefined, { environment }: Pick<CliContext, 'environment'>) {
  const found = path ?? usualConfig(environment);
  return found === undefined ? [] : webhookNetworksIn(found);
}

/** `listen` of `configOrDefault`, read as `stateDirOrDefault` does. */
export function listenOrDefault(path: string | undefined, context: Pick<CliContext, 'environment'>) {
  const found = path ?? usualConfig(context.environment);
  return found === undefined ? configOrDefault(undefined, context).listen : listenIn(found);
}

/** The usual folder of the platform for one user's state: `$XDG_STATE_HOME`, `~/.local/state`, `%LOCALAPPDATA%`. */
export function defaultStateDir(environment: Environment): string {
  const base =
    process.platform === 'win32'
      ? (environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'))
      : (environment.XDG_STATE_HOME ?? join(environment.HOME ?? homedir(), '.local', 'state'));
  return join(base, 'pithead');
}

/** Creates it for its owner alone. Throws ConfigError that names the setting. */
export function prepareStateDir(stateDir: string): void {
  try {
    mkdirSync(stateDir, { recursive: true, mode: 0o700 });
  } catch (error) {
    const message = `${stateDir} cannot be created by this user: name a folder that can be, in the configuration`;
    throw new ConfigError('prepare the state directory', [{ path: 'stateDir', message }], error);
  }
}

/** `value` as YAML lines under `key`, or the example as a comment. */
const section = (key: string, value: unknown, example: string) =>
  value === undefined ? example.replace(/^/gm, '#') : stringify({ [key]: value }).trimEnd();

/** The text of a new file. `stateDir` undefined = beside the file. */
export function newConfig(answers: Answers, stateDir: string | undefined): string {
  const { networks, service, listen: { tls, ...address } = {}, page, logins, portMap } = answers;
  const listen = answers.listen && { ...address, ...(tls === 'farm' && { tls }) };
  const loginLines = logins.map((login) => `    - ${JSON.stringify(login)}`);
  return `# Pithead. \`pithead config check <this file>\` checks it; \`pithead setup\` changes it and leaves comments alone.

${section('stateDir', stateDir, 'stateDir: pithead-state')}

# Which addresses the miners have. Nothing that is not named here is ever touched.
${section('networks', networks.length === 0 ? undefined : networks, 'networks:\n  - name: container 1\n    range: 10.31.0.0/22        # or 10.31.0.1-10.31.3.200, 10.31.0.1-50, a single address')}
#exclude: [10.31.0.1]

#poll: { interval: 60s }

# Passwords stay in ${SECRETS_FILE} beside this file; here they have names.
credentials:
  factoryDefaults: true         # try the vendor's factory login, at most once per miner
  secretsFile: ${SECRETS_FILE}
${logins.length === 0 ? "#  logins:\n#    - { family: antminer-stock, user: root, password: 'secret:antminer' }" : `  logins:\n${loginLines.join('\n')}`}

# The interface of this host, with the agent in the same process. 0.0.0.0 opens it to the network.
${section('listen', listen, 'listen: { host: 127.0.0.1, port: 8420 }')}

# Who opens the web page: \`pithead setup\` asks. For a network it makes certificates (listen.tls: farm).
${section('page', page, 'page: { enabled: true }')}

# Or report to your company's service; it gives you the code.
${section('service', service, "service:\n  url: https://pithead.example.com\n  enrolmentCode: 'secret:enrolment-code'     # or the code itself, in a file that only its owner may read")}
${portMap === undefined ? '' : `\n${section('portMap', portMap, '')}\n`}`;
}

const TLS = ['listen', 'tls'];

/** An existing file with the answers in it; what they do not speak of stays as it is. */
export function changedConfig(text: string, answers: Answers): string {
  const document = parseDocument(text);
  const { networks, service, listen: { tls, ...address } = {}, page, portMap, logins } = answers;
  const given = { networks: networks.length > 0 ? networks : undefined, service, portMap };
  for (const [key, value] of Object.entries(given))
    if (value !== undefined) document.set(key, document.createNode(value));
  const single = Object.entries({ listen: address, page: page ?? {} });
  for (const [section, values] of single)
    for (const [key, value] of Object.entries(values)) document.setIn([section, key], value);
  if (tls === 'none' && document.getIn(TLS) === 'farm') document.deleteIn(TLS);
  if (tls === 'farm' && document.getIn([...TLS, 'certFile']) === undefined) document.setIn(TLS, tls);
  if (logins.length > 0) document.setIn(['credentials', 'logins'], document.createNode(logins));
  // The code is in there too.
  if (logins.length > 0 || service !== undefined) document.setIn(['credentials', 'secretsFile'], SECRETS_FILE);
  return document.toString();
}

/** `listen.host` of an existing file. */
export function listenHostIn(text: string): string | undefined {
  const host = parseDocument(text).getIn(['listen', 'host']);
  return typeof host === 'string' ? host : undefined;
}

/** The secrets file with these names in it, the others kept. */
export function changedSecrets(text: string, secrets: Readonly<Record<string, string>>): string {
  const document = parseDocument(
    text === '' ? '# name: password        (only its owner may read this file)\n{}' : text,
  );
  for (const [name, password] of Object.entries(secrets)) document.set(name, password);
  if (document.contents !== null && 'flow' in document.contents) document.contents.flow = false;
  return document.toString();
}

/** Writes for its owner alone, also where others could read the file before. Throws RefusedError as `writeOwn` does. */
export function writePrivate(path: string, text: string): void {
  refuseForeign(path);
  if (existsSync(path)) chmodSync(path, 0o600);
  writeFileSync(path, text, { mode: 0o600 });
}

/** Throws RefusedError when root would write through what another user put there. */
export function writeOwn(path: string, text: string): void {
  refuseForeign(path);
  writeFileSync(path, text);
}

/** A configuration that touches nothing and an empty secrets file, unless they are there. */
export function writeFirstConfig(folder: string, stateDir: string): void {
  const config = join(folder, DEFAULT_CONFIG);
  if (!existsSync(config)) writeOwn(config, newConfig({ networks: [], logins: [] }, stateDir));
  const secrets = join(folder, SECRETS_FILE);
  if (!existsSync(secrets)) writePrivate(secrets, changedSecrets('', {}));
  openOrCreateVault(join(folder, KEY_FILE));
}

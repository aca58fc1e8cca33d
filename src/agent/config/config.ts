// The agent's configuration: one YAML file, checked whole. It reports every problem at once, by field path, and says
// what is accepted. It resolves references to secrets, but never holds a password in a printable form. It does not
// touch the network.
import { existsSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import { type Document, parseDocument } from 'yaml';
import { z } from 'zod';
import { ConfigError, type Problem, RefusedError } from '../../base/errors.ts';
import { nearestNames } from '../../base/nearest-names.ts';
import { readRanges } from '../../base/net/ranges.ts';
import { Secret } from '../../base/secrets.ts';
import { readSmallFile } from '../../base/storage/plain-file.ts';
import { isEncrypted, openVault } from '../../base/storage/vault.ts';
import type { LoginRule } from '../device/device-client.ts';
import { fileSchema, isReference } from './file-schema.ts';

export { switchedOff } from '../tasks/settings.ts';

/** All paths are absolute; the key file may not be there yet. */
export type AgentConfig = Readonly<ReturnType<typeof parseConfig>>;

type Surroundings = {
  /** Where relative paths begin. */
  readonly baseDir: string;
  /** Answers `env:` references. */
  readonly environment: Readonly<Record<string, string | undefined>>;
};

/** Ids of all drivers, those in the folder too. */
export type DriverIds = (driversDir: string | undefined) => readonly string[];

/** Beside the configuration. */
const DRIVERS_FOLDER = 'drivers';

/**
 * Reads and checks the file; the names of drivers only where `driverIds` is given. Throws ConfigError with every
 * problem that was found.
 */
export const loadConfig = (
  path: string,
  environment: Surroundings['environment'],
  driverIds?: DriverIds,
): AgentConfig =>
  parseConfig(readText(path), {
    baseDir: dirname(resolve(path)),
    environment,
    name: path,
    driversDir: join(dirname(resolve(path)), DRIVERS_FOLDER),
    ...(driverIds && { driverIds }),
  });

function readText(path: string): string {
  try {
    return readSmallFile(path);
  } catch (error) {
    throw wrongFile(`file ${path}`, whyUnread(error, 'cannot be read: does it exist, may this user read it?'), error);
  }
}

const whyUnread = (error: unknown, otherwise: string) => (error instanceof RefusedError ? error.message : otherwise);

const wrongFile = (name: string, message: string, cause: unknown) =>
  new ConfigError(`read config ${name}`, [{ path: '(file)', message }], cause);

/**
 * Where the state of this configuration lies. Nothing else of it is checked, and no secret is needed. Throws
 * ConfigError as `loadConfig` does.
 */
export function stateDirOf(path: string): string {
  const { stateDir } = readPart(path, z.looseObject({ stateDir: fileSchema.shape.stateDir }));
  return resolve(dirname(resolve(path)), stateDir);
}

/** The key files of this configuration: of this host, and of all copies of the service. As `stateDirOf` otherwise. */
export function keyFilesIn(path: string, environment: Surroundings['environment']) {
  const file = z.string().min(1).optional();
  const { credentials, listen } = readPart(
    path,
    z.looseObject({
      credentials: z.looseObject({ keyFile: file }).nullish(),
      listen: z.looseObject({ sealKeyFile: file }).nullish(),
    }),
  );
  const surroundings = { baseDir: dirname(resolve(path)), environment };
  const shared = listen?.sealKeyFile;
  return {
    own: keyFileOf(credentials?.keyFile, surroundings),
    shared: shared === undefined ? undefined : resolve(surroundings.baseDir, shared),
  };
}

/** The folder of drivers of this configuration, and what they may do. As `stateDirOf` otherwise. */
export function driverSettingsIn(path: string) {
  const { driversDir, drivers } = fileSchema.shape;
  const read = readPart(path, z.looseObject({ driversDir, drivers }));
  return { driversDir: resolve(dirname(resolve(path)), read.driversDir ?? DRIVERS_FOLDER), drivers: read.drivers };
}

/** Where webhooks of this configuration may send to beside the public internet. As `stateDirOf` otherwise. */
export const webhookNetworksIn = (path: string): readonly string[] =>
  readPart(path, z.looseObject({ webhooks: fileSchema.shape.webhooks })).webhooks.allowedNetworks;

/** `listen` of the file, as `stateDirOf` reads it. */
export const listenIn = (path: string): ListenSettings =>
  readPart(path, z.looseObject({ listen: fileSchema.shape.listen })).listen;
type ListenSettings = z.infer<typeof fileSchema>['listen'];

/** Of a host without a configuration. */
export const usualKeyFiles = (surroundings: Surroundings) => ({ own: keyFileOf(undefined, surroundings) });

function readPart<T>(path: string, schema: z.ZodType<T>): T {
  const text = readText(path);
  try {
    const document = parseDocument(text);
    const [error] = document.errors;
    if (error !== undefined) throw error;
    return schema.parse(document.toJS({ maxAliasCount: MAX_ALIASES }));
  } catch (error) {
    throw wrongFile(`file ${path}`, 'is wrong: pithead config check says where', error);
  }
}

/** The same as `loadConfig` for text. */
export function parseConfig(
  text: string,
  // A text that is no file has no folder beside it.
  options: Surroundings & { readonly name: string; readonly driversDir?: string; readonly driverIds?: DriverIds },
) {
  const document = parseDocument(text, { prettyErrors: true });
  const syntax = document.errors.map((error) => ({
    path: `line ${error.linePos?.[0].line ?? '?'}`,
    message: error.message.split('\n')[0] ?? '',
  }));
  if (syntax.length > 0) throw new ConfigError(`read config ${options.name}`, syntax);
  const written = plainValue(document, options.name);
  // A power cut may leave a file without its content: another state directory, the default one, would be begun.
  if (written === null)
    throw wrongFile(options.name, 'is empty: put it back, or write one with pithead setup', undefined);
  const parsed = fileSchema.safeParse(written);
  if (!parsed.success)
    throw new ConfigError(`check config ${options.name}`, [...problemsOf(parsed.error), ...rangeProblems(written)]);

  const { networks, exclude, portMap, credentials, firmware, ...rest } = parsed.data;
  const ranges = readRanges(networks, exclude, PATHS);
  const logins = readLogins(credentials, options);
  const service = rest.service && { ...rest.service, enrolmentCode: readCode(rest.service, logins.referredTo) };
  const fromBase = (path: string) => resolve(options.baseDir, path);
  const driversDir = rest.driversDir === undefined ? options.driversDir : fromBase(rest.driversDir);
  const unknown = options.driverIds && unknownDrivers(credentials, options.driverIds(driversDir));
  const problems = [...ranges.problems, ...logins.problems, ...(unknown ?? [])];
  if (problems.length > 0) throw new ConfigError(`check config ${options.name}`, problems);
  const stateDir = fromBase(rest.stateDir);
  const { tls, sealKeyFile } = rest.listen;
  return {
    ...rest,
    service,
    stateDir,
    listen: {
      ...rest.listen,
      tls: typeof tls === 'object' ? { certFile: fromBase(tls.certFile), keyFile: fromBase(tls.keyFile) } : tls,
      sealKeyFile: sealKeyFile && fromBase(sealKeyFile),
    },
    driversDir,
    backup: { ...rest.backup, dir: rest.backup.dir && fromBase(rest.backup.dir) },
    firmware: {
      folder: firmware.folder === undefined ? join(stateDir, 'firmware') : fromBase(firmware.folder),
      allowedHosts: firmware.allowedHosts,
    },
    ranges,
    portMap: new Map(Object.entries(portMap).map(([from, to]) => [Number(from), to])),
    credentials: {
      factoryDefaults: credentials.factoryDefaults,
      trust: credentials.trust,
      logins: logins.rules,
      keyFile: keyFileOf(credentials.keyFile, options),
    },
  };
}

/** Aliases may lead nowhere or multiply: that shows only when they are followed. */
function plainValue(document: Document, name: string): unknown {
  try {
    return document.toJS({ maxAliasCount: MAX_ALIASES });
  } catch (error) {
    throw wrongFile(name, 'its aliases (*name) make no sense', error);
  }
}

const MAX_ALIASES = 50;

const PATHS = { path: 'networks', excludePath: 'exclude' } as const;

const pathOf = (parts: readonly PropertyKey[]) =>
  parts
    .map((part) => (typeof part === 'number' ? `[${part}]` : `.${String(part)}`))
    .join('')
    .replace(/^\./, '');

function problemsOf(error: Pick<z.ZodError, 'issues'>, path: readonly PropertyKey[] = []): Problem[] {
  return error.issues.flatMap((issue) => {
    const at = [...path, ...issue.path];
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({ path: pathOf([...at, key]), message: 'is not a known setting' }));
    // Of a section that could also have been a word: what is wrong in it.
    const inSection = issue.code === 'invalid_union' ? issue.errors.find(isAboutParts) : undefined;
    if (inSection !== undefined) return problemsOf({ issues: inSection }, at);
    return [{ path: pathOf(at) || '(top level)', message: issue.message }];
  });
}

const isAboutParts = (issues: readonly z.core.$ZodIssue[]) =>
  issues.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys');

/** Ranges are checked even when other fields are wrong, so that one run shows everything. */
function rangeProblems(raw: unknown): readonly Problem[] {
  const networks = z
    .object({ networks: fileSchema.shape.networks.catch([]), exclude: fileSchema.shape.exclude.catch([]) })
    .safeParse(raw);
  return networks.success ? readRanges(networks.data.networks, networks.data.exclude, PATHS).problems : [];
}

function readLogins(
  credentials: z.output<typeof fileSchema>['credentials'],
  options: Surroundings,
): { rules: LoginRule[]; problems: Problem[]; referredTo: (reference: string) => string | undefined } {
  const problems: Problem[] = [];
  const secrets =
    credentials.secretsFile === undefined
      ? new Map<string, string>()
      : readSecrets(secretsPath(credentials.secretsFile, options), keyFileOf(credentials.keyFile, options), problems);
  const referredTo = (reference: string) => {
    const [kind, name = ''] = reference.split(':');
    return kind === 'env' ? options.environment[name] : secrets.get(name);
  };
  const rules = credentials.logins.flatMap((entry, index): LoginRule[] => {
    const [kind, name = ''] = entry.password.split(':');
    const value = referredTo(entry.password);
    const field = `credentials.logins[${index}]`;
    if (value === undefined) {
      problems.push({
        path: `${field}.password`,
        message: kind === 'env' ? `environment variable ${name} is not set` : `'${name}' is not in the secrets file`,
      });
    }
    problems.push(...ruleProblems(entry, field));
    const ranges = entry.range === undefined ? undefined : readRanges([entry.range], []);
    for (const problem of ranges?.problems ?? []) problems.push({ path: `${field}.range`, message: problem.message });
    return [
      {
        ...(entry.family !== undefined && { family: entry.family }),
        ...(ranges && { ranges }),
        login: { user: entry.user, password: new Secret(value ?? '') },
      },
    ];
  });
  return { rules, problems, referredTo };
}

/**
 * A rule that fits every device of the farm, or none, is a slip of the pen: a password would go where it was not meant
 * to, or nowhere.
 */
function ruleProblems(
  { family, range }: { family?: string | undefined; range?: string | undefined },
  field: string,
): Problem[] {
  if (family === undefined && range === undefined)
    return [{ path: field, message: 'names neither a family nor a range: say which miners the password is for' }];
  return [];
}

/** Names that no driver has: a password would go nowhere. */
function unknownDrivers(
  { logins }: Pick<z.output<typeof fileSchema>['credentials'], 'logins'>,
  ids: readonly string[],
): Problem[] {
  return logins.flatMap(({ family }, index) => {
    if (family === undefined || ids.includes(family)) return [];
    const nearest = nearestNames(family, ids);
    const meant = nearest.length === 0 ? `one of ${ids.join(', ')}` : `${nearest.join(' or ')}?`;
    return [{ path: `credentials.logins[${index}].family`, message: `no driver is called '${family}': ${meant}` }];
  });
}

/** Undefined also where a reference leads to nothing: an agent that has enrolled needs no code any more. */
const readCode = (
  { enrolmentCode: code }: { readonly enrolmentCode?: string | undefined },
  referredTo: (reference: string) => string | undefined,
): string | undefined => (code !== undefined && isReference(code) ? referredTo(code) : code);

/**
 * Beside the configuration, or where this user keeps configurations: never among the data that it protects. A service
 * manager may hand the file beside the configuration over (systemd: LoadCredential), because it belongs to another
 * user; a file elsewhere is another one, also by the same name.
 */
function keyFileOf(file: string | undefined, { baseDir, environment }: Surroundings): string {
  const beside = resolve(baseDir, file ?? KEY_FILE);
  const handed = environment.CREDENTIALS_DIRECTORY && join(environment.CREDENTIALS_DIRECTORY, KEY_FILE);
  if (handed && beside === resolve(baseDir, KEY_FILE) && existsSync(handed)) return handed;
  if (file !== undefined || existsSync(beside)) return beside;
  const home =
    process.platform === 'win32'
      ? (environment.LOCALAPPDATA ?? join(homedir(), 'AppData', 'Local'))
      : (environment.XDG_CONFIG_HOME ?? join(environment.HOME ?? homedir(), '.config'));
  return join(home, 'pithead', KEY_FILE);
}

export const KEY_FILE = 'pithead.key';

/**
 * A service manager may hand the file over under the same name (systemd: LoadCredential), because it belongs to another
 * user.
 */
function secretsPath(file: string, { baseDir, environment }: Surroundings): string {
  const handed = environment.CREDENTIALS_DIRECTORY && join(environment.CREDENTIALS_DIRECTORY, basename(file));
  return handed && existsSync(handed) ? handed : resolve(baseDir, file);
}

/** `name: value` lines of a YAML file that only its owner may read. */
function readSecrets(path: string, keyFile: string, problems: Problem[]): Map<string, string> {
  const field = 'credentials.secretsFile';
  try {
    if (process.platform !== 'win32' && (statSync(path).mode & 0o077) !== 0) {
      problems.push({ path: field, message: `${path} can be read by others: chmod 600 it` });
    }
    const parsed = z.record(z.string(), z.string()).safeParse(parseDocument(readSmallFile(path)).toJS());
    if (parsed.success) {
      const vault = Object.values(parsed.data).some(isEncrypted) ? openVault(keyFile) : undefined;
      return new Map(
        Object.entries(parsed.data).map(([name, text]) => {
          const value = isEncrypted(text) ? vault?.decrypt(text) : text;
          if (value === undefined)
            problems.push({ path: field, message: `'${name}' in ${path} cannot be opened with the key in ${keyFile}` });
          return [name, value ?? ''];
        }),
      );
    }
    problems.push({ path: field, message: `${path} is not a list of 'name: value' lines with text values` });
  } catch (error) {
    problems.push({ path: field, message: whyUnread(error, `${path} cannot be read`) });
  }
  return new Map();
}

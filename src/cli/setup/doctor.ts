// `pithead doctor`: what is wrong on this host, and what to do about it. It changes nothing and asks no miner.
import { accessSync, constants, existsSync, lstatSync, statfsSync } from 'node:fs';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import type { Command } from 'commander';
import { request } from 'undici';
import { z } from 'zod';
import { type AgentConfig, loadConfig, switchedOff } from '../../agent/config/config.ts';
import { findRunningAgent } from '../../agent/control/control-client.ts';
import { CLOCK_TROUBLE } from '../../agent/control/status.ts';
import { openTrustRecord, TRUST_FILE } from '../../agent/device/trust/trust-record.ts';
import { waitingDevices } from '../../agent/device/trust/waiting.ts';
import { privateNetworks } from '../../agent/host/networks.ts';
import { OUTBOX_FILE } from '../../agent/outbox/open.ts';
import { scanLimitsOf } from '../../agent/scan/scan-limits.ts';
import { driverIds, lookAtFolder } from '../../agent/standalone/folder-drivers.ts';
import { agentDatabasePath } from '../../agent/state/database.ts';
import { systemClock } from '../../base/clock.ts';
import { ConfigError, renderError } from '../../base/errors.ts';
import { EXPOSED_FIGURES, metricsUrl } from '../../base/metrics/listener.ts';
import { isExposed } from '../../base/net/ipv4.ts';
import { diskFault, probeDisk, REMEDIES } from '../../base/storage/disk-fault.ts';
import { refuseForeign } from '../../base/storage/foreign-files.ts';
import { ASIDE } from '../../base/storage/sqlite.ts';
import { EARLIEST_MS } from '../../base/time/clock-steps.ts';
import { listBackups } from '../../service/store/sqlite/backup-files.ts';
import { CommandFailed } from '../output/exit.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { askReadiness, backupsOf, databaseOf, ownUrl } from '../run/local-service.ts';
import { findSetAside } from '../run/service-state.ts';
import { CONFIG_HELP, usualConfig } from './config-file.ts';
import { type Finding, ok, warning, wrong } from './findings/finding.ts';
import { pageFindings } from './findings/page-findings.ts';
import { openCode } from './open-code.ts';
import { describeNetworks } from './setup-questions.ts';

const REQUEST_MS = 5_000;
const LEAST_FREE_BYTES = 1024 ** 3;
const MOST_USED = 0.9;
const MAX_SKEW_S = 5;
const TIME_SERVER = 'let this host follow a time server: timedatectl set-ntp true';
/** A check of a larger database would take minutes. */
const MAX_CHECKED_BYTES = 2 * 1024 ** 3;

export function addDoctor(program: Command, context: CliContext): void {
  program
    .command('doctor')
    .description('say what is wrong on this host and what to do about it; changes nothing, touches no miner')
    .option('-c, --config <file>', CONFIG_HELP)
    .option('--json', 'one JSON object: findings with about, level (ok, warning, wrong), text, remedy')
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead doctor\n  $ pithead doctor --config /etc/pithead/pithead.yaml --json',
    )
    .action(async (flags: { config?: string; json?: boolean }) => {
      const findings = await examine(flags.config ?? usualConfig(context.environment), context);
      if (flags.json) context.stdout.write(`${JSON.stringify({ findings })}\n`);
      else for (const finding of findings) context.stdout.write(`${lineOf(finding, context)}\n`);
      const wrong = findings.filter(({ level }) => level === 'wrong').length;
      if (wrong > 0) throw new CommandFailed(`${wrong} thing${wrong === 1 ? ' is' : 's are'} wrong`);
    });
}

const MARKS = { ok: ['green', 'ok     '], warning: ['yellow', 'warning'], wrong: ['red', 'WRONG  '] } as const;

function lineOf({ about, level, text, remedy }: Finding, { stdout }: CliContext): string {
  const [colour, mark] = MARKS[level];
  return `${painter(stdout)(colour, mark)}  ${about.padEnd(14)}  ${text}${remedy === undefined ? '' : `\n${' '.repeat(25)}${remedy}`}`;
}

async function examine(path: string | undefined, context: CliContext): Promise<Finding[]> {
  return [...hostClock(systemClock.nowMs()), ...(await examineConfigured(path, context))];
}

/** One that was never set: certificates are refused, and tasks may be. */
function hostClock(nowMs: number): Finding[] {
  if (nowMs >= EARLIEST_MS) return [];
  return [wrong('clock', `says ${new Date(nowMs).toISOString().slice(0, 10)}: it is not set`, TIME_SERVER)];
}

async function examineConfigured(path: string | undefined, context: CliContext): Promise<Finding[]> {
  const remedy = 'name the networks of the miners: pithead setup';
  if (path === undefined) return [wrong('configuration', 'there is none', remedy), ok('this host', ownNetworks())];
  const read = readConfig(path, context);
  if (Array.isArray(read)) return read;
  const open = openCode(path);
  return [
    ok('configuration', path),
    ...(open === undefined ? [] : [warning('configuration', open.text, open.remedy)]),
    ...networks(read),
    ...(await folderDrivers(read)),
    ...tasks(read),
    ...stateDirectory(read.stateDir),
    ...databases(read),
    ...trust(read),
    ...(await runningAgent(read.stateDir)),
    ...(read.service === undefined || read.service.keepLocal ? [...pageFindings(read), await ownService(read)] : []),
    ...plainMetrics(read),
    ...(read.service === undefined ? [] : await companyService(read.service)),
  ];
}

/** Drivers that are no part of the program: where they come from, and what they may do. */
async function folderDrivers(config: AgentConfig): Promise<Finding[]> {
  const { folder, loaded, refused } = await lookAtFolder(config);
  const there = [...loaded, ...refused].map(({ id }) => id);
  const nowhere = Object.keys(config.drivers).filter((id) => !there.includes(id));
  return [
    ...nowhere.map((id) =>
      warning(
        'driver',
        `drivers.${id} of the configuration names no driver of ${folder}`,
        'put it there, or take that out',
      ),
    ),
    ...loaded.map(({ id, origin, allowed }) => {
      const may = allowed.length === 0 ? 'it only reads' : `it may send ${allowed.join(', ')}`;
      return ok('driver', `${id} of ${origin}, no part of the program; ${may}`);
    }),
    ...refused.map(({ origin, reason }) =>
      wrong('driver', `${origin} is refused: ${reason}`, `mend it, or take it out of ${folder}; then: pithead reload`),
    ),
  ];
}

function readConfig(path: string, { environment }: CliContext): AgentConfig | Finding[] {
  try {
    return loadConfig(path, environment, driverIds);
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    const remedy = `mend it, then: pithead config check ${path}`;
    return error.problems.map(({ path: key, message }) =>
      wrong('configuration', `${path}: ${key}: ${message}`, remedy),
    );
  }
}

const ownNetworks = () => describeNetworks(privateNetworks()).replaceAll('\n', '; ');

function networks(config: AgentConfig): Finding[] {
  const { ranges } = config;
  if (ranges.toProbe === 0) {
    const remedy = `name those of the miners: pithead setup. This host is in: ${ownNetworks()}`;
    return [wrong('networks', 'none is named, so nothing is scanned', remedy)];
  }
  const { way, advice } = scanLimitsOf(config.scan, ranges, 'background');
  const findings = advice.map((line): Finding => {
    const [what = line, ...rest] = line.split(': ');
    const [text = '', ...remedy] = rest.join(': ').split('. ');
    return warning(what, text, remedy.join('. '));
  });
  return [ok('networks', `${ranges.toProbe} addresses in ${ranges.ranges.length} ranges, ${way}`), ...findings];
}

function tasks({ tasks: settings }: AgentConfig): Finding[] {
  const off = switchedOff(settings);
  if (off.length === 0) return [];
  const only = settings.control ? '' : 'this agent only reads: ';
  return [ok('tasks', `${only}${off.join(', ')} ${off.length === 1 ? 'is' : 'are'} false`)];
}

function stateDirectory(stateDir: string): Finding[] {
  const about = 'state';
  if (!existsSync(stateDir)) return [ok(about, `${stateDir} will be made at the first start`)];
  try {
    accessSync(stateDir, constants.R_OK | constants.W_OK | constants.X_OK);
    const fault = probeDisk(stateDir);
    if (fault !== undefined)
      return [wrong(about, `${stateDir}: ${fault}`, `${REMEDIES[fault]}: nothing new can be kept`)];
  } catch (error) {
    const fault = diskFault(error);
    if (fault !== undefined) return [wrong(about, `${stateDir}: ${fault}`, REMEDIES[fault])];
    const remedy = 'run doctor as the user of the service, or with sudo';
    return [wrong(about, `${stateDir} cannot be written by this user`, remedy)];
  }
  const { bsize, bavail, blocks, bfree } = statfsSync(stateDir);
  const free = bavail * bsize;
  const used = blocks === 0 ? 0 : 1 - bfree / blocks;
  const text = `${stateDir}: ${(free / 1024 ** 3).toFixed(1)} GiB free, ${Math.round(used * 100)} % used`;
  const isTight = free < LEAST_FREE_BYTES || used > MOST_USED;
  const remedy = 'free some space: above 90 % the buffer for outages stops growing';
  return [isTight ? warning(about, text, remedy) : ok(about, text)];
}

/** Nothing where none runs, or none that this user may ask. */
async function runningAgent(stateDir: string): Promise<Finding[]> {
  const about = 'agent';
  const found = await findRunningAgent(stateDir);
  if (found.kind === 'silent') return [wrong(about, 'runs and does not answer', 'its log may say why; restart it')];
  if (found.kind === 'unreachable') {
    const text = `runs and cannot be asked: the path ${stateDir} is too long for a socket in it`;
    return [warning(about, text, 'choose a shorter stateDir')];
  }
  if (found.kind !== 'running') return [];
  const { troubles, miners } = await found.agent.state().finally(() => found.agent.close());
  if (troubles.length === 0) return [ok(about, `runs and is well: ${miners.total} miners`)];
  const remedy = (text: string) => (text.startsWith(CLOCK_TROUBLE) ? TIME_SERVER : 'pithead status says more');
  return troubles.map((text) => warning(about, text, remedy(text)));
}

/** Which devices get passwords, and whether this host can remember it. */
function trust({ stateDir, credentials }: AgentConfig): Finding[] {
  const about = 'trust';
  const rule =
    credentials.trust === 'network'
      ? 'every device of the networks that proves its family gets the logins of the configuration'
      : 'devices that a person accepted get the logins of the configuration';
  const path = join(stateDir, TRUST_FILE);
  if (!existsSync(path)) return credentials.logins.length === 0 ? [] : [ok(about, rule)];
  const record = openTrustRecord(path, systemClock);
  try {
    const fault = record.fault();
    const remedy = `no factory login is tried meanwhile; look at the disk and the rights, or stop Pithead and move ${path} away: devices are then accepted anew`;
    if (fault !== undefined) return [wrong(about, `the record of trust cannot be used: ${fault}`, remedy)];
    const waiting = waitingDevices(record, systemClock.nowMs()).filter(({ isHeldUp }) => isHeldUp).length;
    if (waiting === 0) return [ok(about, rule)];
    return [warning(about, `${waiting} wait for a person before they get their login`, 'pithead trust list')];
  } finally {
    record.close();
  }
}

function databases(config: AgentConfig): Finding[] {
  const { stateDir } = config;
  const service = databaseOf(stateDir);
  const ofAgent = [agentDatabasePath(stateDir), join(stateDir, OUTBOX_FILE)];
  const setAside = findSetAside(service, backupsOf(config).dir);
  const isAside = (path: string) => lstatSync(`${path}${ASIDE}`, { throwIfNoEntry: false }) !== undefined;
  return [
    ...[...ofAgent, service].filter((path) => existsSync(path)).map(checkDatabase),
    ...ofAgent.filter(isAside).map(setAsideFinding),
    ...(setAside === undefined ? [] : [warning('database', setAside.text, setAside.remedy)]),
    ...(existsSync(service) ? backups(config, service) : []),
  ];
}

/** A backup that is this many times as old as it should be is missed. */
const MISSED = 2;

function backups(config: AgentConfig, database: string): Finding[] {
  const about = 'backup';
  const { dir, everyMs, keep } = backupsOf(config);
  const ownWay = 'set backup.keep, or see to copies in another way';
  if (keep === 0) return [warning(about, 'none is made: backup.keep is 0', ownWay)];
  const [newest, ...older] = listBackups(dir, database);
  const sinceMs = newest?.atMs ?? lstatSync(database).birthtimeMs;
  const isMissed = systemClock.nowMs() - sinceMs > MISSED * everyMs;
  const text =
    newest === undefined
      ? `of the service's database: none yet in ${dir}`
      : `of the service's database: the newest of ${new Date(newest.atMs).toISOString()}, ${older.length + 1} in ${dir}`;
  const remedy = `does the service run, is there room in ${dir}? pithead status says why the newest try failed`;
  return [isMissed ? warning(about, text, remedy) : ok(about, text)];
}

function setAsideFinding(path: string): Finding {
  const { mtimeMs } = lstatSync(`${path}${ASIDE}`);
  const text = `${path} was damaged and has been moved aside; last written ${new Date(mtimeMs).toISOString()}`;
  return warning('database', text, `look at the disk of this host; then delete ${path}${ASIDE}`);
}

const SIZE = 'SELECT page_count * page_size AS bytes FROM pragma_page_count, pragma_page_size';
const rowsSchema = z.array(z.object({ quick_check: z.string() }));
const sizeSchema = z.object({ bytes: z.number() });

function checkDatabase(path: string): Finding {
  const about = 'database';
  const remedy =
    'stop Pithead and move the file away: a new one is begun, and what this one still held is declared as lost';
  try {
    refuseForeign(path);
    using database = new DatabaseSync(path, { readOnly: true });
    const { bytes } = sizeSchema.parse(database.prepare(SIZE).get());
    const text = `${path}, ${(bytes / 1024 ** 2).toFixed(1)} MiB`;
    if (bytes > MAX_CHECKED_BYTES) return ok(about, `${text}, too large to be checked here`);
    const rows = rowsSchema.parse(database.prepare('PRAGMA quick_check(3)').all());
    const said = rows.map(({ quick_check }) => quick_check).join('; ');
    return said === 'ok' ? ok(about, text) : wrong(about, `${path} is damaged: ${said}`, remedy);
  } catch (error) {
    return wrong(about, `${path} cannot be read: ${renderError(error)}`, remedy);
  }
}

function plainMetrics({ metrics: { host, port } }: AgentConfig): Finding[] {
  if (port === undefined) return [];
  const url = metricsUrl({ host, port });
  if (!isExposed(new URL(url))) return [];
  const remedy = 'set metrics.host to 127.0.0.1 or to an address in the network of those who watch';
  return [warning('metrics', `${url}: ${EXPOSED_FIGURES}`, remedy)];
}

async function ownService({ listen }: AgentConfig): Promise<Finding> {
  const url = ownUrl(listen);
  const about = 'service';
  const { status } = (await askReadiness(url, REQUEST_MS)) ?? {};
  if (status === 200) return ok(about, `answers on ${url}`);
  if (status === undefined)
    return warning(about, `nothing answers on ${url}`, 'start it: systemctl start pithead, or pithead run');
  const [text, remedy] =
    status === 503
      ? [
          'cannot take requests now',
          'it is stopping, or its database does not answer or cannot store: its log says which',
        ]
      : [`answers ${status}`, 'another program has this port: choose another one under listen.port'];
  return wrong(about, `${url} ${text}`, remedy);
}

async function companyService({ url, allowPlain }: NonNullable<AgentConfig['service']>): Promise<Finding[]> {
  const about = 'service';
  if (url.startsWith('http:') && !allowPlain) {
    return [wrong(about, `${url} is not encrypted`, 'use https://, or set service.allowPlain for a trial')];
  }
  const findings = await reachService(url);
  if (!isExposed(new URL(url))) return findings;
  const text = `${url} is not encrypted: everybody on the way can read along, this agent's token too`;
  return [warning(about, text, 'use https:// and take service.allowPlain away: it is for trials'), ...findings];
}

async function reachService(url: string): Promise<Finding[]> {
  const about = 'service';
  try {
    const beforeMs = systemClock.nowMs();
    const signal = AbortSignal.timeout(REQUEST_MS);
    const { statusCode, headers, body } = await request(new URL('/healthz', url), { signal });
    await body.dump();
    if (statusCode !== 200) {
      const remedy = 'is this the address of a Pithead service? A proxy in between must let WebSockets through';
      return [wrong(about, `${url} answers ${statusCode}`, remedy)];
    }
    return [ok(about, `${url} answers`), ...clockSkew(headers.date, beforeMs)];
  } catch (error) {
    const remedy = 'is the name right, does the firewall let this host out, is the certificate valid?';
    return [wrong(about, `${url} cannot be reached: ${renderError(error)}`, remedy)];
  }
}

function clockSkew(date: string | string[] | undefined, beforeMs: number): Finding[] {
  const theirsMs = Date.parse(String(date));
  if (!Number.isFinite(theirsMs)) return [];
  // The header counts whole seconds.
  const skewS = Math.round((beforeMs - theirsMs) / 1_000);
  if (Math.abs(skewS) <= MAX_SKEW_S) return [ok('clock', 'agrees with the service')];
  const text = `is ${Math.abs(skewS)} s ${skewS > 0 ? 'ahead of' : 'behind'} the service`;
  return [warning('clock', text, TIME_SERVER)];
}

// `pithead up`, `agent`, `service`, `run`: the long-running commands. They print where they listen, then log, and stop
// cleanly on a signal. Each loads only the agent or the service that it runs.
import type { Command } from 'commander';
import type { Agent } from '../../agent/agent.ts';
import { type AgentConfig, loadConfig } from '../../agent/config/config.ts';
import { mustBeAlone } from '../../agent/control/control-client.ts';
import { privateNetworks } from '../../agent/host/networks.ts';
import { systemClock } from '../../base/clock.ts';
import { keepHeapSmall, letHeapGrow } from '../../base/platform/heap-flags.ts';
import { VERSION } from '../../base/version.ts';
import { readWhole } from '../options.ts';
import { type AdjustableLog, createLog } from '../output/logging.ts';
import type { CliContext } from '../output/terminal.ts';
import {
  CONFIG_FOR_STATE,
  CONFIG_HELP,
  configOrDefault,
  DEFAULT_CONFIG,
  prepareStateDir,
  usualConfig,
} from '../setup/config-file.ts';
import { serviceOptions } from './local-service.ts';
import { startPatiently } from './patient-start.ts';
import { companyUplink } from './remote-service.ts';
import { reloadNow, runUntilStopped, stoppedByStdin } from './run-loop.ts';

const DATABASE_HELP = 'database file, or a postgres:// URL (default: a file in the state directory)';

type ServerFlags = { config?: string; host?: string; port?: string; database?: string };

export function addUp(program: Command, context: CliContext): void {
  program
    .command('up')
    .description(
      'run agent and service in one process, with an embedded database; a service that the configuration names gets the reports too',
    )
    .option('-c, --config <file>', CONFIG_HELP)
    .option('--database <target>', DATABASE_HELP)
    .option('--host <address>', 'address that the service listens on (default: listen.host of the configuration)')
    .option('--port <port>', 'port that the service listens on (default: listen.port of the configuration)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead up\n  $ pithead up --config /etc/pithead/pithead.yaml --host 0.0.0.0',
    )
    .action(async (flags: ServerFlags) => {
      const { driverIds } = await import('../../agent/standalone/folder-drivers.ts');
      return runUp(configOrDefault(flags.config, context, driverIds), flags, context);
    });
}

async function runUp(config: AgentConfig, flags: ServerFlags, context: CliContext): Promise<void> {
  letHeapGrow();
  const { driverIds } = await import('../../agent/standalone/folder-drivers.ts');
  const log = createLog(context, 'stdout', config.log.level);
  const { database } = flags;
  let onTaken = (_next: AgentConfig) => {};
  const source = {
    log,
    read: () => configOrDefault(flags.config, context, driverIds),
    onTaken: (next: AgentConfig) => onTaken(next),
  };
  const reload = (agent: Agent) => reloadNow(agent, source);
  const { startStack } = await import('./all-in-one.ts');
  prepareStateDir(config.stateDir);
  const stack = await startPatiently(() => startStack({ config, ...serverFlags(flags), log, reload }), {
    ...{ stateDir: config.stateDir, clock: systemClock, log, signal: context.signal },
  });
  onTaken = stack.grantFor;
  context.stderr.write(`pithead ${VERSION}: service on ${stack.url}, state in ${config.stateDir}\n`);
  // A URL may hold a password: it is not repeated.
  const where = database === undefined ? '' : ' --database <the same>';
  const which = flags.config === undefined ? '' : ` --config ${flags.config}`;
  context.stderr.write(`a key for integrators: pithead key create --name <who>${which}${where}\n`);
  if (config.ranges.toProbe === 0) context.stderr.write(adviseNetworks());
  const { agent, stop } = stack;
  const broken = stack.service.storage.damaged;
  await runUntilStopped(context, { log, reload: () => reload(agent), stalled: () => agent.stalled(), stop, broken });
}

/** The way that system services start: the configuration says what runs here. */
export function addRun(program: Command, context: CliContext): void {
  program
    .command('run')
    .description(
      'run what the configuration says: the agent alone if it names a service (unless service.keepLocal), agent and service otherwise',
    )
    .option('-c, --config <file>', CONFIG_HELP)
    .option('--stop-with-stdin', 'stop when the standard input ends, for service hosts that have no signals')
    .addHelpText('after', '\nExamples:\n  $ pithead run --config /etc/pithead/pithead.yaml')
    .action(async (flags: { config?: string; stopWithStdin?: boolean }) => {
      const path = configPath(flags.config, context);
      const config = await agentConfig(path, context);
      const stoppable = flags.stopWithStdin ? stoppedByStdin(context) : context;
      await (config.service === undefined || config.service.keepLocal
        ? runUp(config, { config: path }, stoppable)
        : runAgent(config, path, stoppable));
    });
}

export function addAgent(program: Command, context: CliContext): Command {
  return program
    .command('agent')
    .description('run the agent alone; it reports to the service of its configuration')
    .option('-c, --config <file>', CONFIG_HELP)
    .addHelpText('after', '\nExamples:\n  $ pithead agent --config /etc/pithead/pithead.yaml')
    .action(async (flags: { config?: string }) => {
      const path = configPath(flags.config, context);
      return runAgent(await agentConfig(path, context), path, context);
    });
}

/** Only an agent needs the drivers, which are many. */
async function agentConfig(path: string, { environment }: CliContext): Promise<AgentConfig> {
  const { driverIds } = await import('../../agent/standalone/folder-drivers.ts');
  return loadConfig(path, environment, driverIds);
}

async function runAgent(config: AgentConfig, path: string, context: CliContext): Promise<void> {
  keepHeapSmall();
  const { stateDir } = config;
  prepareStateDir(stateDir);
  const log = createLog(context, 'stdout', config.log.level);
  const { agent, release, reload } = await startPatiently(() => startAgent(config, path, log, context), {
    ...{ stateDir, clock: systemClock, log, signal: context.signal },
  });
  try {
    if (config.ranges.toProbe === 0) context.stderr.write(adviseNetworks());
    await runUntilStopped(context, { log, reload, stalled: () => agent.stalled(), stop: () => agent.stop() });
  } finally {
    release();
  }
}

/** The agent alone on its state; `release` lets another one run there. */
async function startAgent(config: AgentConfig, path: string, log: AdjustableLog, context: CliContext) {
  const release = await mustBeAlone(config.stateDir);
  try {
    const uplink = await companyUplink(config, path);
    const { driverIds } = await import('../../agent/standalone/folder-drivers.ts');
    const read = () => loadConfig(path, context.environment, driverIds);
    const reload = () => reloadNow(agent, { log, read });
    const { createAgent } = await import('../../agent/agent.ts');
    const agent: Agent = createAgent({ config, uplinks: [uplink], clock: systemClock, log, reload });
    await agent.start();
    return { agent, release, reload };
  } catch (error) {
    release();
    throw error;
  }
}

export function addService(program: Command, context: CliContext): void {
  program
    .command('service')
    .description('run the service alone; agents report to it')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .option('--database <target>', DATABASE_HELP)
    .option('--host <address>', 'address to listen on (default: listen.host of the configuration)')
    .option('--port <port>', 'port to listen on (default: listen.port of the configuration)')
    .addHelpText(
      'after',
      '\nExamples:\n  $ pithead service --database /var/lib/pithead/service.sqlite --host 0.0.0.0\n' +
        '  $ PGPASSWORD=… pithead service --database postgres://pithead@db.example/pithead\n\n' +
        'Several copies may run on one PostgreSQL: any of them serves any agent and any request.',
    )
    .action(async (flags: ServerFlags) => {
      letHeapGrow();
      const config = configOrDefault(flags.config, context);
      const log = createLog(context, 'stdout', config.log.level);
      prepareStateDir(config.stateDir);
      const { createService } = await import('../../service/service.ts');
      const metricsAddress = metricsAddressOf(config);
      const create = () => createService({ ...serviceOptions(config, { ...serverFlags(flags), log }), metricsAddress });
      const { stateDir } = config;
      // Another database is not on this disk, or on none of ours.
      const service = await (flags.database === undefined
        ? startPatiently(create, { stateDir, clock: systemClock, log, signal: context.signal })
        : create());
      const { url } = await service.start();
      await service.admin.ensureDefaults();
      context.stderr.write(`pithead ${VERSION}: service on ${url}\n`);
      await runUntilStopped(context, { log, stop: () => service.stop(), broken: service.storage.damaged });
    });
}

const metricsAddressOf = ({ metrics: { host, port } }: AgentConfig) =>
  port === undefined ? undefined : { host, port };

const configPath = (named: string | undefined, { environment }: CliContext) =>
  named ?? usualConfig(environment) ?? DEFAULT_CONFIG;

const serverFlags = ({ database, host, port }: ServerFlags) => ({
  database,
  host,
  port: port === undefined ? undefined : readWhole('--port', port, 0, 65_535, 'port number'),
});

/** Nothing is scanned that was not named: say what could be, and the line that does it. */
function adviseNetworks(): string {
  const networks = privateNetworks();
  const lines = networks.map(
    ({ interface: name, cidr, addresses }) => `  ${name}: ${cidr}, ${addresses} addresses    pithead scan ${cidr}`,
  );
  const head = 'no networks are configured, so nothing is scanned.';
  if (lines.length === 0) return `${head} Name them under \`networks:\` in ${DEFAULT_CONFIG}.\n`;
  const first = networks[0]?.cidr ?? '';
  return `${head} This host is in:\n${lines.join('\n')}\nTo watch one, put this line into ${DEFAULT_CONFIG} and start again:\n  networks: [${first}]\n`;
}

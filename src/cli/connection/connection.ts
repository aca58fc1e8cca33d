// Where a command goes: to the agent that runs on this host and to the service, of the same process or elsewhere. What
// the service keeps is asked of the service; what touches miners goes through the agent, or as tasks of the service.
import type { Command } from 'commander';
import type { RunningAgent } from '../../agent/control/control-client.ts';
import { PeerError, RefusedError, renderError } from '../../base/errors.ts';
import { seekAgent, troubleOf } from '../miners/running-agent.ts';
import { readOptionFile, wrongOption } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { CONFIG_FOR_STATE } from '../setup/config-file.ts';
import { openService, type ServiceClient } from './service-client.ts';
import { overHttp, type Server, throughAgent } from './transport.ts';

export type ConnectionFlags = {
  config?: string;
  server?: string;
  keyFile?: string;
  caFile?: string;
  allowPlain?: boolean;
  farm?: string;
};

/**
 * At least one of both. `agent` = the one of this host, through which acts go; absent where a server is named.
 * `service` absent = that of the agent runs elsewhere: lists know nothing of racks, notes and maintenance.
 */
export type Connection =
  | { readonly agent: RunningAgent; readonly service: ServiceClient | undefined }
  | { readonly agent: undefined; readonly service: ServiceClient };

export const CONNECTION_HELP = `
Without --server the agent that runs on this host is asked. From any other computer: --server and --key-file, or PITHEAD_URL and PITHEAD_KEY.`;

export const addConnectionOptions = (command: Command): Command =>
  addServerOptions(command.option('-c, --config <file>', CONFIG_FOR_STATE));

export const addServerOptions = (command: Command): Command =>
  command
    .option('--server <url>', 'ask this service instead of the agent of this host (or PITHEAD_URL)')
    .option('--key-file <file>', 'file with the API key for --server (or PITHEAD_KEY)')
    .option('--ca-file <file>', 'PEM of the authority that signed the certificate of --server')
    .option('--allow-plain', 'send the key unencrypted to another host')
    .option('--farm <name>', 'name or id of the farm, where the service has several (or PITHEAD_FARM)');

/** Closes it when `work` is done. Throws CommandFailed where there is nothing that could be asked. */
export async function withConnection<T>(
  flags: ConnectionFlags,
  context: CliContext,
  work: (connection: Connection) => Promise<T>,
): Promise<T> {
  const connection = await connect(flags, context);
  try {
    return await work(connection);
  } finally {
    await connection.service?.close();
    await connection.agent?.close();
  }
}

/** The service, or CommandFailed that says where it runs and how to ask it. */
export function mustHaveService({ service }: Connection, what: string): ServiceClient {
  if (service !== undefined) return service;
  throw new CommandFailed(`${what} is kept by the service, which runs elsewhere: ${HOW_ELSEWHERE}`, EXIT.notRunning);
}

export const HOW_ELSEWHERE = 'name it with --server and --key-file, or PITHEAD_URL and PITHEAD_KEY';

async function connect(flags: ConnectionFlags, context: CliContext): Promise<Connection> {
  const server = serverOf(flags, context);
  if (server !== undefined) {
    const farm = flags.farm ?? context.environment.PITHEAD_FARM;
    const transport = overHttp(server);
    try {
      return { agent: undefined, service: await openService(transport, { farm }, context.signal) };
    } catch (error) {
      await transport.close();
      throw error;
    }
  }
  const { stateDir, found } = await seekAgent(flags, context);
  if (found.kind !== 'running') {
    const { text, exitCode } = troubleOf(found.kind, stateDir);
    throw new CommandFailed(`${text}; for another computer ${HOW_ELSEWHERE}`, exitCode);
  }
  try {
    return await connectionOf(found.agent, flags, context);
  } catch (error) {
    await found.agent.close();
    throw error;
  }
}

/** By way of an agent that was found; the caller closes both. */
export async function connectionOf(
  agent: RunningAgent,
  flags: ConnectionFlags,
  { environment, stderr, signal }: CliContext,
): Promise<Connection> {
  const farm = flags.farm ?? environment.PITHEAD_FARM;
  const service = openService(throughAgent(agent), { farm }, signal).catch((error: unknown): undefined => {
    if (error instanceof RefusedError && error.code === 'service.elsewhere') return undefined;
    if (!(error instanceof PeerError)) throw error;
    stderr.write(`the service of this agent cannot be asked, the agent answers alone: ${renderError(error)}\n`);
  });
  return { agent, service: await service };
}

/**
 * The service that the environment names, for what an agent of this host lacks; undefined = it names none. Closed when
 * `work` is done. Throws what asking it throws.
 */
export async function withServiceBeside<T>(
  { config: _, ...flags }: ConnectionFlags,
  context: CliContext,
  work: (service: ServiceClient | undefined) => Promise<T>,
): Promise<T> {
  const { environment, signal } = context;
  const server = environment.PITHEAD_KEY && serverOf(flags, context);
  if (!server) return work(undefined);
  const transport = overHttp(server);
  try {
    return await work(await openService(transport, { farm: flags.farm ?? environment.PITHEAD_FARM }, signal));
  } finally {
    await transport.close();
  }
}

/** Whether a service elsewhere is meant, and no agent of this host. */
export const namesServer = (flags: ConnectionFlags, context: CliContext): boolean =>
  serverOf(flags, context) !== undefined;

/** A configuration that is named means the agent of this host, whatever the environment says. */
function serverOf({ server, keyFile, caFile, allowPlain, config }: ConnectionFlags, { environment }: CliContext) {
  const url = server ?? (config === undefined ? environment.PITHEAD_URL : undefined);
  if (url === undefined || url === '') {
    if (keyFile !== undefined) throw wrongOption('--key-file', 'has no meaning without --server');
    return undefined;
  }
  if (server !== undefined && config !== undefined)
    throw wrongOption('--config', 'names an agent of this host and --server another place: give one of them');
  const key = keyFile === undefined ? environment.PITHEAD_KEY : readOptionFile('--key-file', keyFile);
  if (key === undefined || key.trim() === '')
    throw wrongOption('--key-file', `${url} needs an API key: a file with it, or PITHEAD_KEY`);
  return { url, key: key.trim(), caFile, allowPlain } satisfies Server;
}

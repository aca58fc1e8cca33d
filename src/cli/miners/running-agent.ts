// Finds the agent that runs on this host by the state directory of the configuration, and explains why it cannot be
// asked.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { type AgentConfig, stateDirOf } from '../../agent/config/config.ts';
import { type FoundAgent, findRunningAgent, type RunningAgent } from '../../agent/control/control-client.ts';
import { refusedDrivers } from '../../agent/standalone/folder-drivers.ts';
import { ConfigError, RefusedError } from '../../base/errors.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { DEFAULT_CONFIG, defaultStateDir, systemFolder, usualConfig } from '../setup/config-file.ts';
import { type AccessFlags, readAccessConfig } from './access-options.ts';

export type RunningFlags = { config?: string; json?: boolean };

/**
 * State directories of agents of this host, likeliest first: the configuration's, the system service's, and that of an
 * agent without a configuration. Throws ConfigError for a wrong configuration.
 */
function stateDirsOf({ config }: RunningFlags, { environment }: CliContext): string[] {
  const first = config ?? usualConfig(environment);
  const system = join(systemFolder(environment), DEFAULT_CONFIG);
  const stateDirs = first === undefined ? [] : [stateDirOf(first)];
  if (first !== system && existsSync(system)) stateDirs.push(...readable(system));
  return [...new Set([...stateDirs, defaultStateDir(environment)])];
}

function readable(path: string): string[] {
  try {
    return [stateDirOf(path)];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

type Sought = { readonly stateDir: string; readonly found: FoundAgent };

/** The first where an agent is or may be, else the likeliest. */
async function seek([stateDir = '', ...others]: readonly string[]): Promise<Sought> {
  const found = await findRunningAgent(stateDir);
  if (found.kind !== 'none' || others.length === 0) return { stateDir, found };
  const elsewhere = await seek(others);
  return elsewhere.found.kind === 'none' ? { stateDir, found } : elsewhere;
}

/** That of the configuration that is named, and no other. */
export const seekAgent = (flags: RunningFlags, context: CliContext): Promise<Sought> =>
  seek(flags.config === undefined ? stateDirsOf(flags, context) : [stateDirOf(flags.config)]);

/** Why it cannot be asked, for people; the exit code; and whether it runs, null = not known. */
export function troubleOf(kind: Exclude<FoundAgent['kind'], 'running'>, stateDir: string) {
  switch (kind) {
    case 'none':
      return { isRunning: false, exitCode: EXIT.notRunning, text: `no agent runs on ${stateDir}` };
    case 'locked': {
      const text = `this user may not ask the agent of ${stateDir}: run with sudo, or as the user that the agent runs as`;
      return { isRunning: null, exitCode: EXIT.unknown, text };
    }
    case 'silent': {
      const text = `the agent of ${stateDir} does not answer: its log may say why`;
      return { isRunning: true, exitCode: EXIT.failed, text };
    }
    case 'unreachable': {
      const text = `the agent of ${stateDir} cannot be asked: the path is too long for a socket; stop it first, or choose a shorter stateDir`;
      return { isRunning: true, exitCode: EXIT.unknown, text };
    }
  }
}

/** Throws CommandFailed when there is none that may be asked. */
export async function withRunning<T>(
  flags: RunningFlags,
  context: CliContext,
  work: (agent: RunningAgent) => Promise<T>,
): Promise<T> {
  const { stateDir, found } = await seekAgent(flags, context);
  if (found.kind !== 'running') {
    const { text, exitCode } = troubleOf(found.kind, stateDir);
    throw new CommandFailed(text, exitCode);
  }
  try {
    return await work(found.agent);
  } finally {
    await found.agent.close();
  }
}

/**
 * The running agent, for commands that also work without one; the caller closes it. A configuration may be named for
 * its logins only. Where the agent cannot be asked, a command that writes is refused (CommandFailed); one that reads
 * goes on alone, with a warning.
 */
async function findRunning(
  flags: AccessFlags,
  context: CliContext,
  writes: boolean,
): Promise<RunningAgent | undefined> {
  const { stateDir, found } = await seek(stateDirsOf(flags, context));
  if (found.kind === 'running') {
    context.stderr.write(`${byWayOf(stateDir)}${ignored(flags)}`);
    return found.agent;
  }
  if (found.kind === 'none') return undefined;
  const { text, exitCode } = troubleOf(found.kind, stateDir);
  if (writes) throw new CommandFailed(text, exitCode);
  context.stderr.write(`${text}${WITHOUT_IT}`);
  return undefined;
}

export const byWayOf = (stateDir: string): string => `by way of the agent that runs here (state ${stateDir})\n`;
export const WITHOUT_IT = '\nthis command asks the miners itself meanwhile\n';

/**
 * Through the running agent where it watches the named miners; else from here, because no agent talks to them. Throws
 * what either throws. `alone` gets the configuration that the flags make.
 */
export async function throughRunning<T>(
  flags: AccessFlags,
  context: CliContext,
  work: { writes?: true; ask(agent: RunningAgent): Promise<T>; alone(config: AgentConfig): Promise<T> },
): Promise<T> {
  const { writes = false } = work;
  const alone = async () => {
    const config = readAccessConfig(flags, context);
    for (const line of await refusedDrivers(config)) context.stderr.write(`${line}\n`);
    return work.alone(config);
  };
  const agent = await findRunning(flags, context, writes);
  if (agent === undefined) return alone();
  try {
    return await work.ask(agent);
  } catch (error) {
    const why = error instanceof RefusedError ? WHY_WITHOUT.get(error.code) : undefined;
    if (why === undefined || (writes && why === TOO_OLD)) throw error;
    context.stderr.write(`${why}: this command goes there itself\n`);
  } finally {
    await agent.close();
  }
  return alone();
}

const TOO_OLD = 'it is of a version that cannot do this';
const OUTSIDE = 'it does not watch what was named';
/** By the code of its refusal: where a command that was sent to the agent goes on without it. */
const WHY_WITHOUT: ReadonlyMap<string, string> = new Map([
  ['run.outside', OUTSIDE],
  ['scan.outside', OUTSIDE],
  ['look.outside', OUTSIDE],
  ['not-found', TOO_OLD],
]);

/** Its own configuration says how miners are reached. */
function ignored({ portMap, timeout, factoryDefaults }: AccessFlags): string {
  const given = [
    ...(portMap === undefined ? [] : ['--port-map']),
    ...(timeout === undefined ? [] : ['--timeout']),
    ...(factoryDefaults === false ? ['--no-factory-defaults'] : []),
  ];
  if (given.length === 0) return '';
  return `${given.join(', ')} ${given.length === 1 ? 'has' : 'have'} no effect: it reaches miners as it is configured\n`;
}

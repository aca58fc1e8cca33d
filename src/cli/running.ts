// Finds the agent that runs on this host: the one of the configuration's state directory. Says what a person should know where it may not be asked.
import type { Command } from 'commander';
import { type Knock, knock, type RunningAgent } from '../agent/running.ts';
import { stateDirOf } from '../agent/state-dir.ts';
import { RefusedError } from '../base/errors.ts';
import { usualConfig } from './config-file.ts';
import { CommandFailed, EXIT } from './exit.ts';
import type { AccessFlags } from './options.ts';
import { defaultStateDir } from './state-dir.ts';
import type { CliContext } from './terminal.ts';
import { CONFIG_HELP } from './up.ts';

export type RunningFlags = { config?: string };

export function addRunningOptions(command: Command): Command {
  return command.option('-c, --config <file>', `${CONFIG_HELP}, for its state directory`);
}

/** Where the agent of this host keeps its state. Throws ConfigError. */
export function placeOf({ config }: RunningFlags, { environment }: CliContext): string {
  const path = config ?? usualConfig(environment);
  return path === undefined ? defaultStateDir(environment) : stateDirOf(path);
}

type Trouble = Exclude<Knock['kind'], 'running'>;

export function describeTrouble(kind: Trouble, stateDir: string): string {
  switch (kind) {
    case 'none':
      return `no agent runs on ${stateDir}`;
    case 'locked':
      return `this user may not ask the agent of ${stateDir}: run with sudo, or as the user that the agent runs as`;
    case 'silent':
      return `the agent of ${stateDir} does not answer: its log may say why`;
    case 'unreachable':
      return `whether an agent runs on ${stateDir} cannot be told: the path is too long for a socket, choose a shorter stateDir`;
  }
}

export const KNOCK_EXIT = {
  none: EXIT.notRunning,
  locked: EXIT.unknown,
  unreachable: EXIT.unknown,
  silent: EXIT.failed,
} as const satisfies Record<Trouble, number>;

/** Throws CommandFailed when there is none that may be asked. */
export async function withRunning<T>(
  flags: RunningFlags,
  context: CliContext,
  work: (agent: RunningAgent) => Promise<T>,
): Promise<T> {
  const stateDir = placeOf(flags, context);
  const found = await knock(stateDir);
  if (found.kind !== 'running') throw new CommandFailed(describeTrouble(found.kind, stateDir), KNOCK_EXIT[found.kind]);
  try {
    return await work(found.agent);
  } finally {
    await found.agent.close();
  }
}

/**
 * The running agent, for commands that can do without one; the caller closes it. Where it cannot be asked, what `writes` is refused (CommandFailed), what only
 * reads goes on without it, with a word of warning.
 */
export async function findRunning(
  flags: AccessFlags,
  context: CliContext,
  { writes }: { writes: boolean },
): Promise<RunningAgent | undefined> {
  const stateDir = placeOf(flags, context);
  const found = await knock(stateDir);
  if (found.kind === 'running') {
    context.stderr.write(`by way of the agent that runs here (state ${stateDir})\n${ignored(flags)}`);
    return found.agent;
  }
  if (found.kind === 'none') return undefined;
  const trouble = describeTrouble(found.kind, stateDir);
  if (writes && found.kind !== 'unreachable') throw new CommandFailed(trouble, KNOCK_EXIT[found.kind]);
  context.stderr.write(`${trouble}\nthis command asks the miners itself meanwhile\n`);
  return undefined;
}

/**
 * Through the running agent where it watches this address, else by ourselves: nobody else talks to the miner there. Throws what either throws.
 */
export async function throughRunning<T>(
  flags: AccessFlags,
  context: CliContext,
  { ask, alone }: { ask(agent: RunningAgent): Promise<T>; alone(): Promise<T> },
): Promise<T> {
  const agent = await findRunning(flags, context, { writes: false });
  if (agent === undefined) return alone();
  try {
    return await ask(agent);
  } catch (error) {
    if (!(error instanceof RefusedError && OUTSIDE.has(error.code))) throw error;
  } finally {
    await agent.close();
  }
  context.stderr.write('it does not watch what was named: this command asks there itself\n');
  return alone();
}

const OUTSIDE: ReadonlySet<string> = new Set(['scan.outside', 'look.outside']);

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

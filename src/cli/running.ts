// Finds the agent that runs on this host: the one of the configuration's state directory. Says what a person should know where it may not be asked.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Command } from 'commander';
import { type Knock, knock, type RunningAgent } from '../agent/running.ts';
import { stateDirOf } from '../agent/state-dir.ts';
import { ConfigError, RefusedError } from '../base/errors.ts';
import { CONFIG_HELP, DEFAULT_CONFIG, systemFolder, usualConfig } from './config-file.ts';
import { CommandFailed, EXIT } from './exit.ts';
import type { AccessFlags } from './options.ts';
import { defaultStateDir } from './state-dir.ts';
import type { CliContext } from './terminal.ts';

export type RunningFlags = { config?: string };

export function addRunningOptions(command: Command): Command {
  return command.option('-c, --config <file>', `${CONFIG_HELP}, for its state directory`);
}

/**
 * Where an agent of this host may keep its state, likeliest first: that of the configuration, and beside it that of the system service and that of
 * an agent without a configuration. Throws ConfigError for a configuration that is wrong.
 */
function placesOf({ config }: RunningFlags, { environment }: Pick<CliContext, 'environment'>): string[] {
  const first = config ?? usualConfig(environment);
  const system = join(systemFolder(environment), DEFAULT_CONFIG);
  const places = first === undefined ? [] : [stateDirOf(first)];
  if (first !== system && existsSync(system)) places.push(...readable(system));
  return [...new Set([...places, defaultStateDir(environment)])];
}

function readable(path: string): string[] {
  try {
    return [stateDirOf(path)];
  } catch (error) {
    if (error instanceof ConfigError) return [];
    throw error;
  }
}

type Knocked = { readonly stateDir: string; readonly found: Knock };

/** The first place where somebody is or may be, else the likeliest. */
async function knockAt([stateDir = '', ...others]: readonly string[]): Promise<Knocked> {
  const found = await knock(stateDir);
  if (found.kind !== 'none' || others.length === 0) return { stateDir, found };
  const elsewhere = await knockAt(others);
  return elsewhere.found.kind === 'none' ? { stateDir, found } : elsewhere;
}

/** Of the configuration that is named, and no other. */
const namedPlaces = (flags: RunningFlags, context: CliContext) =>
  flags.config === undefined ? placesOf(flags, context) : [stateDirOf(flags.config)];

export const knockFor = (flags: RunningFlags, context: CliContext) => knockAt(namedPlaces(flags, context));

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
      return `the agent of ${stateDir} cannot be asked: the path is too long for a socket; stop it first, or choose a shorter stateDir`;
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
  const { stateDir, found } = await knockFor(flags, context);
  if (found.kind !== 'running') throw new CommandFailed(describeTrouble(found.kind, stateDir), KNOCK_EXIT[found.kind]);
  try {
    return await work(found.agent);
  } finally {
    await found.agent.close();
  }
}

/**
 * The running agent, for commands that can do without one, also where a configuration is named for its logins only; the caller closes it. Where it
 * cannot be asked, what `writes` is refused (CommandFailed), what only reads goes on without it, with a word of warning.
 */
async function findRunning(
  flags: AccessFlags,
  context: CliContext,
  writes: boolean,
): Promise<RunningAgent | undefined> {
  const { stateDir, found } = await knockAt(placesOf(flags, context));
  if (found.kind === 'running') {
    context.stderr.write(`by way of the agent that runs here (state ${stateDir})\n${ignored(flags)}`);
    return found.agent;
  }
  if (found.kind === 'none') return undefined;
  const trouble = describeTrouble(found.kind, stateDir);
  if (writes) throw new CommandFailed(trouble, KNOCK_EXIT[found.kind]);
  context.stderr.write(`${trouble}\nthis command asks the miners itself meanwhile\n`);
  return undefined;
}

/**
 * Through the running agent where it watches what was named, else by ourselves: nobody else talks to the miners there. Throws what either throws.
 */
export async function throughRunning<T>(
  flags: AccessFlags,
  context: CliContext,
  { writes, ask, alone }: { writes?: true; ask(agent: RunningAgent): Promise<T>; alone(): Promise<T> },
): Promise<T> {
  const agent = await findRunning(flags, context, writes === true);
  if (agent === undefined) return alone();
  try {
    return await ask(agent);
  } catch (error) {
    const why = error instanceof RefusedError ? ITSELF.get(error.code) : undefined;
    if (why === undefined || (writes && why === TOO_OLD)) throw error;
    context.stderr.write(`${why}: this command goes there itself\n`);
  } finally {
    await agent.close();
  }
  return alone();
}

const TOO_OLD = 'it is of a version that cannot do this';
/** Where a command that was sent to the agent goes on without it. */
const ITSELF: ReadonlyMap<string, string> = new Map([
  ...['run.outside', 'scan.outside', 'look.outside'].map((code) => [code, 'it does not watch what was named'] as const),
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

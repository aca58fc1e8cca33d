// Which way an act goes: through the agent of this host, as tasks of a service elsewhere, or by this command itself
// where a verb can do that. It opens and closes what is on the way.
import type { RunningAgent } from '../../agent/control/control-client.ts';
import type { Selector } from '../../model/selector/selector.ts';
import {
  type Connection,
  connectionOf,
  mustHaveService,
  namesServer,
  withConnection,
} from '../connection/connection.ts';
import { type Selection, selectMiners } from '../connection/selection.ts';
import type { AccessFlags } from '../miners/access-options.ts';
import { throughRunning } from '../miners/running-agent.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';
import { isAddress } from './candidates.ts';
import { addLocations } from './locations.ts';
import { aloneRunner } from './runners/alone.ts';
import type { ActLimits, ActRunner } from './runners/runner.ts';
import { serviceRunner } from './runners/service.ts';
import { socketRunner } from './runners/socket.ts';
import type { TermFlags } from './terms.ts';
import type { Params } from './verbs/params.ts';
import type { ActTask } from './verbs/verbs.ts';

export type WayFlags = TermFlags & AccessFlags;

/** Requests go on after Ctrl-C: giving up what waits is one, and what was sent is waited for. Each is bounded. */
export const lasting = (context: CliContext): CliContext => ({ ...context, signal: new AbortController().signal });

export const ALL_MINERS: Selector = { words: [{ isNot: false, kind: 'who', values: ['all'] }], isEmpty: false };

/** Throws CommandFailed where nothing is written. */
export function mustName(selector: Selector): void {
  if (!selector.isEmpty) return;
  throw new CommandFailed('say which miners: an address, rack:C03, state:ill, …, or all for every miner', EXIT.usage);
}

/** The miners by their rows, and the way to them. */
export const withSelection = <T>(
  selector: Selector,
  flags: WayFlags,
  context: CliContext,
  work: (connection: Connection, selection: Selection) => Promise<T>,
): Promise<T> =>
  withConnection(flags, lasting(context), async (connection) =>
    work(connection, await selectMiners(connection, selector)),
  );

type Act = { readonly task: ActTask; readonly params: Params; readonly limits: ActLimits };

/** Throws CommandFailed where something is lacking that the act needs. */
export async function runnerOn(
  connection: Connection,
  act: Act,
  selection: Selection,
  flags: WayFlags,
  context: CliContext,
): Promise<ActRunner> {
  const { agent } = connection;
  // Passwords of saved pools do not leave the service.
  if (act.params.pool_set !== undefined)
    return serviceRunner(mustHaveService(connection, 'a saved set of pools'), { ...act, selection });
  return agent === undefined
    ? serviceRunner(connection.service, { ...act, selection })
    : socketRunner(agent, { ...act, selection: await addLocations(act.params, selection, flags, context) });
}

/** A reboot, which works without an agent too. */
export async function withReboot(
  selector: Selector,
  { params, limits, isDetached }: Omit<Act, 'task'> & { readonly isDetached: boolean },
  flags: WayFlags,
  context: CliContext,
  work: (runner: ActRunner) => Promise<void>,
): Promise<void> {
  const act = { task: 'miner.system.reboot', params, limits } as const;
  if (namesServer(flags, context))
    return withSelection(selector, flags, context, async (connection, selection) =>
      work(await runnerOn(connection, act, selection, flags, context)),
    );
  return throughRunning(flags, context, {
    writes: true,
    ask: (agent) => onAgent(agent, selector, act, flags, context, work),
    async alone(config) {
      const ips = mustBeAddresses(selector);
      if (limits.canary !== undefined || limits.stopAfter !== undefined || isDetached)
        throw new CommandFailed(
          '--canary, --stop-after and --detach need an agent that runs on this host and watches these miners',
          EXIT.notRunning,
        );
      context.stderr.write('by this command alone: its limits hold for these miners, and no other program sees them\n');
      const runner = aloneRunner({ config, ips, force: params.force === true, limits });
      await work(runner).finally(() => runner.close());
    },
  });
}

async function onAgent(
  agent: RunningAgent,
  selector: Selector,
  act: Act,
  flags: WayFlags,
  context: CliContext,
  work: (runner: ActRunner) => Promise<void>,
): Promise<void> {
  const connection = await connectionOf(agent, flags, lasting(context));
  const selection = await selectMiners(connection, selector);
  await work(await runnerOn(connection, act, selection, flags, context));
}

/** All that can be found without an agent. */
function mustBeAddresses({ words }: Selector): string[] {
  if (words.every(({ kind, isNot, values }) => kind === 'who' && !isNot && values.every(isAddress)))
    return words.flatMap(({ values }) => [...values]);
  throw new CommandFailed(
    'no agent of this host knows these miners: without one this command takes addresses and ranges only',
    EXIT.notRunning,
  );
}

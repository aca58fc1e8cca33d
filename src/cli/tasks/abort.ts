// `pithead abort`: gives up what waits. The agent of this host is asked for tasks, a service elsewhere for batches.
import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import type { RunningAgent } from '../../agent/control/control-client.ts';
import { lasting } from '../acts/ways.ts';
import { cancelBatch, listBatches, openTasks } from '../connection/batches.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type ConnectionFlags,
  mustHaveService,
  namesServer,
  withConnection,
} from '../connection/connection.ts';
import type { ServiceClient } from '../connection/service-client.ts';
import { withRunning } from '../miners/running-agent.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import type { CliContext } from '../output/terminal.ts';

type Flags = ConnectionFlags & { yes?: boolean; reason?: string; json?: boolean };

/** `open` = what waits or runs afterwards; `unknown` = of those that were named, the ones that were over already. */
type GivenUp = { readonly givenUp: number; readonly open: number; readonly unknown: number };

export function addAbort(program: Command, context: CliContext): void {
  addConnectionOptions(program.command('abort'))
    .description('cancel tasks: all that wait, from any source, or those that are named')
    .argument('[ids...]', 'tasks of the agent, batches of a service, as `pithead tasks` shows them (default: all)')
    .option('-y, --yes', 'ask nothing')
    .option('--reason <text>', 'what the agent says of it in the tasks (default: by hand, on the host of the agent)')
    .option('--json', 'one JSON object: given_up, still_open')
    .addHelpText(
      'after',
      `${CONNECTION_HELP}
What has been sent to a miner cannot be called back: those tasks go on until it is known what came of them.

Examples:
  $ pithead abort
  $ pithead abort --yes --reason 'the breaker of hall 2 has tripped'
  $ pithead abort 0198c0de-7a11-7000-8000-000000000000`,
    )
    .action((ids: string[], flags: Flags) => abort(ids, flags, context));
}

async function abort(ids: readonly string[], flags: Flags, context: CliContext): Promise<void> {
  // The agent of this host must give up even where a service hangs: no service is asked on that way.
  const { givenUp, open, unknown } = namesServer(flags, context)
    ? await withConnection(flags, lasting(context), (connection) =>
        byService(mustHaveService(connection, 'a batch'), ids, flags, context),
      )
    : await withRunning(flags, context, (agent) => byAgent(agent, ids, flags, context));
  if (flags.json) context.stdout.write(`${JSON.stringify({ given_up: givenUp, still_open: open })}\n`);
  else {
    const rest = open === 0 ? 'none is left' : `${open} are not over yet (pithead tasks --open)`;
    context.stdout.write(`${givenUp} given up, ${rest}\n`);
  }
  if (unknown > 0) throw new CommandFailed(`${unknown} were over, unknown, or sent already`);
}

const BY_HAND = 'by hand, on the host of the agent';

async function byAgent(
  agent: RunningAgent,
  ids: readonly string[],
  { yes, reason = BY_HAND }: Flags,
  context: CliContext,
): Promise<GivenUp> {
  const openNow = async () => {
    const { waiting, running } = (await agent.state()).tasks;
    return waiting + running;
  };
  if (ids.length === 0 && !yes) await mustConfirm(await openNow(), context);
  const givenUp = ids.length > 0 ? await agent.cancel(ids) : await agent.abortAll(reason);
  return { givenUp, open: await openNow(), unknown: ids.length === 0 ? 0 : ids.length - givenUp };
}

/** So many are open only where no agent has connected for long. */
const MAX_BATCHES = 10_000;

async function byService(
  service: ServiceClient,
  ids: readonly string[],
  { yes, reason }: Flags,
  context: CliContext,
): Promise<GivenUp> {
  if (reason !== undefined)
    throw new CommandFailed('--reason is for the agent of this host: a service notes who gave up what', EXIT.usage);
  const { batches, total } = await listBatches(service, MAX_BATCHES, true);
  const openOf = new Map(batches.map((batch) => [batch.id, openTasks(batch)]));
  const sum = () => [...openOf.values()].reduce((all, open) => all + open, 0);
  const before = sum();
  if (ids.length === 0 && !yes) await mustConfirm(before, context);
  const wanted = ids.length > 0 ? ids.filter((id) => openOf.has(id)) : [...openOf.keys()];
  for (const id of wanted) openOf.set(id, await cancelBatch(service, id));
  if (total > batches.length) context.stderr.write(`${total - batches.length} more batches are open: give up again\n`);
  return { givenUp: before - sum(), open: sum(), unknown: ids.length > 0 ? ids.length - wanted.length : 0 };
}

async function mustConfirm(count: number, { stdout, stderr, signal }: CliContext): Promise<void> {
  if (!process.stdin.isTTY || !stdout.isTTY) {
    throw new CommandFailed('this cancels all tasks that wait, from any source: add --yes', EXIT.usage);
  }
  const message = `Cancel every task that waits, from any source? (${count} wait or run)`;
  const answer = await confirm({ output: stderr, signal, message, initialValue: false });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was given up');
}

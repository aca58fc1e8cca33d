// `pithead abort`: gives up what waits. The agent of this host is asked for tasks, a service elsewhere for batches.
import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import type { RunningAgent } from '../../agent/control/control-client.ts';
import { lasting } from '../acts/ways.ts';
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
import { type BatchCounts, cancelBatch, countsOf, listBatches } from './service-batches.ts';

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

/** Batches in one go: so many are open only where no agent has connected for long. */
const MAX_BATCHES = 1_000;

async function byService(
  service: ServiceClient,
  ids: readonly string[],
  { yes, reason }: Flags,
  context: CliContext,
): Promise<GivenUp> {
  if (reason !== undefined)
    throw new CommandFailed('--reason is for the agent of this host: a service notes who gave up what', EXIT.usage);
  const { batches, total } = await listBatches(service, MAX_BATCHES, true);
  const all = batches.map(({ id }) => id);
  const wanted = ids.length > 0 ? ids : all;
  const before = new Map<string, BatchCounts>();
  for (const id of new Set([...all, ...wanted])) before.set(id, await countsOf(service, id));
  const waiting = all.reduce((sum, id) => sum + (before.get(id)?.open ?? 0), 0);
  if (ids.length === 0 && !yes) await mustConfirm(waiting, context);
  const after = new Map(before);
  for (const id of wanted) after.set(id, await cancelBatch(service, id));
  const sumOf = (counts: ReadonlyMap<string, BatchCounts>, name: keyof BatchCounts) =>
    [...counts.values()].reduce((sum, one) => sum + one[name], 0);
  if (total > all.length) context.stderr.write(`${total - all.length} more batches are open: give up once more\n`);
  return {
    givenUp: sumOf(after, 'givenUp') - sumOf(before, 'givenUp'),
    open: sumOf(after, 'open'),
    unknown: wanted.filter((id) => before.get(id)?.open === 0).length,
  };
}

async function mustConfirm(count: number, { stdout, stderr, signal }: CliContext): Promise<void> {
  if (!process.stdin.isTTY || !stdout.isTTY) {
    throw new CommandFailed('this cancels all tasks that wait, from any source: add --yes', EXIT.usage);
  }
  const message = `Cancel every task that waits, from any source? (${count} wait or run)`;
  const answer = await confirm({ output: stderr, signal, message, initialValue: false });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was given up');
}

// `pithead tasks`: what is done to miners and was. The agent of this host shows its tasks; a service elsewhere shows
// the batches of the farm; both show the tasks of one batch.
import type { Command } from 'commander';
import type { RunningAgent, ShownTask } from '../../agent/control/control-client.ts';
import { RefusedError } from '../../base/errors.ts';
import { type BatchStatus, isFinal, type TaskStatus } from '../../model/task.ts';
import { addRetry } from '../acts/commands/retry.ts';
import { ALL_MINERS } from '../acts/ways.ts';
import { listBatches, type ServiceBatch, tasksOfBatch } from '../connection/batches.ts';
import {
  addConnectionOptions,
  CONNECTION_HELP,
  type Connection,
  type ConnectionFlags,
  mustHaveService,
  namesServer,
  withConnection,
} from '../connection/connection.ts';
import { selectMiners } from '../connection/selection.ts';
import type { ServiceClient } from '../connection/service-client.ts';
import { withRunning } from '../miners/running-agent.ts';
import { readWhole } from '../options.ts';
import { formatText, formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';

type Flags = ConnectionFlags & { limit: string; open?: boolean; json?: boolean };

const MAX_LISTED = 9_999;

export function addTasks(program: Command, context: CliContext): void {
  const tasks = program.command('tasks');
  // Options after `retry` are its own.
  addConnectionOptions(tasks.enablePositionalOptions())
    .description('what is done to miners, and was, newest first')
    .argument('[batch]', 'only the tasks of this batch')
    .option('--limit <n>', 'how many', '50')
    .option('--open', 'only those that wait or run')
    .option('--json', 'one JSON object per line')
    .addHelpText(
      'after',
      `${CONNECTION_HELP}
The agent shows each task; a service shows a line per batch, of the whole farm.

Examples:
  $ pithead tasks
  $ pithead tasks --open --limit 1000 --json
  $ pithead tasks 0198c0de-7a11-7000-8000-000000000000
  $ pithead tasks --server https://pithead.example --key-file key`,
    )
    .action((batch: string | undefined, flags: Flags) => list(batch, flags, context));
  addRetry(tasks, context);
}

/** What is listed, with how many more there are than were asked for. */
type Listed<T> = { readonly rows: readonly T[]; readonly more: number };

async function list(batch: string | undefined, flags: Flags, context: CliContext): Promise<void> {
  const limit = readWhole('--limit', flags.limit, 1, MAX_LISTED);
  const isOpen = flags.open === true;
  const show = <T extends { readonly status: Status }>(columns: readonly Column<T>[], { rows, more }: Listed<T>) => {
    if (flags.json) for (const row of rows) context.stdout.write(`${JSON.stringify(row)}\n`);
    else if (rows.length === 0) context.stdout.write(`${isOpen ? 'no task waits or runs' : 'no tasks yet'}\n`);
    else showTable(columns, rows, context);
    if (more > 0)
      context.stderr.write(
        `${more} more${isOpen ? ' wait or run' : ''}: --limit ${Math.min(MAX_LISTED, rows.length + more)}\n`,
      );
  };
  if (batch === undefined && !namesServer(flags, context))
    return withRunning(flags, context, async (agent) => show(OF_AGENT, await ofAgent(agent, limit, isOpen)));
  await withConnection(flags, context, async (connection) => {
    if (batch === undefined) return show(OF_SERVICE, await ofService(connection, limit, isOpen));
    const all = await tasksOf(connection, batch);
    const wanted = isOpen ? all.filter(({ status }) => !isFinal(status)) : all;
    show(OF_BATCH, { rows: wanted.slice(0, limit), more: Math.max(0, wanted.length - limit) });
  });
}

async function ofAgent(agent: RunningAgent, limit: number, isOpen: boolean): Promise<Listed<ShownTask>> {
  const { tasks, left_out: leftOut } = await agent.tasks(limit, isOpen);
  return { rows: tasks, more: leftOut ?? 0 };
}

async function ofService(connection: Connection, limit: number, isOpen: boolean): Promise<Listed<ServiceBatch>> {
  const { batches, total } = await listBatches(mustHaveService(connection, 'a batch'), limit, isOpen);
  return { rows: batches, more: isOpen ? total - batches.length : 0 };
}

type TaskRow = {
  readonly ip: string | null;
  readonly status: TaskStatus;
  readonly message: string | null;
};

/** Of the agent, which knows those that it was given; else of the service. Throws CommandFailed where none is known. */
async function tasksOf({ agent, service }: Connection, id: string): Promise<readonly TaskRow[]> {
  const known = agent && (await knownToAgent(agent, id, service !== undefined));
  return known ?? (service === undefined ? [] : fromService(service, id));
}

/** Undefined = the service may know it. */
async function knownToAgent(
  agent: RunningAgent,
  id: string,
  mayAskOn: boolean,
): Promise<readonly TaskRow[] | undefined> {
  try {
    return (await agent.batch(id)).tasks;
  } catch (error) {
    if (!mayAskOn || !(error instanceof RefusedError) || error.code !== 'batch.unknown') throw error;
    return undefined;
  }
}

async function fromService(service: ServiceClient, id: string): Promise<readonly TaskRow[]> {
  const [tasks, { miners }] = await Promise.all([
    tasksOfBatch(service, id),
    selectMiners({ agent: undefined, service }, ALL_MINERS),
  ]);
  const ipOf = new Map(miners.map((miner) => [miner.id, miner.ip]));
  return tasks.map(({ id: task_id, miner_id, status, message, updated_at }) => ({
    ...{ task_id, miner_id, status, message, updated_at },
    ip: ipOf.get(miner_id ?? '') ?? null,
  }));
}

type Status = TaskStatus | BatchStatus;

const isOver = (status: Status): boolean => status === 'partially_succeeded' || isFinal(status);

function showTable<T extends { readonly status: Status }>(
  columns: readonly Column<T>[],
  rows: readonly T[],
  { stdout }: CliContext,
): void {
  const paint = painter(stdout);
  const paintRow = ({ status }: T, text: string) =>
    paint(status === 'succeeded' ? 'green' : isOver(status) ? 'red' : 'reset', text);
  const paintHead = (text: string) => paint('bold', text);
  stdout.write(`${table(columns, rows, { width: screenWidth(stdout), paintHead, paintRow })}\n`);
}

const OF_AGENT: readonly Column<ShownTask>[] = [
  { title: 'MINER', isWhole: true, text: ({ ip }) => formatText(ip) },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ACCEPTED', isWhole: true, text: ({ accepted_at }) => formatTime(accepted_at) },
  { title: 'ASKED BY', text: ({ source }) => (source === 'local' ? 'here' : 'service'), under: 'STATUS' },
  { title: 'TASK', text: ({ name }) => name, under: 'ACCEPTED' },
  { title: 'ID', isWhole: true, text: ({ task_id }) => task_id },
  { title: 'BATCH', isWhole: true, text: ({ batch_id }) => formatText(batch_id), under: 'ID' },
  { title: 'MESSAGE', text: ({ message }) => formatText(message), under: 'ID' },
];

const OF_SERVICE: readonly Column<ServiceBatch>[] = [
  { title: 'BATCH', isWhole: true, text: ({ id }) => id },
  { title: 'TASK', text: ({ task_name: name }) => name, under: 'BATCH' },
  { title: 'STATUS', text: ({ status }) => status.replace('_', ' ') },
  { title: 'TASKS', align: 'right', isWhole: true, text: ({ task_count: count }) => String(count) },
  { title: 'PROVEN', align: 'right', isWhole: true, text: ({ succeed_count: count }) => String(count) },
  { title: 'FAILED', align: 'right', isWhole: true, text: ({ unsuccessful_count: count }) => String(count) },
  { title: 'ASKED', isWhole: true, text: ({ created_at }) => formatTime(created_at) },
  { title: 'BY', text: ({ created_by: actor }) => formatText(actor.name), under: 'ASKED' },
];

const OF_BATCH: readonly Column<TaskRow>[] = [
  { title: 'MINER', isWhole: true, text: ({ ip }) => formatText(ip) },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'MESSAGE', text: ({ message }) => formatText(message) },
];

// `pithead tasks` and `pithead abort`: what the agent that runs on this host is doing to miners, and giving it up.
import { confirm, isCancel } from '@clack/prompts';
import type { Command } from 'commander';
import type { ShownTask } from '../../agent/control/control-client.ts';
import { isFinal } from '../../model/task.ts';
import { addRetry } from '../acts/commands/retry.ts';
import { readWhole } from '../options.ts';
import { CommandFailed, EXIT } from '../output/exit.ts';
import { formatText, formatTime } from '../output/format.ts';
import { type Column, screenWidth, table } from '../output/table.ts';
import { type CliContext, painter } from '../output/terminal.ts';
import { CONFIG_FOR_STATE } from '../setup/config-file.ts';
import { type RunningFlags, withRunning } from './running-agent.ts';

type TasksFlags = RunningFlags & { limit: string; open?: boolean };
type AbortFlags = RunningFlags & { yes?: boolean; reason: string };

const MAX_LISTED = 9_999;

export function addTasks(program: Command, context: CliContext): void {
  const tasks = program.command('tasks');
  // Options after `retry` are its own.
  tasks
    .enablePositionalOptions()
    .description('what the running agent does to miners, and did, newest first')
    .option('--limit <n>', 'how many', '50')
    .option('--open', 'only those that wait or run')
    .option('--json', 'one JSON object per line and task')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText('after', '\nExamples:\n  $ pithead tasks\n  $ pithead tasks --open --limit 1000 --json')
    .action((flags: TasksFlags) => list(flags, context));
  addRetry(tasks, context);
}

async function list(flags: TasksFlags, context: CliContext): Promise<void> {
  const limit = readWhole('--limit', flags.limit, 1, MAX_LISTED);
  const asked = await withRunning(flags, context, (agent) => agent.tasks(limit, flags.open === true));
  const { tasks, left_out: leftOut } = asked;
  const line = (text: string) => context.stdout.write(`${text}\n`);
  if (flags.json) for (const task of tasks) line(JSON.stringify(task));
  else if (tasks.length === 0) line(flags.open ? 'no task waits or runs' : 'no tasks yet');
  else {
    const paint = painter(context.stdout);
    const paintRow = ({ status }: ShownTask, text: string) =>
      paint(status === 'succeeded' ? 'green' : isFinal(status) ? 'red' : 'reset', text);
    const paintHead = (text: string) => paint('bold', text);
    line(table(COLUMNS, tasks, { width: screenWidth(context.stdout), paintHead, paintRow }));
  }
  if (leftOut !== null && leftOut > 0)
    context.stderr.write(`${leftOut} more wait or run: --limit ${Math.min(MAX_LISTED, tasks.length + leftOut)}\n`);
}

const COLUMNS: readonly Column<ShownTask>[] = [
  { title: 'MINER', isWhole: true, text: ({ ip }) => formatText(ip) },
  { title: 'STATUS', text: ({ status }) => status },
  { title: 'ACCEPTED', isWhole: true, text: ({ accepted_at }) => formatTime(accepted_at) },
  { title: 'ASKED BY', text: ({ source }) => (source === 'local' ? 'here' : 'service'), under: 'STATUS' },
  { title: 'TASK', text: ({ name }) => name, under: 'ACCEPTED' },
  { title: 'ID', isWhole: true, text: ({ task_id }) => task_id },
  { title: 'BATCH', isWhole: true, text: ({ batch_id }) => formatText(batch_id), under: 'ID' },
  { title: 'MESSAGE', text: ({ message }) => formatText(message), under: 'ID' },
];

export function addAbort(program: Command, context: CliContext): void {
  program
    .command('abort')
    .description('cancel tasks of the running agent: all that wait, from any source, or those that are named')
    .argument('[ids...]', 'tasks, as `pithead tasks` shows them (default: all)')
    .option('-y, --yes', 'ask nothing')
    .option('--reason <text>', 'what is said of it in the tasks', 'by hand, on the host of the agent')
    .option('--json', 'one JSON object: given_up, still_open')
    .option('-c, --config <file>', CONFIG_FOR_STATE)
    .addHelpText(
      'after',
      `
What has been sent to a miner cannot be called back: those tasks go on until it is known what came of them.

Examples:
  $ pithead abort
  $ pithead abort --yes --reason 'the breaker of hall 2 has tripped'
  $ pithead abort 0198c0de-7a11-7000-8000-000000000000`,
    )
    .action((ids: string[], flags: AbortFlags) => abort(ids, flags, context));
}

async function abort(ids: readonly string[], flags: AbortFlags, context: CliContext): Promise<void> {
  const { givenUp, open } = await withRunning(flags, context, async (agent) => {
    if (ids.length > 0) return { givenUp: await agent.cancel(ids), open: (await agent.state()).tasks };
    const { waiting, running } = (await agent.state()).tasks;
    if (!flags.yes) await mustConfirm(waiting + running, context);
    return { givenUp: await agent.abortAll(flags.reason), open: (await agent.state()).tasks };
  });
  const stillOpen = open.waiting + open.running;
  if (flags.json) context.stdout.write(`${JSON.stringify({ given_up: givenUp, still_open: stillOpen })}\n`);
  else {
    const rest = stillOpen === 0 ? 'none is left' : `${stillOpen} are not over yet (pithead tasks --open)`;
    context.stdout.write(`${givenUp} given up, ${rest}\n`);
  }
  if (givenUp < ids.length) throw new CommandFailed(`${ids.length - givenUp} were over, unknown, or sent already`);
}

async function mustConfirm(count: number, { stdout, stderr, signal }: CliContext): Promise<void> {
  if (!process.stdin.isTTY || !stdout.isTTY) {
    throw new CommandFailed('this cancels all tasks that wait, from any source: add --yes', EXIT.usage);
  }
  const message = `Cancel every task that waits, from any source? (${count} wait or run)`;
  const answer = await confirm({ output: stderr, signal, message, initialValue: false });
  if (isCancel(answer) || !answer) throw new CommandFailed('nothing was given up');
}

// `pithead tasks retry <batch>`: the act of a batch once more, for those of its miners where it failed. The agent of
// this host is asked for the batch first, then the service.
import type { Command } from 'commander';
import { z } from 'zod';
import { RefusedError } from '../../../base/errors.ts';
import type { TaskStatus } from '../../../model/task.ts';
import { EXECUTION_TASK_NAMES } from '../../../model/task.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import { batchDetailSchema } from '../../../wire/api/tasks.ts';
import { tasksOfBatch } from '../../connection/batches.ts';
import { CONNECTION_HELP, type Connection, withConnection } from '../../connection/connection.ts';
import { selectMiners } from '../../connection/selection.ts';
import type { ServiceClient } from '../../connection/service-client.ts';
import { CommandFailed, EXIT } from '../../output/exit.ts';
import type { CliContext } from '../../output/terminal.ts';
import { carryOut } from '../act.ts';
import { addActOptions, addTaskTerms, type TermFlags, termsOf } from '../terms.ts';
import type { Params } from '../verbs/params.ts';
import { type ActTask, sentencesOf } from '../verbs/verbs.ts';
import { ALL_MINERS, lasting, runnerOn } from '../ways.ts';

/** `params` null = they are not known any more. `failed` = keys of the agent, or ids of the service. */
type KnownBatch = { readonly name: string; readonly params: Params | null; readonly failed: ReadonlySet<string> };

export const addRetry = (tasks: Command, context: CliContext): void =>
  void addTaskTerms(addActOptions(tasks.command('retry')))
    .description('do again what failed in a batch')
    .argument('<batch>', 'as pithead tasks and the end of an act show it')
    .addHelpText(
      'after',
      `${CONNECTION_HELP}\n\nExamples:\n  $ pithead tasks retry 0198c0de-7a11-7000-8000-000000000000\n  $ pithead tasks retry 0198c0de-7a11-7000-8000-000000000000 --dry-run`,
    )
    .action((id: string, flags: TermFlags) => retry(id, flags, context));

async function retry(id: string, flags: TermFlags, context: CliContext): Promise<void> {
  const terms = termsOf(flags);
  await withConnection(flags, lasting(context), async (connection) => {
    const batch = await batchOf(connection, id);
    const task = EXECUTION_TASK_NAMES.find((name) => name === batch.name);
    if (task === undefined || !isAboutMiners(task))
      throw new CommandFailed(`${batch.name} is no task about miners: ask for it by its own command`, EXIT.usage);
    const params = batch.params ?? (takesNone(task) ? {} : undefined);
    if (params === undefined) throw new CommandFailed(`${id}: ${NOT_KEPT}`);
    const { miners: all, lacks } = await selectMiners(connection, ALL_MINERS);
    const miners = all.filter(({ key, id: minerId }) => batch.failed.has(key ?? '') || batch.failed.has(minerId));
    if (miners.length === 0) throw new CommandFailed(`nothing failed in the batch ${id}`, EXIT.nothing);
    const act = { task, params, limits: terms.limits };
    const runner = await runnerOn(
      connection,
      act,
      { selector: undefined, miners, unmatched: [], lacks },
      flags,
      context,
    );
    await carryOut(runner, sentencesOf(task, params), terms, context);
  });
}

const NOT_KEPT =
  'what was asked for is not known any more, because it held a password or an address with one: ask again';

const isAboutMiners = (name: keyof typeof PARAMS_FIELDS | ActTask): name is ActTask => name.startsWith('miner.');
const takesNone = (task: ActTask): boolean =>
  task !== 'miner.pool.update' && Object.keys(PARAMS_FIELDS[task]).length === 0;
const hasFailed = ({ status }: { readonly status: TaskStatus }) => status === 'failed' || status === 'timeout';

/** Throws CommandFailed where none is known. */
async function batchOf(connection: Connection, id: string): Promise<KnownBatch> {
  if (connection.agent === undefined) return fromService(connection.service, id);
  try {
    const { name, params, tasks } = await connection.agent.batch(id);
    return { name, params, failed: new Set(tasks.filter(hasFailed).map(({ miner_key: key }) => key)) };
  } catch (error) {
    const isUnknown = error instanceof RefusedError && error.code === 'batch.unknown';
    if (!isUnknown || connection.service === undefined) throw error;
    return fromService(connection.service, id);
  }
}

const detailAnswer = z.object({ data: batchDetailSchema.pick({ task_name: true, task_params: true }).loose() });

async function fromService(service: ServiceClient, id: string): Promise<KnownBatch> {
  const path = `/task-batches/${encodeURIComponent(id)}`;
  const { data: batch } = await service.ask(detailAnswer, { method: 'GET', path });
  const tasks = await tasksOfBatch(service, id);
  const { task_name: name, task_params: params } = batch;
  const failed = tasks.filter(hasFailed).flatMap(({ miner_id: minerId }) => minerId ?? []);
  // What the service hides it shows as stars.
  const isWhole = !JSON.stringify(params).includes('***');
  return { name, params: isWhole ? params : null, failed: new Set(failed) };
}

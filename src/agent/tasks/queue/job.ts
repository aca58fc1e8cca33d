// One task in the queue from its start to its end: executed or resumed, reported, and its capacity freed. execute.ts
// carries it out; queues.ts says when it begins.
import type { Clock } from '../../../base/clock.ts';
import { CancelledError, renderError } from '../../../base/errors.ts';
import type { AbilityName } from '../../../driver/contract.ts';
import { driverAbilityOf, taskKindOf } from '../../../model/task.ts';
import { type AgentTask, afterAct, failed, type TaskDeps, type TaskOutcome } from '../contract.ts';
import { execute, resume } from '../execution/execute.ts';
import type { Controls, ExecutionParts, RebootCapacity } from '../execution/execution.ts';
import { goesOffline } from '../execution/plan.ts';
import { notAllowed } from '../settings.ts';
import type { StoredTask, TaskState } from '../stored-task.ts';
import { expired } from './admission.ts';

/**
 * What waits in one queue and shares its capacity: the tasks of one ability, of which sleep has a queue of its own, or
 * those of one name that the agent carries out itself.
 */
export type Kind =
  | { readonly queue: AbilityName | 'sleep'; readonly ability: AbilityName; readonly agentTask?: never }
  | { readonly queue: string; readonly ability?: never; readonly agentTask: AgentTask };

/** Undefined for a name that this agent cannot do. */
export function kindOf(
  { name, params }: Pick<StoredTask, 'name' | 'params'>,
  agentTasks: TaskDeps['agentTasks'],
): Kind | undefined {
  const ability = driverAbilityOf(name);
  // Sleeping takes load away: it need not wait behind those that wake.
  if (ability === 'powerMode' && params.mode === 'sleep') return { queue: 'sleep', ability };
  if (ability !== undefined) return { queue: ability, ability };
  const agentTask = agentTasks !== undefined && Object.hasOwn(agentTasks, name) ? agentTasks[name] : undefined;
  return agentTask && { queue: name, agentTask };
}

/** `stage` moves one way: waiting for capacity, being checked before the start, started. */
export type Job = {
  row: StoredTask;
  readonly kind: Kind;
  readonly giveUp: AbortController;
  readonly isRecovered: boolean;
  stage: 'waiting' | 'checking' | 'started';
  givenUp: TaskOutcome | undefined;
};

export function newJob(row: StoredTask, kind: Kind): Job {
  const isRecovered = row.state !== 'accepted';
  return { row, kind, giveUp: new AbortController(), isRecovered, stage: 'waiting', givenUp: undefined };
}

/** Its life is over. */
export const isOver = ({ row }: Job, clock: Clock) => row.expiresMs <= clock.elapsedMs();

type JobHooks = {
  /** The first time with the row as it is then. */
  onStarted(row: StoredTask): void;
  onState(taskId: string, state: TaskState): void;
  onProgress(row: StoredTask): void;
  settle(row: StoredTask, outcome: TaskOutcome): void;
  /** It may simply run again. */
  repeat(): void;
  onPassed(waitedMs: number): void;
  /** What it holds of its queue. */
  readonly capacity: RebootCapacity;
};

/** Resolves when the job is over, or `stop` aborts; it never rejects. */
export async function runJob(job: Job, parts: ExecutionParts, stop: AbortSignal, hooks: JobHooks): Promise<void> {
  const { ability, agentTask } = job.kind;
  const { log, clock, deps } = parts;
  const { settle } = hooks;
  const controls: Controls = {
    isExpired: () => isOver(job, clock),
    giveUp: job.giveUp.signal,
    stop,
    capacity: hooks.capacity,
    onPassed: hooks.onPassed,
    onState(state) {
      const isFirst = job.stage !== 'started';
      job.stage = 'started';
      job.row = { ...job.row, state, status: 'running', startedMs: job.row.startedMs ?? Math.round(clock.elapsedMs()) };
      if (isFirst) hooks.onStarted(job.row);
      else hooks.onState(job.row.taskId, state);
    },
    onParams(params) {
      job.row = { ...job.row, params };
    },
  };
  const onProgress = (evidence: TaskOutcome['evidence']) => {
    job.row = { ...job.row, evidence };
    hooks.onProgress(job.row);
  };
  const recover = () => (agentTask === undefined ? resume(parts, job.row, controls) : resumeAgentTask(controls));
  const act = () =>
    agentTask === undefined
      ? execute(parts, job.row, controls)
      : executeAgentTask(parts, job, controls, agentTask, onProgress);
  job.stage = job.isRecovered ? 'started' : 'checking';
  try {
    const outcome = await (job.isRecovered ? recover() : act());
    if (outcome === undefined) hooks.repeat();
    else settle(job.row, outcome);
  } catch (error) {
    if (job.givenUp !== undefined && job.stage !== 'started') {
      settle(job.row, job.givenUp);
    } else if (!stop.aborted) {
      log.error({ taskId: job.row.taskId, error: renderError(error) }, 'a task failed on our side');
      const outcome = failed('the agent itself failed; see its log');
      settle(job.row, job.stage === 'started' ? afterAct(outcome) : outcome);
    }
  } finally {
    const rule = ability && deps.find(job.row.minerKey)?.abilities[ability];
    if (ability !== undefined && goesOffline(rule, ability) && job.stage === 'started' && !stop.aborted) {
      try {
        deps.onPhase(job.row.minerKey, 'idle');
      } catch (error) {
        log.error({ error: renderError(error) }, 'the end of a reboot could not be told');
      }
    }
  }
}

/**
 * A task of the agent's own, without a command to a miner (a scan, a lock): journaled, expired and reported like all
 * others. Rejects with CancelledError when it is given up before it is started, or the agent stops.
 */
async function executeAgentTask(
  { clock, journal, settings, deps }: ExecutionParts,
  { row }: Job,
  { isExpired, giveUp, stop, onState }: Controls,
  agentTask: AgentTask,
  onProgress: (evidence: TaskOutcome['evidence']) => void,
): Promise<TaskOutcome> {
  if (giveUp.aborted) throw new CancelledError(`begin ${row.name}`);
  const refusal = notAllowed(row.name, settings);
  if (refusal !== undefined) return failed(refusal);
  if (isExpired()) return expired();
  const doubt = taskKindOf(row.name)?.effect === 'read-only' ? undefined : deps.doubtOf?.(row.minerKey);
  if (doubt !== undefined) return failed(`refused: ${doubt}`);
  journal.started(row.taskId, {}, 0, clock.elapsedMs());
  onState('started');
  const { find, mayReach, observe } = deps;
  const outcome = await agentTask.run(row, AbortSignal.any([giveUp, stop]), { find, mayReach, observe, onProgress });
  // It was cut short by us and goes on from the journal.
  if (stop.aborted && outcome.status === 'cancelled' && !giveUp.aborted) throw new CancelledError(`finish ${row.name}`);
  return outcome;
}

/** What becomes of one that an earlier run of the agent had started; undefined = it runs again. */
function resumeAgentTask({ isExpired }: Pick<Controls, 'isExpired'>): TaskOutcome | undefined {
  if (!isExpired()) return undefined;
  const message = 'interrupted by a restart of the agent, and expired since';
  return failed(message, { interrupted: true });
}

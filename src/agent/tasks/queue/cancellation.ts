// Ends tasks before their time: cancelled, expired, or of a batch that was stopped. What was sent to a miner goes on to
// its proof.
import type { Log } from '../../../base/log.ts';
import { cancelled, type TaskOutcome } from '../contract.ts';
import type { StoredTask } from '../stored-task.ts';
import type { createCompletion } from './completion.ts';
import type { Job } from './job.ts';
import type { Journal } from './journal.ts';
import type { createRollouts } from './rollouts.ts';

type Parts = {
  readonly log: Log;
  readonly jobs: ReadonlyMap<string, Job>;
  readonly journal: Pick<Journal, 'get'>;
  readonly reports: { sendAgain(row: StoredTask): void };
  readonly completion: Pick<ReturnType<typeof createCompletion>, 'settle' | 'isUnwritten'>;
  readonly rollouts: Pick<ReturnType<typeof createRollouts>, 'stopped'>;
  /** Takes jobs out of their queues. */
  readonly drop: (jobs: ReadonlySet<Job>) => void;
};

export class Cancellation {
  readonly #parts: Parts;
  /** Tasks may wait whose batch was stopped. */
  #isStopDue = false;

  constructor(parts: Parts) {
    this.#parts = parts;
  }

  /** Ends those that are not started, and says how many. */
  giveUp(candidates: readonly Job[], outcome: TaskOutcome): number {
    const { completion, drop } = this.#parts;
    const ending = candidates.filter(({ stage, row }) => stage !== 'started' && !completion.isUnwritten(row.taskId));
    const { waiting = [], checking = [] } = Object.groupBy(ending, ({ stage }) => stage);
    for (const job of checking) {
      job.givenUp = outcome;
      job.giveUp.abort();
    }
    if (waiting.length === 0) return ending.length;
    completion.settle(waiting.map(({ row }) => ({ row, outcome })));
    drop(new Set(waiting));
    return ending.length;
  }

  /**
   * Those that have not been started, and those of the agent's own, in one transaction; says how many. The others
   * report their state again.
   */
  cancelAll(taskIds: readonly string[]): number {
    const { jobs, journal, reports } = this.#parts;
    const asked = [...new Set(taskIds)].map((taskId) => ({ taskId, job: jobs.get(taskId) }));
    const going = asked.filter(({ job }) => job === undefined || (job.stage === 'started' && !isAgentTask(job)));
    const candidates = asked.flatMap(({ job }) => job ?? []);
    const count = this.giveUp(candidates, cancelled('cancelled before it was started')) + endAgentTasks(candidates);
    for (const { taskId, job } of going) {
      const row = job?.row ?? journal.get(taskId);
      if (row !== undefined) reports.sendAgain(row);
    }
    return count;
  }

  abortAll(reason: string): number {
    const all = [...this.#parts.jobs.values()];
    const count = endAgentTasks(all) + this.giveUp(all, cancelled(`given up with all others: ${reason}`));
    this.#parts.log.warn({ reason, tasks: count }, 'all waiting tasks were given up');
    return count;
  }

  /** A service may cancel over an uplink the tasks that came over it; the farm may cancel every task. */
  mayCancel(taskId: string, uplink: string | undefined): boolean {
    if (uplink === undefined) return true;
    const row = this.#parts.jobs.get(taskId)?.row ?? this.#parts.journal.get(taskId);
    return row?.source === 'service' && (row.uplink ?? uplink) === uplink;
  }

  /** A batch may have been stopped: the next `endStopped` looks. */
  expectStop(): void {
    this.#isStopDue = true;
  }

  /**
   * Gives up what waits of batches that were stopped. Throws the first cause where the disk refuses some; the next call
   * tries those again.
   */
  endStopped(): void {
    if (!this.#isStopDue) return;
    const { jobs, rollouts, log } = this.#parts;
    const causes: unknown[] = [];
    const waiting = Map.groupBy(
      [...jobs.values()].filter(({ stage, givenUp }) => stage !== 'started' && givenUp === undefined),
      ({ row }) => row.batchId,
    );
    this.#isStopDue = false;
    for (const [batchId, candidates] of waiting) {
      try {
        const outcome = rollouts.stopped(batchId);
        if (outcome === undefined) continue;
        log.warn({ batchId, message: outcome.message, waiting: candidates.length }, 'a batch was stopped');
        this.giveUp(candidates, outcome);
      } catch (error) {
        this.#isStopDue = true;
        causes.push(error);
      }
    }
    if (causes.length > 0) throw causes[0];
  }
}

const isAgentTask = ({ kind }: Job): boolean => kind.agentTask !== undefined;

/** Ends what the agent itself carries out and has begun, and says how many. */
function endAgentTasks(candidates: readonly Job[]): number {
  const ending = candidates.filter((job) => job.stage === 'started' && isAgentTask(job));
  for (const { giveUp } of ending) giveUp.abort();
  return ending.length;
}

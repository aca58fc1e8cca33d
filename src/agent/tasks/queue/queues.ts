// Who waits and who may begin: first come, first served in each line, as many at once as the line has places, one order per miner at a time.
// It does not know how a task is carried out.
import type { Job } from './job.ts';

const add = (counts: Map<string, number>, line: string, by: number): void =>
  void counts.set(line, (counts.get(line) ?? 0) + by);

export function createQueues(options: {
  capacityOf(job: Job): number;
  /** Whether more than its line holds it back. */
  isHeld(job: Job): boolean;
  /** Must occupy a place before it returns. */
  begin(job: Job): void;
}) {
  const queues = new Map<string, Job[]>();
  const taken = new Map<string, number>();
  /** Of those that have left, miners that may be away still. */
  const awayWithout = new Map<string, number>();
  const busyMiners = new Set<string>();

  const pumpLine = (line: string) => {
    const queue = queues.get(line) ?? [];
    for (;;) {
      const first = queue[0];
      if (first === undefined || (taken.get(line) ?? 0) >= options.capacityOf(first)) return;
      const index = queue.findIndex((job) => !busyMiners.has(job.row.minerKey) && !options.isHeld(job));
      const job = queue[index];
      if (job === undefined) return;
      queue.splice(index, 1);
      options.begin(job);
    }
  };
  /** Begins all that may begin now. */
  const pump = (): void => {
    for (const line of queues.keys()) pumpLine(line);
  };

  return {
    pump,
    push(job: Job): void {
      const { line } = job.kind;
      const queue = queues.get(line);
      if (queue === undefined) queues.set(line, [job]);
      else queue.push(job);
    },
    drop(jobs: ReadonlySet<Job>): void {
      for (const [line, queue] of queues) {
        const left = queue.filter((job) => !jobs.has(job));
        queues.set(line, left);
      }
    },
    /** For who begins, with or without having waited. */
    occupy(job: Job) {
      const { line } = job.kind;
      const { minerKey } = job.row;
      let hasCapacity = true;
      let isAwayWithout = false;
      add(taken, line, 1);
      busyMiners.add(minerKey);
      const setAwayWithout = (isAway: boolean): void => {
        if (isAway !== isAwayWithout) add(awayWithout, line, isAway ? 1 : -1);
        isAwayWithout = isAway;
      };
      const free = (): void => {
        if (!hasCapacity) return;
        hasCapacity = false;
        add(taken, line, -1);
        pumpLine(line);
      };
      const leave = (): void => {
        setAwayWithout(false);
        free();
      };
      return {
        /** Another may have the place; the miner stays taken. */
        leave,
        /**
         * The same where nothing is proven. As many miners that are still away as there are places may have left theirs, so that a reboot that kills
         * miners does not go on through the farm at full speed.
         */
        leaveUnproven(isAway: boolean): void {
          if (isAway && hasCapacity && (awayWithout.get(line) ?? 0) >= options.capacityOf(job)) return;
          setAwayWithout(isAway);
          free();
        },
        /** The miner is free too. */
        end(): void {
          busyMiners.delete(minerKey);
          leave();
          pump();
        },
      };
    },
    clear: () => queues.clear(),
  };
}

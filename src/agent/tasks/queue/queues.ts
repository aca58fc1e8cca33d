// Which task waits and which may begin: first come, first served in each queue, as many at once as it has capacity, one
// task per miner at a time. It does not know how a task is carried out.
import type { Job } from './job.ts';

const add = (counts: Map<string, number>, name: string, by: number): void =>
  void counts.set(name, (counts.get(name) ?? 0) + by);

export function createQueues(options: {
  capacityOf(job: Job): number;
  /** Whether more than its queue holds it back. */
  isHeld(job: Job): boolean;
  /** Must occupy capacity before it returns. */
  begin(job: Job): void;
}) {
  const queues = new Map<string, Job[]>();
  const taken = new Map<string, number>();
  /** Of those that have left, miners that may be away still. */
  const awayWithout = new Map<string, number>();
  const busyMiners = new Set<string>();
  /** Those that wait, of one miner and ability, in their order: a sleep must not overtake the wake before it. */
  const rows = new Map<string, Job[]>();
  const rowOf = ({ kind, row }: Job) => `${kind.ability ?? kind.queue} ${row.minerKey}`;
  const leaveRow = (job: Job) => {
    const left = rows.get(rowOf(job))?.filter((other) => other !== job) ?? [];
    if (left.length === 0) rows.delete(rowOf(job));
    else rows.set(rowOf(job), left);
  };
  const isBehind = (job: Job): boolean => {
    const row = rows.get(rowOf(job)) ?? [];
    return row.slice(0, row.indexOf(job)).some(({ kind }) => kind.queue !== job.kind.queue);
  };
  const mayBegin = (job: Job): boolean => !busyMiners.has(job.row.minerKey) && !isBehind(job) && !options.isHeld(job);

  const pumpQueue = (name: string) => {
    const queue = queues.get(name) ?? [];
    for (;;) {
      const first = queue[0];
      if (first === undefined || (taken.get(name) ?? 0) >= options.capacityOf(first)) return;
      const index = queue.findIndex(mayBegin);
      const job = queue[index];
      if (job === undefined) return;
      queue.splice(index, 1);
      leaveRow(job);
      options.begin(job);
    }
  };
  /** Begins all that may begin now. */
  const pump = (): void => {
    for (const name of queues.keys()) pumpQueue(name);
  };

  return {
    pump,
    push(job: Job): void {
      const { queue: name } = job.kind;
      const queue = queues.get(name);
      if (queue === undefined) queues.set(name, [job]);
      else queue.push(job);
      rows.set(rowOf(job), [...(rows.get(rowOf(job)) ?? []), job]);
    },
    drop(jobs: ReadonlySet<Job>): void {
      for (const job of jobs) leaveRow(job);
      for (const [name, queue] of queues) {
        const left = queue.filter((job) => !jobs.has(job));
        queues.set(name, left);
      }
    },
    /** For who begins, with or without having waited. */
    occupy(job: Job) {
      const { queue: name } = job.kind;
      const { minerKey } = job.row;
      let hasCapacity = true;
      let isAwayWithout = false;
      add(taken, name, 1);
      busyMiners.add(minerKey);
      const setAwayWithout = (isAway: boolean): void => {
        if (isAway !== isAwayWithout) add(awayWithout, name, isAway ? 1 : -1);
        isAwayWithout = isAway;
      };
      const free = (): void => {
        if (!hasCapacity) return;
        hasCapacity = false;
        add(taken, name, -1);
        pumpQueue(name);
      };
      const leave = (): void => {
        setAwayWithout(false);
        free();
      };
      return {
        /** Another may have the capacity; the miner stays taken. */
        leave,
        /**
         * The same where nothing is proven. As many miners as the queue has capacity may be away without any, so that a
         * reboot that kills miners does not go on through the farm at full speed.
         */
        leaveUnproven(isAway: boolean): void {
          if (isAway && hasCapacity && (awayWithout.get(name) ?? 0) >= options.capacityOf(job)) return;
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
    clear(): void {
      queues.clear();
      rows.clear();
    },
  };
}

// Who waits and who may begin: first come, first served in each line, as many at once as the line has places, one order per miner at a time.
// It knows neither the journal nor what a task is.

/** What stands in a line. */
export type Standing = { readonly kind: { readonly line: string }; readonly row: { readonly minerKey: string } };

export type Place = {
  /** Another may have the place; the miner stays taken. */
  leave(): void;
  /** The miner is free too. */
  end(): void;
};

export type Lines<J extends Standing> = {
  push(job: J): void;
  drop(jobs: ReadonlySet<J>): void;
  /** For who begins, with or without having waited. */
  occupy(job: J): Place;
  /** Begins all that may begin now. */
  pump(): void;
  clear(): void;
};

export function createLines<J extends Standing>(options: {
  placesOf(job: J): number;
  /** Whether more than its line holds it back. */
  isHeld(job: J): boolean;
  /** Must occupy a place before it returns. */
  begin(job: J): void;
}): Lines<J> {
  const queues = new Map<string, J[]>();
  const taken = new Map<string, number>();
  const busyMiners = new Set<string>();

  const pumpLine = (line: string) => {
    const queue = queues.get(line) ?? [];
    for (;;) {
      const first = queue[0];
      if (first === undefined || (taken.get(line) ?? 0) >= options.placesOf(first)) return;
      const index = queue.findIndex((job) => !busyMiners.has(job.row.minerKey) && !options.isHeld(job));
      const job = queue[index];
      if (job === undefined) return;
      queue.splice(index, 1);
      options.begin(job);
    }
  };
  const pump = () => {
    for (const line of queues.keys()) pumpLine(line);
  };

  return {
    pump,
    push(job) {
      const { line } = job.kind;
      const queue = queues.get(line);
      if (queue === undefined) queues.set(line, [job]);
      else queue.push(job);
    },
    drop(jobs) {
      for (const [line, queue] of queues) {
        queues.set(
          line,
          queue.filter((job) => !jobs.has(job)),
        );
      }
    },
    occupy({ kind: { line }, row: { minerKey } }) {
      let hasPlace = true;
      taken.set(line, (taken.get(line) ?? 0) + 1);
      busyMiners.add(minerKey);
      const leave = () => {
        if (!hasPlace) return;
        hasPlace = false;
        taken.set(line, (taken.get(line) ?? 1) - 1);
        pumpLine(line);
      };
      return {
        leave,
        end() {
          busyMiners.delete(minerKey);
          leave();
          pump();
        },
      };
    },
    clear: () => queues.clear(),
  };
}

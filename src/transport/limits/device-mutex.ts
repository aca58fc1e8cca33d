// One exchange per miner at a time, across polls, scans and commands; commands go first. It bounds the line of each miner, not how many miners
// are at work: that is for whoever polls or scans.
import { WaitingLine } from './priority-semaphore.ts';

const TURN_PRIORITIES = ['command', 'poll', 'scan'] as const;
export type TurnPriority = (typeof TURN_PRIORITIES)[number];

export type Turns = {
  /**
   * Runs `work` as soon as nobody else is at this miner. Rejects with RefusedError `turn.queue-full`, CancelledError when the signal aborts while
   * it waits, or with what `work` throws. `work` must end by itself: it holds the miner until it does.
   */
  run<T>(ip: string, priority: TurnPriority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  stats(): { readonly busy: number; readonly waiting: number };
};

/** `maxWaiting` per miner and priority. */
export function createTurns(maxWaiting = 8): Turns {
  const lines = new Map<string, WaitingLine>();
  const limits = { places: 1, maxWaitingPerClass: maxWaiting, fullCode: 'turn.queue-full' };
  return {
    async run(ip, priority, signal, work) {
      let line = lines.get(ip);
      if (!line) {
        line = new WaitingLine(TURN_PRIORITIES.length, limits);
        lines.set(ip, line);
      }
      try {
        return await line.run(TURN_PRIORITIES.indexOf(priority), `wait for the turn at ${ip}`, signal, work);
      } finally {
        // Somebody may have made a new line since this one ran empty.
        if (line.taken === 0 && lines.get(ip) === line) lines.delete(ip);
      }
    },
    stats() {
      let waiting = 0;
      for (const line of lines.values()) waiting += line.waiting;
      return { busy: lines.size, waiting };
    },
  };
}

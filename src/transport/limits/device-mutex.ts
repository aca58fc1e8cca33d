// One exchange per miner at a time, across polls, scans and commands; commands go first. It bounds the line of each miner, not how many miners
// are at work: that is for whoever polls or scans.
import { PrioritySemaphore } from './priority-semaphore.ts';

const PRIORITIES = ['command', 'poll', 'scan'] as const;
export type MutexPriority = (typeof PRIORITIES)[number];

export type DeviceMutex = {
  /**
   * Runs `work` as soon as nobody else is at this miner. Rejects with RefusedError `device.queue-full`, CancelledError when the signal aborts while
   * it waits, or with what `work` throws. `work` must end by itself: it holds the miner until it does.
   */
  run<T>(ip: string, priority: MutexPriority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  stats(): { readonly busy: number; readonly waiting: number };
};

/** `maxWaiting` per miner and priority. */
export function createDeviceMutex(maxWaiting = 8): DeviceMutex {
  const lines = new Map<string, PrioritySemaphore>();
  const limits = { places: 1, maxWaitingPerClass: maxWaiting, fullCode: 'device.queue-full' } as const;
  return {
    async run(ip, priority, signal, work) {
      let line = lines.get(ip);
      if (!line) {
        line = new PrioritySemaphore(PRIORITIES.length, limits);
        lines.set(ip, line);
      }
      try {
        return await line.run(PRIORITIES.indexOf(priority), `wait for the turn at ${ip}`, signal, work);
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

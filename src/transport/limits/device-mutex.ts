// One exchange per miner at a time, across polls, scans and commands; commands go first. The queue of each miner is
// bounded. How many miners are asked at the same time is decided by the callers.
import { PrioritySemaphore } from './priority-semaphore.ts';

const PRIORITIES = ['command', 'poll', 'scan'] as const;
export type MutexPriority = (typeof PRIORITIES)[number];

export type DeviceMutex = {
  /**
   * Runs `work` when nothing else runs at this miner. Rejects with RefusedError `device.queue-full`, CancelledError
   * when the signal aborts while it waits, or with what `work` throws. `work` needs its own deadline: it holds the
   * miner until it ends.
   */
  run<T>(ip: string, priority: MutexPriority, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T>;
  stats(): { readonly busy: number; readonly waiting: number };
};

/** `maxWaiting` per miner and priority. */
export function createDeviceMutex(maxWaiting = 8): DeviceMutex {
  const semaphores = new Map<string, PrioritySemaphore>();
  const limits = { capacity: 1, maxWaitingPerClass: maxWaiting, fullCode: 'device.queue-full' } as const;
  return {
    async run(ip, priority, signal, work) {
      let semaphore = semaphores.get(ip);
      if (!semaphore) {
        semaphore = new PrioritySemaphore(PRIORITIES.length, limits);
        semaphores.set(ip, semaphore);
      }
      try {
        return await semaphore.run(PRIORITIES.indexOf(priority), `wait for ${ip}`, signal, work);
      } finally {
        // A later caller may have made a new one since this one became idle.
        if (semaphore.running === 0 && semaphores.get(ip) === semaphore) semaphores.delete(ip);
      }
    },
    stats() {
      let waiting = 0;
      for (const semaphore of semaphores.values()) waiting += semaphore.waiting;
      return { busy: semaphores.size, waiting };
    },
  };
}

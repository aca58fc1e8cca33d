// The miners that wait for their next poll. Those that fail have their own queue: many failing miners do not delay the
// healthy ones.
import { DueHeap } from './due-heap.ts';
import type { PolledMiner } from './poll-schedule.ts';

/** Due before all others. */
export const URGENT = -Infinity;

export class PollQueues {
  readonly #healthy = new DueHeap<PolledMiner>();
  readonly #suspect = new DueHeap<PolledMiner>();

  add(miner: PolledMiner, dueMs: number): void {
    miner.dueMs = dueMs;
    const queue = dueMs !== URGENT && miner.isSuspect ? this.#suspect : this.#healthy;
    queue.push(miner);
  }

  /** Does nothing when the miner does not wait. */
  remove(miner: PolledMiner): void {
    this.#healthy.remove(miner);
    this.#suspect.remove(miner);
  }

  /** The next miner, due or not. Healthy ones go first when both are due. */
  next(nowMs: number, hasRoomForSuspect: boolean): PolledMiner | undefined {
    const healthy = this.#healthy.peek();
    const suspect = hasRoomForSuspect ? this.#suspect.peek() : undefined;
    if (healthy === undefined || suspect === undefined) return healthy ?? suspect;
    return healthy.dueMs <= Math.max(nowMs, suspect.dueMs) ? healthy : suspect;
  }
}

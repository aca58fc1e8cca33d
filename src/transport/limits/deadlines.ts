// Deadlines of many connections: one queue per timeout class, of which only the head is looked at. It owns no timer:
// the engine asks `nextDueMs`, and calls `expire` after the sockets were read.
import Queue from 'yocto-queue';

export type Expirable = { readonly isSettled: boolean; expire(): void };

/** Timeouts are rounded up to this many ms, so that the rest of a budget does not make a class of its own each time. */
const CLASS_STEP_MS = 20;

type Entry<T> = { readonly dueMs: number; readonly item: T };

export class Deadlines<T extends Expirable> {
  readonly #queues = new Map<number, Queue<Entry<T>>>();

  /** `nowMs` must not go backwards from call to call. */
  add(item: T, timeoutMs: number, nowMs: number): void {
    const classMs = Math.max(1, Math.ceil(timeoutMs / CLASS_STEP_MS)) * CLASS_STEP_MS;
    let queue = this.#queues.get(classMs);
    if (!queue) {
      queue = new Queue();
      this.#queues.set(classMs, queue);
    }
    queue.enqueue({ dueMs: nowMs + classMs, item });
  }

  /** Expires what was due at or before `nowMs` and has not settled by itself. */
  expire(nowMs: number): void {
    for (const [classMs, queue] of this.#queues) {
      for (let head = queue.peek(); head && (head.item.isSettled || head.dueMs <= nowMs); head = queue.peek()) {
        queue.dequeue();
        if (!head.item.isSettled) head.item.expire();
      }
      if (queue.size === 0) this.#queues.delete(classMs);
    }
  }

  /** When the earliest open deadline falls due, or undefined when there is none. */
  nextDueMs(): number | undefined {
    let earliest: number | undefined;
    for (const queue of this.#queues.values()) {
      for (let head = queue.peek(); head?.item.isSettled; head = queue.peek()) queue.dequeue();
      const head = queue.peek();
      if (head && (earliest === undefined || head.dueMs < earliest)) earliest = head.dueMs;
    }
    return earliest;
  }
}

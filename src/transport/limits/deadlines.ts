// Deadlines of many connections at the cost of a few: one line per timeout class, so that each line is in order by itself and only its head
// needs a look. It owns no timer: the engine asks `nextDueMs` and calls `expire` when sockets have had their say.
import Queue from 'yocto-queue';

export type Expirable = { readonly isSettled: boolean; expire(): void };

/** Timeouts are rounded up to this many ms, so that left-over times of multi-step exchanges do not each make a class of their own. */
const CLASS_STEP_MS = 20;

type Entry<T> = { readonly dueMs: number; readonly item: T };

export class Deadlines<T extends Expirable> {
  readonly #lines = new Map<number, Queue<Entry<T>>>();

  /** `nowMs` must not go backwards from call to call. */
  add(item: T, timeoutMs: number, nowMs: number): void {
    const classMs = Math.max(1, Math.ceil(timeoutMs / CLASS_STEP_MS)) * CLASS_STEP_MS;
    let line = this.#lines.get(classMs);
    if (!line) {
      line = new Queue();
      this.#lines.set(classMs, line);
    }
    line.enqueue({ dueMs: nowMs + classMs, item });
  }

  /** Expires what was due at or before `nowMs` and has not settled by itself. */
  expire(nowMs: number): void {
    for (const [classMs, line] of this.#lines) {
      for (let head = line.peek(); head && (head.item.isSettled || head.dueMs <= nowMs); head = line.peek()) {
        line.dequeue();
        if (!head.item.isSettled) head.item.expire();
      }
      if (line.size === 0) this.#lines.delete(classMs);
    }
  }

  /** When the earliest open deadline falls due, or undefined when there is none. */
  nextDueMs(): number | undefined {
    let earliest: number | undefined;
    for (const line of this.#lines.values()) {
      for (let head = line.peek(); head?.item.isSettled; head = line.peek()) line.dequeue();
      const head = line.peek();
      if (head && (earliest === undefined || head.dueMs < earliest)) earliest = head.dueMs;
    }
    return earliest;
  }
}

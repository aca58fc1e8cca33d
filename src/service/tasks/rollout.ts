// How an operator wants a batch carried out, and what of it each agent is told: its batch is its own, so percents become numbers here. Pure.
import type { RolloutOrder } from '../../model/task.ts';
import type { TaskOrder } from '../../wire/frames.ts';

/** For a batch of `size` tasks; a part of a task counts as a whole one. */
export function rolloutOf(order: RolloutOrder, size: number): NonNullable<TaskOrder['rollout']> {
  const { canary, stop_after, stop_after_percent } = order;
  const limits = [
    ...(stop_after === undefined ? [] : [stop_after]),
    ...(stop_after_percent === undefined ? [] : [Math.max(1, Math.ceil((size * stop_after_percent) / 100))]),
  ];
  return {
    ...(canary === undefined ? {} : { canary }),
    ...(limits.length === 0 ? {} : { stop_after: Math.min(...limits) }),
  };
}

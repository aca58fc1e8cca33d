// How far a task is, in words for whoever waits for it.
import type { TaskState } from './tasks/contract.ts';

export const TASK_WORDS = {
  accepted: 'waits for its turn',
  started: 'is being told',
  sent: 'took the order',
  verifying: 'is watched until it is proven',
} as const satisfies Partial<Record<TaskState, string>>;

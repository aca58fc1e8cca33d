// The record of refused orders and notices: every one is counted in an event for the services and a line of the log, the first at once, a flood of them summed
// up per reason, so that forging orders costs an attacker more than us.
import type { Cancel, Clock } from '../../base/clock.ts';
import type { Log } from '../../base/log.ts';
import type { Notice, SignedNoticeFrame, SignedTaskFrame, TaskOrder } from '../../wire/frames.ts';
import type { OrderEvent, Refusal } from './contract.ts';

const TELL_MS = 10_000;
/** Ids named of those that are summed up. */
const MAX_NAMED = 5;
/** Enough of the text to find the id, whatever is before it. */
const LOOKED_AT = 2_000;

export type Refusals = {
  add(reason: Refusal, frame: TaskOrder | SignedTaskFrame | Notice | SignedNoticeFrame): void;
  stop(): void;
};

type Counted = {
  readonly what: 'order' | 'notice';
  readonly reason: Refusal;
  count: number;
  readonly taskIds: string[];
};

export function createRefusals(parts: {
  readonly uplink: string;
  readonly agentId: string;
  /** Where the key is kept. */
  readonly file: string | undefined;
  readonly clock: Clock;
  readonly log: Log;
  audit(event: OrderEvent): void;
}): Refusals {
  const { uplink, agentId, clock, log } = parts;
  const counts = new Map<string, Counted>();
  let waiting: Cancel | undefined;

  const tell = () => {
    for (const { what, reason, count, taskIds } of counts.values()) {
      const detail = { uplink, what, reason, count, task_ids: taskIds };
      log.warn({ ...detail, file: parts.file }, ADVICE[reason]);
      parts.audit({ type: 'orders_refused', key: agentId, detail });
    }
    counts.clear();
  };
  const tellAndWait = () => {
    waiting = undefined;
    if (counts.size === 0) return;
    tell();
    waiting = clock.after(TELL_MS, tellAndWait);
  };

  return {
    add(reason, frame) {
      const what = frame.type === 'task' || frame.type === 'signed-task' ? 'order' : 'notice';
      const entry = counts.get(`${what} ${reason}`) ?? { what, reason, count: 0, taskIds: [] };
      counts.set(`${what} ${reason}`, entry);
      entry.count++;
      const taskId = entry.taskIds.length < MAX_NAMED ? idOf(frame) : undefined;
      if (taskId !== undefined) entry.taskIds.push(taskId);
      if (waiting === undefined) tellAndWait();
    },
    stop() {
      waiting?.();
      waiting = undefined;
      tell();
    },
  };
}

const FORGED =
  'orders were refused: they are not from the service, or were sent before; if this goes on, look at who is on the line';
const ADVICE = {
  unsigned:
    'orders were refused: they are not signed, but the service has shown a key before; if it was put back to an older version, bring the newer one back',
  'no key is known': 'orders were refused: they are signed, but the service has not shown its key',
  signature:
    'orders were refused: they are not signed with the key of the service that this agent knows; if the service lost its key and made another, remove the file that keeps the old one and start the agent again',
  unreadable: 'orders were refused: they are signed, but this version cannot read them; update the agent',
  'another agent': FORGED,
  'another connection': FORGED,
  sequence: FORGED,
} as const satisfies Record<Refusal, string>;

/** As the order says it: it proves nothing. */
function idOf(frame: TaskOrder | SignedTaskFrame | Notice | SignedNoticeFrame): string | undefined {
  if (frame.type === 'task' || frame.type === 'cancel') return frame.task_id;
  if (frame.type === 'ops-status') return undefined;
  return /"task_id":"([0-9A-Fa-f-]{36})"/.exec(frame.text.slice(0, LOOKED_AT))?.[1];
}

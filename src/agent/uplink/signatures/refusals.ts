// Reports refused tasks and notices to the services and in the log: the first at once, a flood summed up per reason, so
// that forging messages costs an attacker more than it costs the agent.
import type { Cancel, Clock } from '../../../base/clock.ts';
import type { Log } from '../../../base/log.ts';
import type { Refusal } from './verify.ts';

const REPORT_MS = 10_000;
/** Task ids that a sum names at most. */
const MAX_NAMED = 5;
/** Enough of the text to find the id. */
const LOOKED_AT = 2_000;

/** Events about refused messages and the trusted key. */
export type GuardEvent = {
  readonly type: 'orders_refused' | 'task_key_pinned' | 'task_key_changed' | 'task_key_refused';
  readonly key: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

type Counted = {
  /** As the event says it: `order` = a task. */
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
  audit(event: GuardEvent): void;
}) {
  const { uplink, agentId, clock, log } = parts;
  const counts = new Map<string, Counted>();
  let waiting: Cancel | undefined;

  const report = () => {
    for (const { what, reason, count, taskIds } of counts.values()) {
      const detail = { uplink, what, reason, count, task_ids: taskIds };
      log.warn({ ...detail, file: parts.file }, ADVICE[reason]);
      parts.audit({ type: 'orders_refused', key: agentId, detail });
    }
    counts.clear();
  };
  const reportAndWait = () => {
    waiting = undefined;
    if (counts.size === 0) return;
    report();
    waiting = clock.after(REPORT_MS, reportAndWait);
  };

  return {
    /** `text` is what is signed, or should be. */
    add(reason: Refusal, what: Counted['what'], text: string): void {
      const entry = counts.get(`${what} ${reason}`) ?? { what, reason, count: 0, taskIds: [] };
      counts.set(`${what} ${reason}`, entry);
      entry.count++;
      const taskId = entry.taskIds.length < MAX_NAMED ? idIn(text) : undefined;
      if (taskId !== undefined) entry.taskIds.push(taskId);
      if (waiting === undefined) reportAndWait();
    },
    stop(): void {
      waiting?.();
      waiting = undefined;
      report();
    },
  };
}

const FORGED =
  'tasks were refused: they are not from the service, or were sent before; if this continues, check who can reach this connection';
const ADVICE = {
  unsigned: FORGED,
  signature:
    'tasks were refused: they are not signed with the key of the service that this agent knows; if the service lost its key and made another, remove the file that keeps the old one and start the agent again',
  unreadable: 'tasks were refused: they are signed, but this version cannot read them; update the agent',
  'another agent': FORGED,
  'another connection': FORGED,
  sequence: FORGED,
} as const satisfies Record<Refusal, string>;

/** The id in the text, which proves nothing. */
const idIn = (text: string): string | undefined => /"task_id":"([0-9A-Fa-f-]{36})"/.exec(text.slice(0, LOOKED_AT))?.[1];

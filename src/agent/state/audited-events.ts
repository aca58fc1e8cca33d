// Which events and calls of the running agent stand in its audit trail. They are written beside what they report: a
// disk that refuses is logged, and stops nothing.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import type { AgentAction } from '../../model/audit/actions.data.ts';
import type { ReportRecord } from '../../wire/records.ts';
import type { AgentAct, AuditTrail } from './audit-trail.ts';

const EVENTS: Readonly<Record<string, AgentAction>> = {
  identity_settled: 'identity.settled',
  orders_refused: 'task.refused',
  task_key_pinned: 'task_key.accepted',
  task_key_changed: 'task_key.accepted',
  task_key_refused: 'task_key.refused',
};

/** What a person decided about devices beside the agent. */
type Decision = {
  readonly id: number;
  readonly at: number;
  readonly what: 'accepted' | 'forgotten' | 'retried';
  readonly by: string;
  readonly detail: Readonly<Record<string, unknown>>;
};

const AGENT = { type: 'agent', id: 'agent', name: 'agent' } as const;
const onSite = (name: string) => ({ type: 'user', id: 'control-socket', name }) as const;

export function createAuditedEvents(audit: AuditTrail, log: Log) {
  const safely = (write: () => void) => {
    try {
      write();
    } catch (error) {
      log.error({ error: renderError(error) }, 'write the audit trail of the agent');
    }
  };
  const record = (act: AgentAct) => safely(() => audit.record([act]));
  return {
    started: (...start: Parameters<AuditTrail['recordStart']>) => safely(() => audit.recordStart(...start)),
    reported(event: ReportRecord): void {
      if (event.kind !== 'event') return;
      const action = EVENTS[event.type];
      if (action === undefined) return;
      const subject = event.key === '' ? {} : { miner: event.key };
      record({
        action,
        actor: action === 'identity.settled' ? onSite('this site') : AGENT,
        subject,
        detail: event.detail,
      });
    },
    /** A command at the control socket; `user` as the caller says; it is not checked. */
    called: ({ route, user }: { readonly route: string; readonly user: string }) =>
      record({ action: 'control.called', actor: onSite(user), detail: { route } }),
    /** Of a person with a command of this host, when it was decided. Throws where it cannot be written. */
    decided: ({ id, at, what, by, detail }: Decision) =>
      audit.record([
        {
          action: `trust.${what}` as const,
          actor: { type: 'user', id: 'command-line', name: by },
          detail: { ...detail, decision: id, decided_at: new Date(at).toISOString() },
        },
      ]),
    reloaded: ({
      changed,
      needsRestart,
    }: {
      readonly changed: readonly string[];
      readonly needsRestart: readonly string[];
    }) => record({ action: 'config.reloaded', actor: AGENT, detail: { changed, needs_restart: needsRestart } }),
  };
}

// What the audit trail says of tasks: accepted, refused, begun, ended. Pure.
import type { AuditActor } from '../../model/audit/entry.ts';
import { personOfHost } from '../../model/task.ts';
import type { AgentAct } from '../state/audit-trail.ts';
import type { TaskOutcome } from './contract.ts';
import type { StoredTask } from './stored-task.ts';

type Task = Pick<StoredTask, 'taskId' | 'batchId' | 'name' | 'minerKey' | 'source' | 'uplink' | 'by'>;

const actorOf = ({ source, uplink, by }: Task): AuditActor =>
  by === null
    ? { type: 'system', id: source, name: source === 'service' ? (uplink ?? 'service') : 'this site' }
    : personOfHost(by);

const subjectOf = ({ taskId: task, batchId: batch, minerKey: miner }: Task) => ({
  ...{ task, miner },
  ...(batch === null ? {} : { batch }),
});

/** A task that is over as it comes was refused. */
export function taskEntered(row: StoredTask): AgentAct {
  const about = { actor: actorOf(row), subject: subjectOf(row) };
  const { name: task, params, status, message } = row;
  return row.state === 'final'
    ? { action: 'task.refused', ...about, detail: { task, status, reason: message } }
    : { action: 'task.accepted', ...about, detail: { task, params } };
}

export const taskBegun = (taskId: string): AgentAct => ({
  action: 'task.begun',
  actor: { type: 'agent', id: 'agent', name: 'agent' },
  subject: { task: taskId },
});

export const taskEnded = (row: Task, { status, message }: Pick<TaskOutcome, 'status' | 'message'>): AgentAct => ({
  ...{ action: 'task.ended', actor: actorOf(row), subject: subjectOf(row) },
  detail: { task: row.name, status, message },
});

// Events and tasks as v2 shows them.
import type { z } from 'zod';
import type { taskV2Schema } from '../../../wire/api/tasks.ts';
import type { eventSchema } from '../../../wire/api/tenants.ts';
import { type MinerEvent, type Task, toCursor } from '../../store/store.ts';
import { toIso, toPastIso } from '../shared/envelope.ts';

export function toEventItem(event: MinerEvent, nowMs: number): z.infer<typeof eventSchema> {
  const { type, minerId, agentId, atMs, detail } = event;
  const id = toCursor(event);
  const at = toPastIso(atMs, nowMs);
  return { id, type, miner_id: minerId, agent_id: agentId, at, detail: notAfter(at, detail) };
}

/** Times that lie before the event by their meaning. An agent whose clock was ahead has dated them too late. */
const EARLIER = ['since', 'last_seen_at'] as const;

function notAfter(at: string, detail: MinerEvent['detail']): MinerEvent['detail'] {
  const late = EARLIER.filter((name) => {
    const time = detail[name];
    return typeof time === 'string' && Date.parse(time) > Date.parse(at);
  });
  return late.length === 0 ? detail : { ...detail, ...Object.fromEntries(late.map((name) => [name, at])) };
}

export function toTaskItem(task: Task, nowMs: number): z.infer<typeof taskV2Schema> {
  return {
    id: task.id,
    task_batch_id: task.batchId,
    task_name: task.name,
    status: task.status,
    miner_id: task.minerId,
    agent_id: task.agentId,
    message: task.message,
    evidence: task.evidence,
    created_at: toPastIso(task.createdAtMs, nowMs),
    updated_at: toPastIso(task.updatedAtMs, nowMs),
    expires_at: toIso(task.expiresAtMs),
  };
}

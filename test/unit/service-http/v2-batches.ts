// Farms with miners that report, and task batches of v2 as a client makes, reads and cancels them.
import { randomUUID } from 'node:crypto';
import { expect } from 'vitest';
import { driverAbilityOf, EXECUTION_TASK_NAMES } from '../../../src/model/task.ts';
import { answerOf } from '../../../src/wire/api/envelope.ts';
import { batchDetailSchema, createdAnswerSchema } from '../../../src/wire/api/tasks.ts';
import type { TaskRecord } from '../../../src/wire/records.ts';
import { query } from './database.ts';
import { hostRecord, minerRecord } from './records.ts';
import { type Rig, startRig } from './rig.ts';
import { connect, type WireAgent } from './wire-agent.ts';

export const UNKNOWN = '01900000-0000-7000-8000-000000000000';
export const MINUTE_MS = 60_000;
export const ABILITIES = EXECUTION_TASK_NAMES.filter((name) => driverAbilityOf(name) !== undefined);

export type Place = { rig: Rig; agent: WireAgent; keys: string[]; ids: string[] };

/** `takes`: notices that the agent takes beside those that all take. */
export async function fill(rig: Rig, count: number, abilities: string[], takes: string[] = []): Promise<Place> {
  const agent = await connect(rig, { takes });
  const keys = Array.from({ length: count }, () => randomUUID());
  const nowMs = rig.clock.nowMs();
  const miners = keys.map((key, index) => minerRecord(index + 1, nowMs, { key, abilities }));
  await agent.report([hostRecord(nowMs), ...miners]);
  const rows = await query(rig, 'SELECT id FROM miners WHERE agent_id = ? ORDER BY ip_num', agent.identity.agentId);
  return { rig, agent, keys, ids: rows.map(({ id }) => String(id)) };
}

export const withMiners = async (count: number, abilities = ABILITIES) => fill(await startRig(), count, abilities);

export const path = (rig: Rig, below = '', farmId = rig.farmId) =>
  `/public-api/v2/workspaces/${rig.workspaceId}/farms/${farmId}/task-batches${below}`;

export const order = (rig: Rig, body: unknown, headers: Record<string, string> = {}) =>
  rig.post(path(rig), body, { 'x-api-key': rig.key, ...headers });

export async function create(rig: Rig, body: unknown) {
  const answer = await order(rig, body);
  expect([answer.status, answer.body.message ?? '']).toEqual([200, '']);
  return createdAnswerSchema.parse(answer.body);
}

export async function cancel(rig: Rig, id: string) {
  const { status, body } = await rig.post(path(rig, `/${id}/cancel`), undefined);
  expect(status).toBe(200);
  return answerOf(batchDetailSchema).parse(body).data;
}

export async function detail(rig: Rig, id: string) {
  return answerOf(batchDetailSchema).parse((await rig.get(path(rig, `/${id}`))).body).data;
}

export const outcome = (rig: Rig, taskId: string, status: TaskRecord['status']): TaskRecord => ({
  kind: 'task',
  task_id: taskId,
  status,
  at: new Date(rig.clock.nowMs()).toISOString(),
  message: `it ${status}`,
  evidence: {},
});

// What a report slice carries. A record is written once by the agent and stored by the service under (agent, epoch, sequence of its slice).
import { z } from 'zod';
import { hostSchema } from '../model/host.ts';
import { factStateSchema } from '../model/identity-facts.ts';
import { minerDocumentSchema, minerExtrasSchema } from '../model/miner.ts';
import { taskStatusSchema } from '../model/task.ts';

const isoTime = z.iso.datetime();
const key = z.uuid();

/** The state of one miner after one poll (successful or not). `key` is the agent's own lasting id of the miner. */
export const minerRecordSchema = z.object({
  kind: z.literal('miner'),
  key,
  at: isoTime,
  mac_state: factStateSchema,
  sn_state: factStateSchema,
  document: minerDocumentSchema,
  extras: minerExtrasSchema,
  /** Names of tasks that its driver can do, e.g. `miner.system.reboot`. */
  abilities: z.array(z.string()),
});
export type MinerRecord = z.infer<typeof minerRecordSchema>;

/** Samples that were produced or due and will never come. `count` = how many records, null when nobody can know (crash, power loss). */
export const gapRecordSchema = z.object({
  kind: z.literal('gap'),
  from: isoTime,
  to: isoTime,
  reason: z.enum(['restart', 'buffer_full', 'buffer_damaged', 'clock']),
  count: z.int().min(0).nullable(),
});
export type GapRecord = z.infer<typeof gapRecordSchema>;

/** A step of a task; a final status is the outcome. `message` says what was seen, `evidence` the figures (uptime before and after). */
export const taskRecordSchema = z.object({
  kind: z.literal('task'),
  task_id: z.uuid(),
  status: taskStatusSchema,
  at: isoTime,
  message: z.string().nullable(),
  evidence: z.record(z.string(), z.unknown()),
});
export type TaskRecord = z.infer<typeof taskRecordSchema>;

/** Something that happened to a miner's identity. */
export const eventRecordSchema = z.object({
  kind: z.literal('event'),
  type: z.enum(['appeared', 'moved', 'duplicate', 'replaced']),
  key,
  at: isoTime,
  detail: z.record(z.string(), z.unknown()),
});
export type EventRecord = z.infer<typeof eventRecordSchema>;

/** The agent and its host; `uptime` of the agent process in seconds. */
export const hostRecordSchema = z.object({
  kind: z.literal('host'),
  at: isoTime,
  version: z.string(),
  uptime: z.number(),
  poll_interval_ms: z.number(),
  miners: z.int().min(0),
  host: hostSchema,
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

export const reportRecordSchema = z.discriminatedUnion('kind', [
  minerRecordSchema,
  gapRecordSchema,
  taskRecordSchema,
  eventRecordSchema,
  hostRecordSchema,
]);
export type ReportRecord = z.infer<typeof reportRecordSchema>;

/** The uncompressed body of a slice. */
export const sliceBodySchema = z.object({ v: z.literal(1), records: z.array(reportRecordSchema) });

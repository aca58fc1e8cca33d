// The records of a report slice. The agent writes a record once; the service stores it under (agent, epoch, sequence of
// its slice). Served schemas are closed, received ones open: fields of a newer agent that are not known here are left
// out.
import { z } from 'zod';
import { CONTACT_STATUSES } from '../model/contact.ts';
import { anomalyTypeSchema, flagSchema } from '../model/flags/flags.ts';
import { hostSchema } from '../model/host.ts';
import { factStateSchema } from '../model/identity-facts.ts';
import {
  hashboardSchema,
  minerDocumentSchema,
  minerErrorSchema,
  minerExtrasSchema,
  poolSchema,
  psuSchema,
} from '../model/miner.ts';
import { taskStatusSchema } from '../model/task.ts';

const isoTime = z.iso.datetime();
const key = z.uuid();

const receivedDocumentSchema = minerDocumentSchema
  .extend({
    errors: z.array(minerErrorSchema.strip()),
    hashboards: z.array(hashboardSchema.strip()),
    pools: z.array(poolSchema.strip()),
    psus: z.array(psuSchema.strip()),
  })
  .strip();

const newerFlagSchema = z.object({ type: z.string() }).refine(({ type }) => !anomalyTypeSchema.safeParse(type).success);

const extras = minerExtrasSchema.shape;
const receivedExtrasSchema = minerExtrasSchema
  .extend({
    cooling: extras.cooling.catch(null),
    fans: z.array(extras.fans.element.strip()),
    board_details: z.array(extras.board_details.element.strip()),
    /** Flags of an unknown type are left out, as unknown bits are. */
    flags: z.preprocess(
      (flags) => (Array.isArray(flags) ? flags.filter((flag) => !newerFlagSchema.safeParse(flag).success) : flags),
      z.array(flagSchema.strip()),
    ),
  })
  .strip();

const receivedHostSchema = hostSchema.extend({ memory: hostSchema.shape.memory.strip() }).strip();

/** The state of one miner after one poll (successful or not). `key` is the agent's own lasting id of the miner. */
const minerRecordSchema = z.object({
  kind: z.literal('miner'),
  key,
  at: isoTime,
  mac_state: factStateSchema,
  sn_state: factStateSchema,
  document: receivedDocumentSchema,
  extras: receivedExtrasSchema,
  /** Names of tasks that its driver can do, e.g. `miner.system.reboot`. */
  abilities: z.array(z.string()),
});
export type MinerRecord = z.infer<typeof minerRecordSchema>;

/** Samples that were produced or due and are lost. `count` = how many, null where that is unknown (crash). */
const gapRecordSchema = z.object({
  kind: z.literal('gap'),
  from: isoTime,
  to: isoTime,
  /** `restart`, `buffer_full`, `buffer_damaged`, `clock`; a newer agent may have others, and its gap counts too. */
  reason: z.string().min(1).max(64),
  count: z.int().min(0).nullable(),
});
export type GapRecord = z.infer<typeof gapRecordSchema>;

/** A step of a task; a final status is the outcome. `message` = what was seen, `evidence` = the figures. */
export const taskRecordSchema = z.object({
  kind: z.literal('task'),
  task_id: z.uuid(),
  status: taskStatusSchema,
  at: isoTime,
  message: z.string().nullable(),
  evidence: z.record(z.string(), z.unknown()),
});
export type TaskRecord = z.infer<typeof taskRecordSchema>;

/** Something that happened to a miner or, with its own id as `key`, to the agent. */
export const eventRecordSchema = z.object({
  kind: z.literal('event'),
  /** See model/events/event-types.data.ts. A newer agent may have others. */
  type: z.string().min(1).max(64),
  key,
  at: isoTime,
  detail: z.record(z.string(), z.unknown()),
});
export type EventRecord = z.infer<typeof eventRecordSchema>;

/** The agent and its host; `uptime` of the agent process in seconds. */
const hostRecordSchema = z.object({
  kind: z.literal('host'),
  at: isoTime,
  version: z.string(),
  uptime: z.number(),
  poll_interval_ms: z.number(),
  miners: z.int().min(0),
  host: receivedHostSchema,
  /** The newest entry of the agent's audit trail: one that goes back was cut. An older agent has none. */
  audit_head: z.object({ seq: z.int().min(0), hash: z.string().regex(/^[0-9a-f]{64}$/) }).optional(),
});
export type HostRecord = z.infer<typeof hostRecordSchema>;

/** What a scan task found at an address; a later record of the same address replaces it. */
const scannedSchema = z.object({
  ip: z.ipv4(),
  status: z.enum(CONTACT_STATUSES),
  /** Id of the driver that reads it, or would read it. */
  driver: z.string().max(64).nullable(),
  model: z.string().max(256).nullable(),
  /** What a person can do there; null = nothing needs to be done. */
  advice: z.string().max(512).nullable(),
});
export type Scanned = z.infer<typeof scannedSchema>;

/** Addresses that are silent are only counted, in the account of the task. */
export const MOST_SCANNED = 500;
const scanRecordSchema = z.object({
  kind: z.literal('scan'),
  task_id: z.uuid(),
  at: isoTime,
  addresses: z.array(scannedSchema).max(MOST_SCANNED),
});
export type ScanRecord = z.infer<typeof scanRecordSchema>;

export const reportRecordSchema = z.discriminatedUnion('kind', [
  minerRecordSchema,
  gapRecordSchema,
  taskRecordSchema,
  eventRecordSchema,
  hostRecordSchema,
  scanRecordSchema,
]);
export type ReportRecord = z.infer<typeof reportRecordSchema>;

/** The uncompressed body of a slice. */
export const sliceBodySchema = z.object({ v: z.literal(1), records: z.array(reportRecordSchema) });

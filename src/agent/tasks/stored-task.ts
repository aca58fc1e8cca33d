// A task as it is kept: what was asked of which miner, by whom, how far it is, and how it ended. What else shows a task
// is derived from this. Shapes only.
import { z } from 'zod';
import { taskStatusSchema } from '../../model/task.ts';
import { unitFactsSchema } from '../fleet/identity/record.ts';

/**
 * accepted = waits; started = about to be sent, on disk before it is; sent = the miner took it; verifying = being
 * proven, also when the reply was lost; final = over.
 */
export const TASK_STATES = ['accepted', 'started', 'sent', 'verifying', 'final'] as const;
export type TaskState = (typeof TASK_STATES)[number];

/** What the miner said before it was acted on; `atMs` by `Clock.elapsedMs`. */
const baselineSchema = z.object({
  atMs: z.number(),
  uptimeS: z.number().optional(),
  systemUptimeS: z.number().optional(),
  hashrateHs: z.number().optional(),
  firmwareVersion: z.string().optional(),
});
export type Baseline = z.infer<typeof baselineSchema>;

/** A column that holds JSON. */
export const asJson = <S extends z.ZodType>(schema: S) =>
  z.string().transform((text, context) => {
    const parsed = schema.safeParse(JSON.parse(text));
    if (parsed.success) return parsed.data;
    context.addIssue({ code: 'custom', message: 'is not what was written' });
    return z.NEVER;
  });

export const paramsSchema = z.record(z.string(), z.unknown());

/** One row of the journal. Times are by `Clock.elapsedMs`, which lasts over restarts: the wall clock may be set. */
export const rowSchema = z.object({
  taskId: z.string(),
  batchId: z.string().nullable(),
  name: z.string(),
  minerKey: z.string(),
  params: z.string(),
  source: z.enum(['service', 'local']),
  /** Over which it came; null = from here. */
  uplink: z.string().nullable(),
  /** Name of the system user who asked for it here, in that user's own word; null = a service, or the agent itself. */
  by: z.string().nullable(),
  acceptedMs: z.int(),
  expiresMs: z.int(),
  state: z.enum(TASK_STATES),
  baseline: asJson(baselineSchema)
    .nullable()
    .transform((baseline) => baseline ?? undefined),
  /** What told the miner from others when it was begun. */
  unit: asJson(unitFactsSchema)
    .nullable()
    .transform((unit) => unit ?? undefined),
  startedMs: z.int().nullable(),
  sentMs: z.int().nullable(),
  finishedMs: z.int().nullable(),
  status: taskStatusSchema,
  message: z.string().nullable(),
  evidence: asJson(paramsSchema),
});
export type StoredTask = Omit<z.output<typeof rowSchema>, 'params'> & {
  readonly params: Readonly<Record<string, unknown>>;
  /** False = the params cannot be opened with the key in use. */
  readonly isLegible: boolean;
};

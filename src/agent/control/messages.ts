// Messages of the control socket, both ways: requests, answers, and the lines of long answers. Schemas and their types
// only. Readers take what they know and leave the rest, so that an agent and a command of different versions still
// talk.
import { z } from 'zod';
import { LOGIN_WALLS } from '../../case/login-wall.ts';
import { scanAccountSchema } from '../../model/contact.ts';
import { POOLS_PREVIEW_FIELDS, poolLocationsSchema } from '../../model/pools/requested-pools.ts';
import { EXECUTION_TASK_NAMES, taskStatusSchema } from '../../model/task.ts';
import { foundSchema } from '../capture/found.ts';
import type { Capture } from '../capture/recording/record.ts';

/** Names of miners in one request. */
const MAX_MINERS = 10_000;
const MAX_WORD = 1_024;
const MAX_RANGES = 4_096;

const text = z.string().min(1).max(512);
const evidence = z.record(z.string(), z.unknown());
const nullableText = z.string().nullable();
const count = z.int().min(0);

/** Words of a selector, see model/selector: what they mean among the miners that the agent knows. */
const minerWords = z.array(z.string().min(1).max(MAX_WORD)).min(1).max(MAX_MINERS).readonly();

/** `miners`: an address that the agent does not know yet is looked at. */
export const runRequestSchema = z.strictObject({
  name: z.enum(EXECUTION_TASK_NAMES).refine((name) => name.startsWith('miner.'), 'a task about miners'),
  miners: minerWords,
  params: evidence.default({}),
  locations: poolLocationsSchema.exactOptional(),
  /** At most so many of these at a time, each until it is over, however many the agent would allow. */
  concurrency: z.int().min(1).exactOptional(),
  /** Ends as soon as the queue has them; they go on when the caller goes. It makes no sense with `concurrency`. */
  detach: z.boolean().exactOptional(),
  /** The first `canary` must have succeeded before the others are begun; none is after `stop_after` failures. */
  rollout: z
    .strictObject({ canary: z.int().min(0).default(0), stop_after: z.int().min(1).exactOptional() })
    .exactOptional(),
});
export type RunRequest = z.output<typeof runRequestSchema>;

/**
 * What a run would be about: `miners` would get the task, `left_out` would not. `at_once` = how many the agent works on
 * at a time. `kw` = draw of all these miners at full load; null where that of one is not known. `eta_s` = until the
 * last one is over, as far as all succeed; null where it is not known. `eta_is_guess` = too few such tasks have ended
 * at this agent: it is what is usual.
 */
export const previewSchema = z.object({
  miners: z.array(
    z.object({ key: z.string(), ip: z.string(), model: nullableText, power_w: z.number().nullable().default(null) }),
  ),
  unknown: z.array(z.object({ name: z.string(), reason: z.string() })),
  left_out: z.array(z.object({ key: z.string(), ip: z.string(), reason: z.string() })).default([]),
  at_once: count.nullable(),
  kw: z.number().nullable().default(null),
  eta_s: count.nullable().default(null),
  eta_is_guess: z.boolean().default(false),
  ...POOLS_PREVIEW_FIELDS,
});
export type Preview = z.infer<typeof previewSchema>;

export const scanRequestSchema = z.strictObject({
  ranges: z.array(text).min(1).max(MAX_RANGES).readonly(),
  exclude: z.array(text).max(MAX_RANGES).readonly().default([]),
});
export type ScanRequest = z.infer<typeof scanRequestSchema>;

export const addressRequestSchema = z.strictObject({ ip: z.ipv4() });
/** `login` is of this one device, and of this one capture. */
export const captureRequestSchema = z.strictObject({
  ip: z.ipv4(),
  also: z.array(text).max(64).readonly().exactOptional(),
  login: z.strictObject({ user: z.string().max(64), password: z.string().max(256) }).exactOptional(),
});
/**
 * `by` = who asks, as the command says it. `units`: as `miners` of a run; absent = all that moved away from a silent
 * address.
 */
export const settleRequestSchema = z.strictObject({
  units: minerWords.exactOptional(),
  dry_run: z.boolean().default(false),
  by: z.string().min(1).max(128),
});
export type SettleRequest = z.output<typeof settleRequestSchema>;
export const cancelRequestSchema = z.strictObject({
  task_ids: z.array(z.string().min(1).max(64)).min(1).max(MAX_MINERS),
});
/** Who calls, by the name of the user of this host. It is not checked: the rights of the socket say who may call. */
export const USER_HEADER = 'x-pithead-user';

/**
 * A request for the service in the agent's process. `path` = path and query; `body` is a text of the type
 * `content_type`, JSON where that is absent.
 */
export const serviceRequestSchema = z.strictObject({
  method: z.enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
  path: z
    .string()
    .max(8_192)
    .regex(/^\/public-api\/[\x21-\x7e]*$/),
  body: z.string().exactOptional(),
  content_type: z.enum(['application/json', 'text/csv']).exactOptional(),
  idempotency_key: z
    .string()
    .regex(/^[\x20-\x7e]{1,255}$/)
    .exactOptional(),
});
export type ServiceRequest = z.output<typeof serviceRequestSchema>;
/** The status that the service answered with; that of the control socket says only that there is an answer. */
export const SERVICE_STATUS_HEADER = 'x-pithead-service-status';

export const abortRequestSchema = z.strictObject({ reason: text });
export const stopRequestSchema = z.strictObject({ id: z.string().min(1).max(64) });
export const tasksQuerySchema = z.strictObject({
  limit: z
    .string()
    .regex(/^\d{1,4}$/)
    .transform(Number)
    .default(50),
  /** Only those that wait or run. */
  open: z.literal('true').exactOptional(),
});

/** Why something is not done; `code` is for programs. */
export const refusalSchema = z.object({
  code: z.string(),
  error: z.string(),
  /** What is wrong with a configuration. */
  problems: z.array(z.object({ path: z.string(), message: z.string() })).optional(),
});
export const reloadedSchema = z.object({
  changed: z.array(z.string()),
  needs_restart: z.array(z.string()),
  /** Of the folder as it is now: drivers that are in use, and those that are refused. */
  drivers: z
    .object({
      loaded: z.array(z.string()),
      refused: z.array(z.object({ id: z.string(), origin: z.string(), reason: z.string() })),
    })
    .default({ loaded: [], refused: [] }),
});

/** A name that is a file's or a folder's, and no way to another one. */
const plainName = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9.+_-]{0,199}$/);

/** What was recorded of a device, its files apart. What `case.json` holds beyond this is the agent's to know. */
export const captureSchema = z.object({
  case: z.looseObject({
    id: plainName,
    responses: z
      .array(z.looseObject({ ask: z.string().exactOptional(), failure: z.string().exactOptional() }))
      .readonly(),
  }),
  driver: z.string().exactOptional(),
  is_login_refused: z.boolean(),
  /** How it asks for a login, where none was sent. */
  login_wall: z.enum(LOGIN_WALLS).exactOptional(),
});

export type ShownCapture = Omit<Capture, 'case'> & { readonly case: z.infer<typeof captureSchema>['case'] };

/** Times are ISO 8601. */
export const shownTaskSchema = z.object({
  task_id: z.string(),
  batch_id: nullableText,
  name: z.string(),
  miner_key: z.string(),
  /** Null where the task is about the agent, or the miner has left. */
  ip: nullableText,
  source: z.enum(['service', 'local']),
  /** Name of the system user who asked for it on this host; null = a service, or the agent itself. */
  by: nullableText.default(null),
  state: z.string(),
  status: taskStatusSchema,
  message: nullableText,
  accepted_at: z.string(),
  started_at: nullableText,
  finished_at: nullableText,
});
export type ShownTask = z.infer<typeof shownTaskSchema>;

/** `params` where they hold no secret; null = they are not known any more. */
export const shownBatchSchema = z.object({
  name: z.string(),
  params: evidence.nullable(),
  tasks: z.array(shownTaskSchema.pick({ miner_key: true, ip: true, status: true, message: true })),
});
export type ShownBatch = z.infer<typeof shownBatchSchema>;
export const batchParamsSchema = z.strictObject({ id: z.string().min(1).max(64) });

/**
 * One step of one task; the last one of each has a final status. `task_id` is null where no agent keeps the task, and
 * where there was no miner to give it to.
 */
const stepSchema = shownTaskSchema
  .pick({ status: true, message: true })
  .extend({ ip: z.string(), task_id: nullableText, evidence });
export type Step = z.infer<typeof stepSchema>;

/** One line of an answer that goes on. `id` is for `/stop`; `beat` says only that it still goes on. */
export const lineSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('begin'), id: z.string() }),
  z.object({ type: z.literal('beat') }),
  z.object({ type: z.literal('understood'), text: z.string() }),
  z.object({ type: z.literal('found'), found: foundSchema }),
  z.object({ type: z.literal('progress'), done: count, total: count, identified: count }),
  z.object({ type: z.literal('step'), step: stepSchema }),
  z.object({ type: z.literal('account'), account: scanAccountSchema }),
  z.object({ type: z.literal('asked'), done: count, total: count, note: z.string() }),
  z.object({ type: z.literal('file'), name: plainName, text: z.string() }),
  /** After its files; null = nothing answers there. */
  z.object({ type: z.literal('captured'), capture: captureSchema.nullable() }),
  /** `batch_id` = by which the tasks are found again; null = there are none. */
  z.object({ type: z.literal('end'), total: count, succeeded: count, batch_id: nullableText.default(null) }),
  z.object({ type: z.literal('failed'), code: z.string(), error: z.string() }),
]);
export type Line = z.infer<typeof lineSchema>;

/**
 * `left_out` = those that were asked for and are beyond the limit; null = not counted, because all that are kept were
 * asked for.
 */
export const shownTasksSchema = z.object({ tasks: z.array(shownTaskSchema), left_out: count.nullable() });

const shownUnitSchema = z.object({
  key: nullableText,
  /** Where it answers, or answered last. */
  ip: z.string(),
  model: nullableText,
  /** What the network shows of it, and what it reports; null = nothing. */
  network_mac: nullableText,
  mac: nullableText,
  serial_number: nullableText,
  boards: count,
  last_seen: nullableText,
});
export type ShownUnit = z.infer<typeof shownUnitSchema>;

export const identitiesSchema = z.object({
  disputes: z.array(
    z.object({
      miner: shownUnitSchema,
      /** The unit that shows facts of the miner, too: `facts` says which. */
      claimant: shownUnitSchema,
      facts: z.array(z.string()),
      /**
       * `undecided` = it is being looked at. `rejected` = a person said that it is not the miner. For the others see
       * `Dispute`.
       */
      state: z.enum(['undecided', 'open', 'refuted', 'rejected']),
      since: nullableText,
      /** Addresses that get no login and nothing that changes them. */
      withheld: z.array(z.string()),
    }),
  ),
});
export type Identities = z.infer<typeof identitiesSchema>;

export const settledSchema = z.object({
  settled: z.array(
    z.object({
      ip: z.string(),
      outcome: z.enum(['settled', 'would_settle', 'left']),
      /** Why it was left as it is. */
      reason: nullableText,
      /** The agent's key of the miner; null where no miner was named. */
      key: nullableText,
      /** Where the miner was, if that was another address. */
      from: nullableText,
      /** Addresses of the units that are not it. */
      rejected: z.array(z.string()),
    }),
  ),
});
export type SettledUnits = z.infer<typeof settledSchema>['settled'];

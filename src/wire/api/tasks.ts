// Task batches and tasks of v2: what is answered of them, and the body that creates them. Params are those of
// model/tasks/task-params.ts, closed; miners and agents check again what reaches them.
import { z } from 'zod';
import { CONTACT_STATUSES } from '../../model/contact.ts';
import { actorSchema, BATCH_STATUSES, EXECUTION_TASK_NAMES, TASK_STATUSES, taskNameSchema } from '../../model/task.ts';
import { orNull } from '../../model/tasks/or-null.ts';
import { isFileOrUrl, isModeOrPreset, PARAMS_FIELDS } from '../../model/tasks/task-params.ts';
import { MAX_ASKED } from '../outlook.ts';
import { named } from './components.ts';
import { answerOf } from './envelope.ts';
import { poolsField, setName } from './farm/pool-sets.ts';
import { closedObject, givenId, ofGoodFields } from './forms.ts';
import { minerFilterSchema } from './miners.ts';

const count = z.int().min(0);
const unsuccessful = count.meta({ description: 'Failures, timeouts and cancellations together' });

const batchFields = {
  id: z.uuid(),
  task_name: taskNameSchema,
  status: z.enum(BATCH_STATUSES),
  task_count: count,
  succeed_count: count,
  unsuccessful_count: unsuccessful,
  task_params: z.record(z.string(), z.unknown()).meta({ description: 'Secrets in it are not shown' }),
  created_by: actorSchema,
  created_at: z.iso.datetime(),
  metadata: z.record(z.string(), z.unknown()).meta({
    description: 'Of a batch with a rollout its rule as `rollout`, and as `stopped` when it went no further and why',
  }),
};

export const batchV2Schema = named('TaskBatchV2', z.strictObject(batchFields));

export const batchDetailSchema = named(
  'TaskBatchDetailV2',
  z.strictObject({
    ...batchFields,
    pending_count: count,
    running_count: count,
    failed_count: count.meta({ description: 'Execution failures only' }),
    timeout_count: count,
    cancelled_count: count,
  }),
);

export const taskV2Schema = named(
  'TaskV2',
  z.strictObject({
    id: z.uuid(),
    task_batch_id: z.uuid(),
    task_name: taskNameSchema,
    status: z.enum(TASK_STATUSES),
    miner_id: z.string().nullable().meta({ description: 'null = the task is about an agent' }),
    agent_id: z.string().nullable().meta({ description: 'null = the service did it itself' }),
    message: z.string().nullable(),
    evidence: z.record(z.string(), z.unknown()).meta({
      description:
        'What was seen, such as uptime before and after; of a scan its `progress` while it runs, then its `account`',
    }),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
    expires_at: z.iso.datetime(),
  }),
);

export const scannedSchema = named(
  'ScannedAddressV2',
  z.strictObject({
    ip: z.ipv4().meta({ description: 'The address that was scanned' }),
    status: z.enum(CONTACT_STATUSES).meta({ description: 'What the scan found there' }),
    driver: z.string().nullable().meta({ description: 'The driver that reads it, or would read it' }),
    model: z.string().nullable().meta({ description: 'As the device names it' }),
    advice: z.string().nullable().meta({ description: 'What a person can do there; null = nothing needs to be done' }),
    found_at: z.iso.datetime().meta({ description: 'When the agent reported it' }),
    miner_id: z.string().nullable().meta({ description: 'The miner that was reported there last' }),
    is_new: z.boolean().meta({ description: 'That miner was not known when the scan was asked for' }),
  }),
);

/** The schema of the answer; `count` is how the version writes counts, `more` what else its `meta` has. */
export const createdAnswerOf = <
  B extends z.ZodType,
  S extends z.ZodType,
  N extends z.ZodType,
  M extends z.core.$ZodLooseShape,
>(
  batch: B,
  skipped: S,
  count: N,
  more: M,
) =>
  answerOf(z.array(batch)).extend({
    meta: z.strictObject({
      summary: z.strictObject({ created_count: count, skipped_count: count }),
      skipped: z.array(skipped),
      ...more,
    }),
  });

const createdSchema = named(
  'CreatedTaskBatchV2',
  z.strictObject({
    id: z.uuid(),
    task_name: taskNameSchema,
    task_count: z.int().min(0),
    task_params: z.record(z.string(), z.unknown()),
    created_by: actorSchema,
    created_at: z.iso.datetime(),
  }),
);

const targetSchema = named(
  'TaskTargetV2',
  z.strictObject({
    miner_id: z.string(),
    ip: z.string().nullable().meta({ description: 'null = there is no such miner' }),
    reason: z.string().nullable().meta({ description: 'Why it gets no task, as in `skipped`; null = it gets one' }),
  }),
);

export const outlookSchema = named(
  'TaskOutlookV2',
  z.strictObject({
    agent_id: z.string(),
    task_count: count.meta({ description: 'How many of its miners would get the task' }),
    is_known: z.boolean().meta({
      description: 'false = the agent is not connected, cannot tell, or has not answered within three seconds',
    }),
    at_once: count.nullable().meta({ description: 'How many tasks the agent carries out at a time' }),
    kw: z.number().nullable().meta({
      description: 'What these miners draw at full load, together, kW; null = that of one of them is not known',
    }),
    eta_s: count.nullable().meta({
      description: 'Seconds until the last one is over, as far as all succeed, behind what waits at the agent already',
    }),
    eta_is_guess: z.boolean().nullable().meta({
      description: 'Too few such tasks have ended at the agent: the time is what is usual',
    }),
  }),
);

export const createdAnswerSchema = createdAnswerOf(
  createdSchema,
  z.strictObject({
    reason: z.string(),
    message: z.string(),
    miner_ids: z.array(z.string()),
    agent_ids: z.array(z.string()),
  }),
  z.int().min(0),
  {
    pools_preview: z
      .array(z.strictObject({ ip: z.string(), user: z.string() }))
      .exactOptional()
      .meta({ description: 'Of an update of pools: the worker of the first pool on up to three of the miners' }),
    needs_second_person: z
      .literal(true)
      .exactOptional()
      .meta({ description: 'No agent gets the tasks before another person has confirmed them: `confirmTaskBatchV2`' }),
    targets: z.array(targetSchema).optional().meta({ description: 'With `dry_run` only: each miner that is meant' }),
    outlooks: z
      .array(outlookSchema)
      .optional()
      .meta({ description: 'With `dry_run` only: what the agent of each batch says that it would come to' }),
  },
);

/** Of one batch, so of a farm of many miners at once. */
export const MAX_TARGETS = MAX_ASKED;
const MAX_AGENTS = 1_000;
const ids = z.array(givenId).min(1).max(MAX_TARGETS);
const agentIds = z.array(givenId).min(1).max(MAX_AGENTS);

const MAX_EXPIRY_S = 86_400;
const expiry = orNull(z.int().min(60).max(MAX_EXPIRY_S)).meta({
  description: 'Seconds. What is not begun within them ends as timeout; not given = 900, with a rollout 14400',
});

const rollout = orNull(
  closedObject({
    canary: orNull(z.int().min(1).max(MAX_TARGETS)).meta({
      description:
        'So many of the miners, as they are listed, go first; the others only when all of these have succeeded. Of miner.password.update always 1, whatever is asked for',
    }),
    stop_after: orNull(z.int().min(1).max(MAX_TARGETS)).meta({ description: 'Failures after which no more are begun' }),
    stop_after_percent: orNull(z.int().min(1).max(100)).meta({
      description:
        'The same as a share of the tasks of the batch, rounded up; of two limits the first to be reached counts',
    }),
  })
    .refine((limits) => Object.values(limits).some((limit) => limit !== undefined), {
      ...ofGoodFields,
      error: 'accepted: an object with canary, stop_after or stop_after_percent',
    })
    .meta({
      minProperties: 1,
      description:
        'Each batch for itself, by its agent, whether or not it is connected. Failures and timeouts count, refusals included; what is cancelled does not. When a batch is stopped, what was sent goes on to its proof, what waits ends as cancelled with the reason in its message, and `metadata.stopped` of the batch says so. An agent of a version that cannot do this fails the tasks as unsupported',
    }),
);

const targets = {
  miner_ids: orNull(ids).meta({ description: 'Either these miners, in this order, or those of `filter`' }),
  filter: orNull(minerFilterSchema).meta({
    description: 'The body of miners/search, without a page: these miners, in the order of lists',
  }),
  expect_count: orNull(count).meta({
    description: 'How many miners it must be: with another number the answer is 409, and nothing is created',
  }),
  dry_run: orNull(z.boolean()).meta({
    description:
      'Answers who would get the task and what it would come to, as the agents say, and creates nothing. Those that an agent would refuse are in `skipped`, with its reason as the message',
  }),
};
const ONE_OF_BOTH = 'accepted: an object with either miner_ids or filter';

const forMiners = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), ...targets, params, rollout, expires_in_s: expiry }).refine(
    ({ miner_ids, filter }) => (miner_ids === undefined) !== (filter === undefined),
    { ...ofGoodFields, error: ONE_OF_BOTH },
  );
const forAgents = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), agent_ids: agentIds, params, expires_in_s: expiry });

const paramsOf = <N extends keyof typeof PARAMS_FIELDS>(name: N) => closedObject(PARAMS_FIELDS[name]);

/** One form per execution task name. */
export const batchCreationSchema = z.discriminatedUnion(
  'task_name',
  [
    forMiners('miner.system.reboot', orNull(paramsOf('miner.system.reboot'))),
    forMiners('miner.log.get', orNull(paramsOf('miner.log.get'))),
    forMiners('miner.refresh.get', orNull(paramsOf('miner.refresh.get'))),
    forMiners('miner.light.update', paramsOf('miner.light.update')),
    forMiners(
      'miner.power_mode.update',
      paramsOf('miner.power_mode.update')
        .refine(isModeOrPreset, { ...ofGoodFields, error: 'accepted: an object with either mode or preset' })
        .meta({ minProperties: 1 }),
    ),
    forMiners(
      'miner.pool.update',
      closedObject({ pools: orNull(poolsField), pool_set: orNull(setName) })
        .refine(({ pools, pool_set }) => (pools === undefined) !== (pool_set === undefined), {
          ...ofGoodFields,
          error: 'accepted: an object with either pools or pool_set',
        })
        .meta({ minProperties: 1, maxProperties: 1 }),
    ),
    forMiners('miner.pool.lock', paramsOf('miner.pool.lock')),
    forMiners(
      'miner.firmware.update',
      paramsOf('miner.firmware.update')
        .refine(isFileOrUrl, { ...ofGoodFields, error: 'accepted: an object with either file, or url and sha256' })
        .meta({ minProperties: 1 }),
    ),
    forMiners('miner.password.update', paramsOf('miner.password.update')),
    forAgents('agent.scan.create', orNull(paramsOf('agent.scan.create'))),
    forAgents('agent.login.update', paramsOf('agent.login.update')),
    forAgents('agent.self.update', orNull(paramsOf('agent.self.update'))),
  ],
  {
    error: (issue) => (issue.code === 'invalid_union' ? `accepted: ${EXECUTION_TASK_NAMES.join(', ')}` : undefined),
  },
);

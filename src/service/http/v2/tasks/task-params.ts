// The body of an order, one form per task: its params are those of model/tasks/task-params.ts, closed. Miners and agents check again what reaches them.
import { z } from 'zod';
import { EXECUTION_TASK_NAMES } from '../../../../model/task.ts';
import { isModeOrPreset, PARAMS_FIELDS, POOL_FIELDS, poolList } from '../../../../model/tasks/task-params.ts';
import { givenId } from '../../shared/parameters.ts';
import { closedObject, ofGoodFields } from '../../shared/validation.ts';

const MAX_TARGETS = 1_000;
const ids = z.array(givenId).min(1).max(MAX_TARGETS);

const MAX_EXPIRY_S = 86_400;
const expiry = z.int().min(60).max(MAX_EXPIRY_S).optional().meta({
  description: 'Seconds. What is not begun within them ends as timeout; not given = 900, with a rollout 14400',
});

const rollout = closedObject({
  canary: z.int().min(1).max(MAX_TARGETS).optional().meta({
    description:
      'So many of the miners, as they are listed, go first; the others only when all of these have succeeded',
  }),
  stop_after: z
    .int()
    .min(1)
    .max(MAX_TARGETS)
    .optional()
    .meta({ description: 'Failures after which no more are begun' }),
  stop_after_percent: z.int().min(1).max(100).optional().meta({
    description:
      'The same as a share of the tasks of the batch, rounded up; of two limits the first to be reached counts',
  }),
})
  .refine((limits) => Object.keys(limits).length > 0, {
    ...ofGoodFields,
    error: 'accepted: an object with canary, stop_after or stop_after_percent',
  })
  .meta({
    minProperties: 1,
    description:
      'Each batch for itself, by its agent, whether or not it is connected. Failures and timeouts count, refusals included; what is cancelled does not. When a batch is stopped, what was sent goes on to its proof, what waits ends as cancelled with the reason in its message, and `metadata.stopped` of the batch says so. An agent of a version that cannot do this fails the tasks as unsupported',
  })
  .optional();

const forMiners = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), miner_ids: ids, params, rollout, expires_in_s: expiry });
const forAgents = <N extends string, P extends z.ZodType>(name: N, params: P) =>
  closedObject({ task_name: z.literal(name), agent_ids: ids, params, expires_in_s: expiry });

const paramsOf = <N extends keyof typeof PARAMS_FIELDS>(name: N) => closedObject(PARAMS_FIELDS[name]);

/** One form per execution task name. */
export const orderSchema = z.discriminatedUnion(
  'task_name',
  [
    forMiners('miner.system.reboot', paramsOf('miner.system.reboot').optional()),
    forMiners('miner.log.get', paramsOf('miner.log.get').optional()),
    forMiners('miner.light.update', paramsOf('miner.light.update')),
    forMiners(
      'miner.power_mode.update',
      paramsOf('miner.power_mode.update')
        .refine(isModeOrPreset, { ...ofGoodFields, error: 'accepted: an object with either mode or preset' })
        .meta({ minProperties: 1, maxProperties: 1 }),
    ),
    forMiners(
      'miner.pool.update',
      closedObject({ pools: poolList(closedObject(POOL_FIELDS)).meta({ description: 'The whole list, best first' }) }),
    ),
    forMiners('miner.pool.lock', paramsOf('miner.pool.lock')),
    forMiners('miner.firmware.update', paramsOf('miner.firmware.update')),
    forAgents('agent.scan.create', paramsOf('agent.scan.create').optional()),
    forAgents('agent.self.update', paramsOf('agent.self.update').optional()),
  ],
  {
    error: (issue) => (issue.code === 'invalid_union' ? `accepted: ${EXECUTION_TASK_NAMES.join(', ')}` : undefined),
  },
);

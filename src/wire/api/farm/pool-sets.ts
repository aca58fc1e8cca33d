// Saved sets of pools of v2, and the pools of a `miner.pool.update`: what is asked for, and what is answered, which
// never holds a password.
import { z } from 'zod';
import { kept, REQUESTED_POOL_FIELDS } from '../../../model/pools/requested-pools.ts';
import { actorSchema } from '../../../model/task.ts';
import { poolList } from '../../../model/tasks/task-params.ts';
import { named } from '../components.ts';
import { answerOf } from '../envelope.ts';
import { closedObject } from '../forms.ts';

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/;

export const setName = z
  .string()
  .regex(NAME, { error: 'accepted: 1 to 64 letters, digits, dots, underscores and hyphens, a letter or digit first' })
  .meta({ description: 'Name of a saved set of pools', examples: ['main'] });

export const poolsField = poolList(closedObject(REQUESTED_POOL_FIELDS)).meta({
  description: 'The whole list, best first',
});

export const poolSetBodySchema = closedObject({ pools: poolsField });

export const poolSetSchema = named(
  'PoolSetV2',
  z.strictObject({
    name: z.string(),
    pools: z
      .array(
        z.strictObject({
          url: z.union([z.string(), kept]).meta({ description: 'Without a login that stands in it' }),
          user: z.union([z.string(), kept]).meta({ description: 'The worker, with its braces' }),
          password: z.enum(['given', 'kept', 'usual']).meta({
            description: 'Whether there is one, which no answer shows; usual = `x`',
          }),
        }),
      )
      .nullable()
      .meta({ description: 'null = they cannot be read with the key in use: save them again' }),
    created_by: actorSchema,
    created_at: z.iso.datetime(),
    updated_by: actorSchema.meta({ description: 'Who saved it last' }),
    updated_at: z.iso.datetime(),
  }),
);
export type PoolSetItem = z.infer<typeof poolSetSchema>;

export const removedPoolSetSchema = answerOf(named('RemovedPoolSetV2', z.strictObject({ name: z.string() })));

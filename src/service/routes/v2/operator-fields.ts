// PATCH …/miners/{miner_id}: what operators say of a miner. An extension of the interface.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError } from '../../../base/errors.ts';
import { OPS_STATUSES } from '../../../model/miner.ts';
import { type EditProblem, type OperatorStore, positionSchema, rackSchema } from '../../store/store.ts';
import { invalidRequest } from '../errors.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { anyId } from '../ids.ts';
import { answers, documented, EXTENSION, named } from '../openapi.ts';
import { actorOf } from '../orders.ts';
import type { App } from '../server.ts';
import { closedObject, ofGoodFields } from '../validation.ts';
import { oneOf, V2_FARM } from './envelope.ts';

const opsStatus = z.enum(OPS_STATUSES).nullable();
// Blanks around it do not count, which no length can say.
documented.add(rackSchema, {
  openapi: {
    type: 'string',
    pattern: "^\\s*[^'\\s\\p{Cc}]([^\\p{Cc}]{0,62}[^\\s\\p{Cc}])?\\s*$",
    description: '1 to 64 characters, not beginning with an apostrophe',
  },
});
const rack = rackSchema.nullable();
const position = positionSchema.nullable();

const operatorFieldsSchema = named(
  'MinerOperatorFields',
  z.strictObject({
    id: z.uuid(),
    ops_status: z.string().nullable(),
    rack: z.string().nullable(),
    position: z.int().min(1).nullable(),
  }),
);

const bodySchema = closedObject({
  ops_status: opsStatus.optional(),
  rack: rack.optional().meta({ description: 'null takes the miner out of its rack, and so out of its position' }),
  position: position.optional().meta({ description: 'One miner per position of a rack; needs a rack' }),
})
  .refine((body) => Object.values(body).some((value) => value !== undefined), {
    ...ofGoodFields,
    error: 'received {}, accepted: an object with at least one of ops_status, rack, position',
  })
  .meta({ minProperties: 1 });

export function registerOperatorFields(app: App, operators: Pick<OperatorStore, 'edit'>, clock: Clock): void {
  app.patch(
    `${V2_FARM}/miners/:miner_id`,
    {
      schema: {
        tags: ['miners'],
        operationId: 'updateMinerV2',
        summary: 'Set ops status, rack and position of a miner',
        description: 'What changes is recorded as a task batch of an event type. Fields that are not given stay.',
        ...EXTENSION,
        params: farmParams.extend({ miner_id: anyId }),
        body: bodySchema,
        response: answers(oneOf(operatorFieldsSchema), 409),
      },
    },
    async (request, reply) => {
      const access = accessOf(request);
      const farm = farmOf(access);
      const id = request.params.miner_id;
      const { ops_status, rack: toRack, position: toPosition } = request.body;
      const outcome = await operators.edit({
        workspaceId: farm.workspaceId,
        farmId: farm.id,
        edits: [{ id, opsStatus: ops_status, rack: toRack, position: toPosition }],
        actor: actorOf(access.caller),
        nowMs: clock.nowMs(),
      });
      const problem = outcome.kind === 'refused' ? outcome.problems[0] : undefined;
      if (problem !== undefined) throw toRefusal(problem);
      const values = outcome.kind === 'done' ? outcome.values.get(id) : undefined;
      if (values === undefined) throw new RefusedError('request.not-found', 'Resource not found');
      const data = { id, ops_status: values.opsStatus, rack: values.rack, position: values.position };
      return reply.send({ success: true, data, error: null });
    },
  );
}

function toRefusal(problem: EditProblem): RefusedError {
  switch (problem.reason) {
    case 'not-found':
      return new RefusedError('request.not-found', 'Resource not found');
    case 'no-rack':
      return invalidRequest('position: a position needs a rack');
    case 'taken':
      return new RefusedError('request.conflict', `This position of the rack is taken by the miner ${problem.by}`);
  }
}

// PATCH …/miners/{miner_id}: what operators set of a miner. An extension of the interface.
import { RefusedError } from '../../../base/errors.ts';
import { EXTENSION } from '../../../wire/api/components.ts';
import { answerOf } from '../../../wire/api/envelope.ts';
import { locationNameSchema } from '../../../wire/api/farm/locations.ts';
import { anyId } from '../../../wire/api/forms.ts';
import { operatorEditSchema, operatorFieldsSchema } from '../../../wire/api/miners.ts';
import { notFound } from '../../auth/authorise.ts';
import { V2_FARM } from '../../auth/rules.data.ts';
import { wordsOf } from '../../locations/words.ts';
import type { EditProblem } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { documented } from '../openapi/documented.ts';
import { answers } from '../openapi.ts';
import type { App, RouteParts } from '../server.ts';
import { good } from '../shared/envelope.ts';
import { invalidRequest } from '../shared/errors.ts';

// Blanks around it do not count, which no length can express.
documented.add(locationNameSchema, {
  openapi: {
    type: 'string',
    minLength: 1,
    description: '1 to 64 characters that can be seen, not beginning with an apostrophe; blanks around it do not count',
  },
});

export function registerOperatorFields(app: App, { store, clock }: RouteParts): void {
  app.route({
    method: 'PATCH',
    url: `${V2_FARM}/miners/:miner_id`,
    schema: {
      tags: ['miners'],
      operationId: 'updateMinerV2',
      summary: 'Set ops status, rack and position of a miner',
      description: 'What changes is recorded as a task batch of an event type. Fields that are not given stay.',
      ...EXTENSION,
      params: farmParams.extend({ miner_id: anyId }),
      body: operatorEditSchema,
      response: answers(answerOf(operatorFieldsSchema), 409),
    },
    handler: async (request) => {
      const { id: farmId, workspaceId } = farmOf(request);
      const id = request.params.miner_id;
      const { ops_status: opsStatus, rack, position } = request.body;
      const edits = [{ id, opsStatus, rack, position }];
      const actor = accessOf(request).caller.actor;
      const outcome = await store.operators.edit({ workspaceId, farmId, edits, actor, nowMs: clock.nowMs() });
      const problem = outcome.kind === 'refused' ? outcome.problems[0] : undefined;
      if (problem !== undefined) throw toRefusal(problem);
      const values = outcome.kind === 'done' ? outcome.values.get(id) : undefined;
      if (values === undefined) throw notFound();
      return good({ id, ops_status: values.opsStatus, rack: values.rack, position: values.position });
    },
  });
}

function toRefusal(problem: EditProblem): RefusedError {
  switch (problem.reason) {
    case 'not-found':
      return notFound();
    case 'no-rack':
    case 'beyond':
      return invalidRequest(`position: ${wordsOf(problem)}`);
    case 'taken':
      return new RefusedError('request.conflict', `Nothing was changed: ${wordsOf(problem)}`);
  }
}

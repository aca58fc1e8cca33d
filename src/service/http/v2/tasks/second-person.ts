// POST …/task-batches/…/confirm: a second person says yes to what another one has ordered. An extension of the
// interface.
import { RefusedError } from '../../../../base/errors.ts';
import { taskKindOf } from '../../../../model/task.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf } from '../../../../wire/api/envelope.ts';
import { batchDetailSchema } from '../../../../wire/api/tasks.ts';
import { type Caller, notFound, requirePermission } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { accessOf, farmOf } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good } from '../../shared/envelope.ts';
import { batchParams, toDetail } from './batches.ts';

export function registerSecondPerson(app: App, { store: { batchDetail }, clock, deliver }: RouteParts): void {
  app.route({
    method: 'POST',
    url: `${V2_FARM}/task-batches/:task_batch_id/confirm`,
    onRequest: allowNoBody,
    schema: {
      ...EXTENSION,
      tags: ['tasks'],
      operationId: 'confirmTaskBatchV2',
      summary: 'Confirm a task batch as the second person',
      description:
        'For batches that wait for a second person, which the setting `people.secondPerson` of the service asks for. Who confirms is a person, another one than who ordered the tasks, and may order such tasks. The tasks are sent then.',
      params: batchParams,
      response: answers(answerOf(batchDetailSchema), 409),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const id = request.params.task_batch_id;
      const access = accessOf(request);
      const ordered = await batchDetail.find(farmId, id);
      if (ordered === undefined) throw notFound();
      const kind = taskKindOf(ordered.name);
      if (kind !== undefined) requirePermission(access, kind.permission);
      requirePerson(access.caller);
      const agentIds = await batchDetail.confirm(farmId, id, access.caller.actor, clock.nowMs());
      for (const agentId of agentIds ?? []) await deliver(agentId);
      const batch = await batchDetail.find(farmId, id);
      if (batch === undefined) throw notFound();
      return good(toDetail(batch, clock.nowMs()));
    },
  });
}

/** Throws RefusedError for keys and users of the host: who has ordered the tasks may be behind them too. */
function requirePerson({ person }: Caller): void {
  if (person !== undefined) return;
  throw new RefusedError('people.second-person', 'Confirm the tasks: a person does that who has logged in on the page');
}

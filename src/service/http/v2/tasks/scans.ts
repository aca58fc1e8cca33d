// GET …/scans/{task_id}/addresses: what a scan task found at each address. An extension of the interface.
import { z } from 'zod';
import { CONTACT_STATUSES } from '../../../../model/contact.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { listOf } from '../../../../wire/api/envelope.ts';
import { anyId } from '../../../../wire/api/forms.ts';
import { scannedSchema } from '../../../../wire/api/tasks.ts';
import { notFound } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import { farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { toIso } from '../../shared/envelope.ts';
import { list, oneOf } from '../../shared/parameters.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';

export function registerScans(app: App, { store }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V2_FARM}/scans/:task_id/addresses`,
    schema: {
      ...EXTENSION,
      tags: ['tasks'],
      operationId: 'listScannedAddressesV2',
      summary: 'What a scan found at each address',
      description:
        'In the order of addresses, while the scan runs too. The id is that of a task agent.scan.create. Addresses that are silent are only counted, in the evidence of the task. Kept for 30 days.',
      params: farmParams.extend({ task_id: anyId }),
      querystring: z.object({
        ...pageShape,
        status: list('what the scan found there', oneOf(CONTACT_STATUSES), { enum: CONTACT_STATUSES }),
      }),
      response: answers(listOf(scannedSchema)),
    },
    handler: async (request) => {
      const { status: statuses } = request.query;
      const { task_id: taskId } = request.params;
      const query = { farmId: farmOf(request).id, taskId, statuses, window: windowOf(request.query) };
      const found = await store.scanned.list(query);
      if (found === undefined) throw notFound();
      const items = found.addresses.map(({ atMs, minerId, isNew, ...address }) => ({
        ...{ ...address, found_at: toIso(atMs), miner_id: minerId, is_new: isNew },
      }));
      return goodList(items, request.query, found.total);
    },
  });
}

// GET …/miner/latest: the newest state of the miners of a farm.
import { z } from 'zod';
import { minerV1Schema } from '../../../model/miner.ts';
import { V1_FARM } from '../../auth/rules.data.ts';
import type { Farm, Item } from '../../store/store.ts';
import { farmOf, farmParams } from '../guard.ts';
import { answers } from '../openapi.ts';
import { sendPage } from '../pages/send-page.ts';
import type { App, RouteParts } from '../server.ts';
import { SERVICE_FIELDS } from '../shared/fields.ts';
import { minerFilterShape, toMinerFilter } from '../shared/miner-parameters.ts';
import { toWindow } from '../shared/parameters.ts';
import { listOf, pageShape } from './envelope.ts';

/** Of a miner that reports no mode: the interface requires a text. */
const SHOWN_MODE = 'normal';

export function registerMiners(app: App, { pages, clock }: RouteParts): void {
  app.route({
    method: 'GET',
    url: `${V1_FARM}/miner/latest`,
    schema: {
      tags: ['miners'],
      operationId: 'listMiners',
      summary: 'Latest status of the miners of a farm',
      params: farmParams,
      querystring: z.object({ ...pageShape('Miners'), ...minerFilterShape }),
      response: answers(listOf(minerV1Schema)),
    },
    handler: (request, reply) => {
      const window = toWindow(request.query.page, request.query.pageSize);
      const farm = farmOf(request);
      const filter = { ...toMinerFilter(request.query), shownMode: SHOWN_MODE };
      return sendPage(pages, request, reply, {
        ...{ version: 'v1', page: window, nowMs: clock.nowMs() },
        ...{ list: 'miners', query: { farmId: farm.id, filter, window, item: minerItem(farm) } },
      });
    },
  });
}

/**
 * A miner of this farm (schema: minerV1Schema): the stored document, with what only the service knows put in front of
 * it.
 */
export function minerItem(farm: Farm): Item {
  const farmPart = `"farm_id":${JSON.stringify(farm.id)},"farm":${JSON.stringify({ id: farm.id, name: farm.name })},"workspace_id":${JSON.stringify(farm.workspaceId)}`;
  const document = { membersOf: 'document', replace: ['"mining_mode":null', `"mining_mode":"${SHOWN_MODE}"`] } as const;
  return [`{${farmPart},"stale":`, { value: 'stale' }, ',', ...SERVICE_FIELDS, ',', document, '}'];
}

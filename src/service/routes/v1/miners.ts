// GET …/miner/latest: the newest state of the miners of a farm.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { minerV1Schema } from '../../../model/miner.ts';
import type { MinerStore } from '../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../guard.ts';
import { minerFilterShape, toMinerFilter } from '../miner-parameters.ts';
import { answers } from '../openapi.ts';
import { sendPage, writePage } from '../page-answer.ts';
import type { PageCache } from '../page-cache.ts';
import { wholeNumber } from '../parameters.ts';
import type { App } from '../server.ts';
import { toWindow } from '../window.ts';
import { listOf, paginate } from './envelope.ts';
import { minerItem } from './miner-row.ts';

const minerQuerySchema = z.object({
  page: wholeNumber({ min: 1, fallback: 1, description: 'Pages count from 1' }),
  pageSize: wholeNumber({ min: 1, max: 10_000, fallback: 10, description: 'Miners per page' }),
  ...minerFilterShape,
});

export function registerMiners(
  app: App,
  { miners, pages, clock }: { readonly miners: MinerStore; readonly pages: PageCache; readonly clock: Clock },
): void {
  app.get(
    '/private-api/v1/:workspace_id/farms/:farm_id/miner/latest',
    {
      schema: {
        tags: ['miners'],
        operationId: 'listMiners',
        summary: 'Latest status of the miners of a farm',
        params: farmParams,
        querystring: minerQuerySchema,
        response: answers(listOf(minerV1Schema)),
      },
    },
    async (request, reply) => {
      const farm = farmOf(accessOf(request));
      const { page, pageSize } = request.query;
      const window = toWindow(page, pageSize);
      const filter = toMinerFilter(request.query);
      const make = async () => {
        const nowMs = clock.nowMs();
        const item = minerItem(farm);
        const { items, total } = await miners.list({ farmId: farm.id, filter, window, item, nowMs });
        return writePage(items, paginate(window, total));
      };
      return sendPage(pages, request, reply, { size: pageSize, key: ['v1', farm.id, window, filter], make });
    },
  );
}

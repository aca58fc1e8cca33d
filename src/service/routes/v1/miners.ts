// GET …/miner/latest: the newest state of the miners of a farm.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { minerV1Schema } from '../../../model/miner.ts';
import type { MinerStore } from '../../store/store.ts';
import { accessOf, farmOf } from '../guard.ts';
import { answers } from '../openapi.ts';
import type { App } from '../server.ts';
import { listOf, paginate, toWindow } from './envelope.ts';
import { minerQuerySchema, toMinerFilter } from './miner-parameters.ts';
import { writeMinerRows } from './miner-row.ts';

export const farmParams = z.object({ workspace_id: z.string(), farm_id: z.string() });

export function registerMiners(app: App, miners: MinerStore, clock: Clock): void {
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
      const nowMs = clock.nowMs();
      const { rows, total } = await miners.list({
        farmId: farm.id,
        filter: toMinerFilter(request.query),
        window,
        nowMs,
      });
      const pagination = JSON.stringify(paginate(window, total));
      return reply
        .type('application/json; charset=utf-8')
        .send(`{"success":true,"data":[${writeMinerRows(farm, rows, nowMs)}],"pagination":${pagination},"error":null}`);
    },
  );
}

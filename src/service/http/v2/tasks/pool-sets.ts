// …/pool-sets: pools under a name, for those who may give miners these and no others. An extension of the interface.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { isKept, type RequestedPools } from '../../../../model/pools/requested-pools.ts';
import { shownParams } from '../../../../model/task.ts';
import { SAVED_POOLS_PERMISSION } from '../../../../model/tasks/task-kinds.data.ts';
import { EXTENSION } from '../../../../wire/api/components.ts';
import { answerOf, listOf } from '../../../../wire/api/envelope.ts';
import {
  type PoolSetItem,
  poolSetBodySchema,
  poolSetSchema,
  removedPoolSetSchema,
  setName,
} from '../../../../wire/api/farm/pool-sets.ts';
import { show } from '../../../../wire/api/forms.ts';
import { notFound, requirePermission } from '../../../auth/authorise.ts';
import { V2_FARM } from '../../../auth/rules.data.ts';
import type { PoolSet, ServiceAct, Store } from '../../../store/store.ts';
import { accessOf, farmOf, farmParams } from '../../guard.ts';
import { answers } from '../../openapi.ts';
import type { App, RouteParts } from '../../server.ts';
import { allowNoBody } from '../../shared/body.ts';
import { good, toIso } from '../../shared/envelope.ts';
import { invalidRequest } from '../../shared/errors.ts';
import { goodList, pageShape, windowOf } from '../envelope.ts';

const V2_POOL_SETS = `${V2_FARM}/pool-sets`;
const V2_POOL_SET = `${V2_POOL_SETS}/:name`;
/** Any text, which then finds something or nothing. */
const setParams = farmParams.extend({ name: z.string() });

export function registerPoolSets(app: App, parts: RouteParts): void {
  const { store } = parts;
  const described = { ...EXTENSION, tags: ['tasks'], params: setParams };
  app.route({
    method: 'GET',
    url: V2_POOL_SETS,
    schema: {
      ...described,
      operationId: 'listPoolSetsV2',
      summary: 'Saved sets of pools of a farm, by name',
      params: farmParams,
      querystring: z.object(pageShape),
      response: answers(listOf(poolSetSchema)),
    },
    handler: async (request) => {
      const all = await store.poolSets.list(farmOf(request).id);
      const { offset, limit } = windowOf(request.query);
      return goodList(all.slice(offset, offset + limit).map(toItem), request.query, all.length);
    },
  });
  app.route({
    method: 'GET',
    url: V2_POOL_SET,
    schema: {
      ...described,
      operationId: 'getPoolSetV2',
      summary: 'A saved set of pools, without its passwords',
      response: answers(answerOf(poolSetSchema)),
    },
    handler: async (request) => {
      const found = await store.poolSets.find(farmOf(request).id, request.params.name);
      if (found === undefined) throw notFound();
      return good(toItem(found));
    },
  });
  registerChanges(app, parts, described);
}

function registerChanges(
  app: App,
  { store, clock }: RouteParts,
  described: typeof EXTENSION & { tags: string[]; params: typeof setParams },
): void {
  const actOf = (request: FastifyRequest) => {
    const { caller, workspaceId } = accessOf(request);
    return { actor: caller.actor, workspaceId, atMs: clock.nowMs() };
  };
  const subjectOf = (farm: string, pool_set: string): Pick<ServiceAct, 'subject'> => ({ subject: { farm, pool_set } });
  app.route({
    method: 'PUT',
    url: V2_POOL_SET,
    schema: {
      ...described,
      operationId: 'savePoolSetV2',
      summary: 'Save a set of pools under a name',
      description:
        'Takes the place of the whole set of that name, its passwords too: what is not given is not kept. A farm may have 100.',
      params: farmParams.extend({ name: setName }),
      body: poolSetBodySchema,
      response: answers(answerOf(poolSetSchema), 409),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const { name } = request.params;
      const { pools } = request.body;
      const act = actOf(request);
      const saved = await store.audited(
        () => ({ action: 'pool_set.saved', ...act, ...subjectOf(farmId, name), detail: shownParams({ pools }) }),
        ({ poolSets }) => poolSets.save({ farmId, name, pools, actor: act.actor, nowMs: act.atMs }),
      );
      return good(toItem(saved));
    },
  });
  app.route({
    method: 'DELETE',
    url: V2_POOL_SET,
    onRequest: allowNoBody,
    schema: {
      ...described,
      operationId: 'removePoolSetV2',
      summary: 'Remove a saved set of pools',
      description: 'Miners that have its pools keep them.',
      response: answers(removedPoolSetSchema),
    },
    handler: async (request) => {
      const { id: farmId } = farmOf(request);
      const { name } = request.params;
      const isRemoved = await store.audited(
        () => ({ action: 'pool_set.removed', ...actOf(request), ...subjectOf(farmId, name) }),
        ({ poolSets }) => poolSets.remove(farmId, name),
      );
      if (!isRemoved) throw notFound();
      return good({ name });
    },
  });
}

/** What a batch has of the params of an update of pools: those of the set, where it names one and may be used. */
export async function poolParamsOf(
  request: FastifyRequest,
  { poolSets }: Pick<Store, 'poolSets'>,
  sent: { readonly pools?: RequestedPools | undefined; readonly pool_set?: string | undefined },
) {
  const { pool_set: name, pools } = sent;
  if (name === undefined) return { params: { pools }, pools };
  requirePermission(accessOf(request), SAVED_POOLS_PERMISSION);
  const { id: farmId } = farmOf(request);
  const found = await poolSets.find(farmId, name);
  const at = `body.params.pool_set: received ${show(name)}`;
  if (found === undefined) {
    const names = (await poolSets.list(farmId)).map((set) => set.name);
    throw invalidRequest(`${at}, accepted: ${names.length === 0 ? 'none, the farm has no set' : names.join(', ')}`);
  }
  if (found.pools === undefined)
    throw invalidRequest(`${at}, which cannot be read with the key in use: save the set again`);
  return { params: { pool_set: name, pools: found.pools }, pools: found.pools, sentParams: { pool_set: name } };
}

function toItem({ name, pools, ...set }: PoolSet): PoolSetItem {
  return {
    name,
    pools: pools === undefined ? null : pools.map(toPool),
    created_by: set.createdBy,
    created_at: toIso(set.createdAtMs),
    updated_by: set.updatedBy,
    updated_at: toIso(set.updatedAtMs),
  };
}

function toPool({ url, user, password }: RequestedPools[number]): NonNullable<PoolSetItem['pools']>[number] {
  return {
    url: isKept(url) ? url : withoutSecrets(url),
    user,
    password: password === undefined ? 'usual' : isKept(password) ? 'kept' : 'given',
  };
}

const withoutSecrets = (url: string): string => String(shownParams({ url }).url);

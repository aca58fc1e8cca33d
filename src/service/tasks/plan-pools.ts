// The part of a plan that is about pools: each miner must have what its workers are made of, its task gets the location
// that only the service knows, and a few workers are shown. Pure.
import { REFUSALS } from '../../base/error-codes.data.ts';
import { RefusedError } from '../../base/errors.ts';
import { needsLocation, type RequestedPools } from '../../model/pools/requested-pools.ts';
import { lackingText, type PreviewedWorker, previewWorkers } from '../../model/pools/resolve-pools.ts';
import type { TaskCandidate } from '../store/store.ts';
import type { Plan } from './plan.ts';

/** Throws RefusedError that names the miners which lack something: then no task of the request is created. */
export function planPools(
  plan: Plan,
  pools: RequestedPools,
  candidates: readonly TaskCandidate[],
): Plan & { readonly poolsPreview: readonly PreviewedWorker[] } {
  const known = new Map(candidates.map(({ rowId, poolFacts }) => [rowId, poolFacts]));
  const chosen = plan.batches.flatMap(({ tasks }) => tasks.flatMap(({ rowId }) => known.get(rowId) ?? []));
  const lacking = lackingText(pools, chosen);
  if (lacking !== undefined)
    throw new RefusedError('request.invalid', `${REFUSALS['request.invalid'].text}: body.params.pools: ${lacking}`);
  const locationOf = (rowId: number) => {
    const { rack = null, position = null } = known.get(rowId) ?? {};
    return { location: { rack, position } };
  };
  const batches = plan.batches.map((batch) => ({
    ...batch,
    tasks: batch.tasks.map((task) => ({ ...task, params: locationOf(task.rowId) })),
  }));
  return {
    ...plan,
    ...(needsLocation(pools) ? { batches } : {}),
    poolsPreview: previewWorkers(pools, chosen),
  };
}

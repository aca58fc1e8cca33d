// The params of a task as one miner gets them: workers filled in, kept parts of its pools taken over. It looks at the
// miner where that depends on what it shows; it changes nothing.
import { PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import {
  locationSchema,
  needsPools,
  type PoolLocation,
  requestedPoolsSchema,
} from '../../../model/pools/requested-pools.ts';
import { type PoolFacts, resolvePools } from '../../../model/pools/resolve-pools.ts';
import { driverAbilityOf } from '../../../model/task.ts';
import { failed, type TaskOutcome } from '../contract.ts';
import { shownPools } from '../pool-facts.ts';
import type { StoredTask } from '../stored-task.ts';
import type { Controls, ExecutionParts } from './execution.ts';
import { checkTask } from './plan.ts';
import { observeWithin } from './proof/look.ts';

/** The same params where there is nothing to fill in; an outcome = nothing may be sent. Throws when `signal` aborts. */
export async function fillParams(
  parts: ExecutionParts,
  task: StoredTask,
  controls: Pick<Controls, 'isExpired'>,
  signal: AbortSignal,
): Promise<{ readonly given: StoredTask['params'] } | TaskOutcome> {
  const { pools, location, ...others } = task.params;
  if (driverAbilityOf(task.name) !== 'pools') return { given: task.params };
  const allowed = checkTask(parts, task, controls);
  if ('status' in allowed) return allowed;
  const requested = requestedPoolsSchema.safeParse(pools).data;
  if (requested === undefined) return failed(`refused: the params do not fit ${task.name}`);
  const shown = needsPools(requested) ? await lookAtPools(parts, task, signal) : undefined;
  if (shown !== undefined && 'status' in shown) return shown;
  const known = parts.deps.poolFacts?.(task.minerKey) ?? { ip: allowed.ip, shown: [], set: undefined };
  const facts = { ...known, ...placeOf(location), shown: shown?.pools ?? known.shown };
  const resolved = resolvePools(requested, facts);
  if ('lacks' in resolved) return failed(`refused: the miner has ${resolved.lacks.join(', ')}; nothing was sent`);
  return { given: { ...others, pools: resolved.pools } };
}

/** As the service gives it. */
export function placeOf(location: unknown): Pick<PoolFacts, 'rack' | 'position'> {
  const { rack, position }: PoolLocation = locationSchema.safeParse(location).data ?? {};
  return { rack: rack ?? undefined, position: position ?? undefined };
}

/** A busy device may leave out its pools once. */
const LOOKS = 3;
const PAUSE_MS = 2_000;

async function lookAtPools(
  parts: ExecutionParts,
  { minerKey }: StoredTask,
  signal: AbortSignal,
): Promise<{ readonly pools: PoolFacts['shown'] } | TaskOutcome> {
  let why = 'it was asked, and did not show them';
  for (let look = 1; look <= LOOKS; look++) {
    if (look > 1) await parts.clock.sleep(PAUSE_MS, signal);
    try {
      const { pools } = await observeWithin(parts, minerKey, signal, true);
      if (pools !== undefined) return { pools: shownPools({ pools }) };
    } catch (error) {
      if (signal.aborted) throw error;
      if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
      if (!(error instanceof PeerError)) throw error;
      why = renderError(error);
    }
  }
  return failed(`the pools of the miner are not known (${why}), and what it gets depends on them; nothing was sent`);
}

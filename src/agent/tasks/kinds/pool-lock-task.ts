// `miner.pool.lock`: from now on the agent keeps the pools that the miner has, or no longer. Only pools that an update
// of the agent set can be locked, because no miner shows the passwords that setting them again would need.
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { PeerError, RefusedError, renderError } from '../../../base/errors.ts';
import { withDeadline } from '../../../base/time/deadline.ts';
import { withoutLogin } from '../../../model/plain-text.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import type { PoolGuard } from '../../pool-lock/guard.ts';
import { type AgentTask, cancelled, failed, succeeded } from '../contract.ts';

const CONCURRENCY = 20;
const paramsSchema = z.object(PARAMS_FIELDS['miner.pool.lock']);

export function createPoolLockTask(parts: {
  readonly clock: Clock;
  readonly guard: PoolGuard;
  /** For one look at the miner, ms. */
  readonly observeMs: () => number;
}): AgentTask {
  const { clock, guard } = parts;
  return {
    concurrency: CONCURRENCY,
    async run({ minerKey, params }, signal, { find, mayReach, observe }) {
      const wanted = paramsSchema.safeParse(params);
      if (!wanted.success) return failed('refused: the params do not fit miner.pool.lock');
      const target = find(minerKey);
      if (target === undefined) return failed('this agent does not know the miner');
      const { pools: ability } = target.abilities;
      if (ability?.shows === undefined)
        return failed(`unsupported: driver ${target.driverId} cannot do miner.pool.lock`);
      if (!wanted.data.locked) {
        const wasLocked = guard.unlock(minerKey);
        return succeeded(wasLocked ? null : 'the pools were not locked', { locked: false });
      }
      if (!mayReach(target.ip)) return failed(`refused: ${target.ip} is outside the networks configured here`);
      const desired = guard.desiredFor(minerKey);
      if (desired === undefined) {
        return failed(
          'refused: this agent has not set the pools of the miner, so it lacks their passwords; set them with miner.pool.update, then lock them',
        );
      }
      try {
        const onDeadline = () => new PeerError('peer.timeout', `look at the pools of ${target.ip}`, 'soon');
        const bounds = { deadlineMs: parts.observeMs(), signal, onDeadline };
        const reading = await withDeadline(clock, bounds, (within) => observe(minerKey, within, true));
        const shown = await ability.shows(reading, { pools: desired.pools });
        if (shown === undefined) return failed('refused: the miner does not show its pools, so they cannot be watched');
        if (!shown) {
          return failed(
            'refused: the miner has other pools than the last miner.pool.update set; set them again, then lock them',
          );
        }
      } catch (error) {
        if (signal.aborted) return cancelled('cancelled before it was locked');
        if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
        if (error instanceof PeerError) return failed(`the miner does not answer (${renderError(error)})`);
        throw error;
      }
      guard.lock(minerKey);
      return succeeded(null, {
        locked: true,
        pools: desired.pools.map(({ url, user }) => ({ url: withoutLogin(url), user })),
      });
    },
  };
}

// The guard of locked pools waits between attempts, and no longer and no shorter because the wall clock was set.
import { expect, test } from 'vitest';
import { openDesiredPools, poolLockMigrations } from '../../../../src/agent/pool-lock/desired-pools.ts';
import { PoolGuard } from '../../../../src/agent/pool-lock/guard.ts';
import { silentLog } from '../../../../src/base/log.ts';
import { openSqlite } from '../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

const HOUR_MS = 3_600_000;
const POOLS = [{ url: 'stratum+tcp://ours.example:3333', user: 'farm.1' }];

test.each([-24 * HOUR_MS, -HOUR_MS, HOUR_MS, 24 * HOUR_MS])('a step of %i ms', async (stepMs) => {
  const db = openSqlite(':memory:', [poolLockMigrations]);
  const clock = createVirtualClock();
  let attempts = 0;
  const guard = new PoolGuard({
    clock,
    log: silentLog,
    settings: () => ({ tries: 3, dailyCap: 6, retryS: 60 }),
    desiredPools: openDesiredPools(db),
    shows: () => false,
    refusal: () => undefined,
    isBusy: () => false,
    updatesSince: (_key, sinceMs) => {
      expect(sinceMs).toBe(clock.elapsedMs() - 24 * HOUR_MS);
      return attempts;
    },
    async update() {
      attempts++;
      return { status: 'failed', message: null };
    },
    audit() {},
  });
  const poll = async () => {
    guard.onReading('a', {});
    guard.onReading('a', {});
    await clock.settle();
  };
  guard.setDesired('a', POOLS);
  guard.lock('a');
  await poll();
  expect(attempts).toBe(1);
  clock.stepWall(stepMs);
  await clock.advance(50_000);
  await poll();
  expect(attempts).toBe(1);
  await clock.advance(11_000);
  await poll();
  expect(attempts).toBe(2);
  db.close();
});

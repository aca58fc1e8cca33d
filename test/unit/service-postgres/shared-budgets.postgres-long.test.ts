// Two copies of the service on one database: what a workspace spends on one is missing on the other, soon and once.
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/base/clock.ts';
import { DEFAULT_LIMITS } from '../../../src/service/http/server.ts';
import { startRig } from '../service-http/rig.ts';

const POINTS = 300;
/** Longer than copies take to report; five points come back in a second. */
const SOON_MS = 10_000;
const BACK_MS = 1_000;

test('what a workspace spends on one copy is missing on the other', async () => {
  const limits = { ...DEFAULT_LIMITS, rates: { ...DEFAULT_LIMITS.rates, perWorkspace: POINTS } };
  const first = await startRig({ limits });
  const second = await startRig({ limits, databasePath: first.databasePath });
  const leftAt = async (rig: typeof first) => {
    const { headers } = await rig.get(first.farm('/miner/latest'), { 'x-api-key': first.key });
    return Number(/;r=(\d+)/.exec(headers.get('ratelimit') ?? '')?.[1]);
  };
  expect(await leftAt(second)).toBe(POINTS - 1);
  for (let n = 0; n < 150; n++) await leftAt(first);
  const spentAtFirst = POINTS - (await leftAt(first));
  let left = POINTS;
  for (const endMs = performance.now() + SOON_MS; left > POINTS - spentAtFirst + 40 && performance.now() < endMs; ) {
    await systemClock.sleep(BACK_MS);
    left = await leftAt(second);
  }
  expect(left).toBeLessThanOrEqual(POINTS - spentAtFirst + 40);
  expect(left, 'it counts once').toBeGreaterThan(POINTS - 2 * spentAtFirst);
});

// A miner counts as live since it was seen, not since the wall clock says so: else a step back makes the dead live for
// as long as the step.
import { expect, test } from 'vitest';
import { MinerRegistry } from '../../../../../src/agent/fleet/identity/miner-registry.ts';
import { identityMigrations } from '../../../../../src/agent/fleet/identity/storage/store.ts';
import { openSqlite } from '../../../../../src/base/storage/sqlite.ts';
import { createVirtualClock } from '../../../../support/virtual-clock.ts';
import { MAC } from './fixture.ts';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;

test.each([-24 * HOUR_MS, -HOUR_MS, HOUR_MS, 24 * HOUR_MS])(
  'after a step of %i ms a twin that is gone is live for a quarter of an hour',
  async (stepMs) => {
    const db = openSqlite(':memory:', [identityMigrations]);
    const clock = createVirtualClock();
    let keys = 0;
    const open = () => new MinerRegistry(db, { clock, newKey: () => `key-${++keys}` });
    let registry = open();
    const see = (ip: string, serialNumber: string) => {
      const sighting = { ip, driverId: 'antminer-stock', at: clock.nowMs(), mac: MAC.a, serialNumber };
      const seen = registry.observe(sighting, { old: 'itself', isExpectedBack: false });
      return seen.kind === 'resolved' ? seen.key : undefined;
    };
    const key = see('10.0.0.1', 'SERIAL0001') ?? '';
    see('10.0.0.2', 'SERIAL0002');
    expect(registry.states(key)?.mac).toBe('duplicate');
    clock.stepWall(stepMs);
    for (let minute = 0; minute < 14; minute++) {
      await clock.advance(MINUTE_MS);
      see('10.0.0.1', 'SERIAL0001');
      expect(registry.states(key)?.mac).toBe('duplicate');
    }
    await clock.advance(2 * MINUTE_MS);
    see('10.0.0.1', 'SERIAL0001');
    expect(registry.states(key)?.mac).toBe('ok');
    registry.flush();
    // What lies on disk with a time after now is not live for ever either.
    registry = open();
    await clock.advance(16 * MINUTE_MS);
    see('10.0.0.1', 'SERIAL0001');
    expect(registry.states(key)?.mac).toBe('ok');
  },
);

test('a miner that was known for a day is not forgotten as one of a moment because the clock was set back a month', async () => {
  const db = openSqlite(':memory:', [identityMigrations]);
  const clock = createVirtualClock();
  const registry = new MinerRegistry(db, { clock, newKey: () => 'key' });
  const see = () => {
    const shown = { ip: '10.0.0.1', mac: MAC.a, serialNumber: 'SERIAL0001' };
    return registry.observe({ ...shown, driverId: 'antminer-stock', at: clock.nowMs() });
  };
  see();
  await clock.advance(24 * HOUR_MS);
  see();
  clock.stepWall(-30 * 24 * HOUR_MS);
  see();
  await clock.advance(8 * 24 * HOUR_MS);
  expect(registry.prune()).toEqual([]);
});

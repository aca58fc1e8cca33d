// A copy of the service whose clock is wrong: it says so, and changes nothing that the others wrote.
import { randomUUID } from 'node:crypto';
import { expect, test } from 'vitest';
import { query } from '../service-http/database.ts';
import { minerRecord } from '../service-http/records.ts';
import { recordingLog, startRig, steppedClock } from '../service-http/rig.ts';
import { connect } from '../service-http/wire-agent.ts';

const HOUR_MS = 3_600_000;

test.each([2 * HOUR_MS, -2 * HOUR_MS])(
  'a copy whose clock is off by %i ms, from its start and while it runs',
  async (offMs) => {
    const rig = await startRig();
    const agent = await connect(rig, { outbox: randomUUID() });
    await agent.report([minerRecord(1, rig.clock.nowMs())]);
    const stored = () =>
      query(rig, 'SELECT stale_at, reported_at, created_at, (SELECT count(*) FROM history_cells) AS cells FROM miners');
    const before = await stored();
    const clock = steppedClock();
    clock.set(offMs);
    const log = recordingLog();
    const copy = await startRig({ databasePath: rig.databasePath, clock, log });
    const said = () => log.lines.filter(({ message }) => message.includes('differs from that of the database'));
    await expect.poll(() => said().length).toBe(1);
    expect(Math.round(Number(said()[0]?.fields.aheadMs) / 60_000)).toBe(Math.round(offMs / 60_000));
    clock.set(-2 * offMs);
    const figures = async () => (await fetch(`${copy.url}/metrics`)).text();
    await expect.poll(figures).toContain(`pithead_clock_steps_total{direction="${offMs > 0 ? 'back' : 'forward'}"} 1`);
    expect(await figures()).toMatch(/pithead_database_clock_difference_seconds -?7\d{3}\.?/);
    expect(await stored()).toEqual(before);
    const { body } = await rig.get(rig.farm('/miner/latest'));
    expect(body.data[0].status).toBe('online');
  },
);

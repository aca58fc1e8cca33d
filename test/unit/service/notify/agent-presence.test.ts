// When agents that are not heard count as offline: not right after a start, after a pause of the process or after the
// database was away.
import { expect, test } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import { createAgentPresence } from '../../../../src/service/notify/agent-presence.ts';
import { createVirtualClock } from '../../../support/virtual-clock.ts';

async function started() {
  const clock = createVirtualClock();
  const began = clock.elapsedMs();
  const looks: number[] = [];
  const database = { isAway: false };
  const check = async () => {
    if (database.isAway) throw new Error('the database is away');
  };
  const notePresence = async () => {
    await check();
    looks.push(clock.elapsedMs() - began);
    return 0;
  };
  const presence = createAgentPresence({ events: { notePresence }, check, clock, log: silentLog });
  presence.start();
  await clock.settle();
  return { clock, looks, database, stop: presence.stop };
}

test('agents have time to come back after a start; then it looks four times a minute', async () => {
  const { clock, looks, stop } = await started();
  await clock.advance(149_000);
  expect(looks).toEqual([]);
  await clock.advance(61_000);
  expect(looks).toEqual([150_000, 165_000, 180_000, 195_000, 210_000]);
  await stop();
});

test('after the host has slept, and after the database was away, they have it again', async () => {
  const { clock, looks, database, stop } = await started();
  await clock.advance(160_000);
  expect(looks).toEqual([150_000]);
  clock.suspend(600_000);
  await clock.advance(150_000);
  expect(looks).toEqual([150_000]);
  await clock.advance(10_000);
  expect(looks).toHaveLength(2);
  database.isAway = true;
  await clock.advance(60_000);
  database.isAway = false;
  await clock.advance(140_000);
  expect(looks).toHaveLength(2);
  await clock.advance(40_000);
  expect(looks.length).toBeGreaterThan(2);
  await stop();
});

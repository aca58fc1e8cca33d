// The time that the database keeps, by which copies of the service know whether a step of the clock was carried over.
import { expect, onTestFinished, test } from 'vitest';
import { openStore } from '../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../support/database.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;

async function openClock() {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  await store.clock.keepTime(NOW_MS, 0, true);
  return store.clock;
}

test('a copy that stood still does not take back the time that others have kept', async () => {
  const clock = await openClock();
  await clock.keepTime(NOW_MS + 2 * HOUR_MS, 2 * HOUR_MS, true);
  await clock.keepTime(NOW_MS + 1_000, 1_000, true);
  expect(await clock.lastMs()).toBe(NOW_MS + 2 * HOUR_MS);
});

test('the time that is kept goes back with a step of the clock', async () => {
  const clock = await openClock();
  await clock.carryOver({ fromMs: NOW_MS, toMs: NOW_MS - HOUR_MS }, 0);
  expect(await clock.lastMs()).toBe(NOW_MS - HOUR_MS);
  await clock.keepTime(NOW_MS - HOUR_MS + 1_000, 1_000, true);
  expect(await clock.lastMs()).toBe(NOW_MS - HOUR_MS + 1_000);
});

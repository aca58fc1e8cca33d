// Taken lines of the worklist in the database: those of a farm apart from those of another, and a bounded number.
import { expect, onTestFinished, test } from 'vitest';
import { MOST_TAKEN, openStore } from '../../../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../../../support/database.ts';

const actor = { type: 'user', id: 'grace', name: 'Grace', avatar: '', metadata: {} } as const;
const NOW = 1_750_000_000_000;
const SHIFT_MS = 12 * 3_600_000;

async function open() {
  const store = await openStore(await temporaryDatabase());
  onTestFinished(() => store.close());
  const take = (farmId: string, n: number) =>
    store.takenWork.take({
      ...{ farmId, actor, isTakeover: false, nowMs: NOW + n },
      line: { cause: 'fan', container: null, rack: `R${n}`, pool: null },
    });
  const racks = async (farmId: string, nowMs = NOW) =>
    (await store.takenWork.list(farmId, nowMs)).map(({ line }) => line.rack);
  return { store, take, racks };
}

test('of more lines than a farm may have the oldest is free again', async () => {
  const { take, racks } = await open();
  await take('other', 0);
  for (let n = 0; n <= MOST_TAKEN; n++) await take('f', n);
  const taken = await racks('f');
  expect([taken.length, taken[0], taken.at(-1)]).toEqual([MOST_TAKEN, `R${MOST_TAKEN}`, 'R1']);
  expect(await racks('other')).toEqual(['R0']);
});

test('what a shift has left behind is removed', async () => {
  const { store, take, racks } = await open();
  await take('f', 0);
  await take('f', 1);
  await store.prune(NOW + SHIFT_MS);
  // As if no time had passed: it is not only hidden.
  expect(await racks('f')).toEqual(['R1']);
});

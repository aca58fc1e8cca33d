// An item is the same JSON text whether it is put together from rows or inside the database.
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { minerItem as minerV1Item } from '../../../../../src/service/http/v1/miners.ts';
import { minerItem as minerV2Item } from '../../../../../src/service/http/v2/miners.ts';
import { readItemsFromRows } from '../../../../../src/service/store/miners/items.ts';
import { createMinerStore } from '../../../../../src/service/store/miners/miners.ts';
import { isPostgresUrl, openPostgresReads } from '../../../../../src/service/store/postgres/postgres.ts';
import { openSqliteReads } from '../../../../../src/service/store/sqlite/sqlite.ts';
import { useFilledStore } from '../filled-store.ts';
import { itemsText, rowsOf } from './item-rows.ts';

const NOW_MS = Date.UTC(2026, 2, 2);
const MINERS = 200;
const FARM = { id: '019a0000-0000-7000-8000-00000000000a', workspaceId: 'w"\\', name: 'naïve ☃ "farm"' };

const filled = useFilledStore({ miners: MINERS, nowMs: NOW_MS });

/** In the way of the thread that makes large pages, and from rows. */
async function bothWays(version: 'v1' | 'v2', window = { limit: 10_000, offset: 0 }) {
  const item = version === 'v1' ? minerV1Item(FARM) : minerV2Item(FARM, { isGuest: false });
  const { databases, database, fleet } = filled();
  const { target } = database;
  const wanted = { farmId: fleet.farmId, window, item, nowMs: NOW_MS };
  const { read } = databases;
  const fromRows = createMinerStore({ read, readItems: readItemsFromRows });
  const own = isPostgresUrl(target) ? openPostgresReads(target) : openSqliteReads(target);
  try {
    return { own: await createMinerStore(own).list(wanted), rows: await fromRows.list(wanted) };
  } finally {
    await own.read.destroy();
  }
}

test.each(['v1', 'v2'] as const)('a page of %s has each miner of the farm in its place', async (version) => {
  const { own, rows } = await bothWays(version);
  expect(itemsText(own)).toBe(itemsText(rows));
  const items = rowsOf(own);
  expect(items).toHaveLength(MINERS);
  expect(items.map(({ ip }) => ip)).toEqual(Array.from({ length: MINERS }, (_, n) => `10.0.0.${n}`));
  expect(items[0]).toMatchObject({ farm_id: FARM.id, workspace_id: FARM.workspaceId, uptime: 86_400 });
  expect(items[0]).toHaveProperty(version === 'v1' ? 'temp' : 'temperature', 71.5);
  expect(new Set(items.map(({ status }) => status))).toEqual(new Set(['online', 'stale']));
  const nothing = await bothWays(version, { limit: 10_000, offset: MINERS });
  expect([nothing.own, nothing.rows].map((page) => [itemsText(page), page.total])).toEqual(Array(2).fill(['', MINERS]));
});

test('whatever operators write and whenever a miner was made', async () => {
  const textArbitrary = fc.string({ unit: 'grapheme', maxLength: 12 }).map((text) => text.replaceAll('\0', ''));
  const change = fc.record({
    rack: fc.option(fc.oneof(textArbitrary, fc.constantFrom('"', '\\"', '\u2028\n\u007f', '🏭'))),
    position: fc.option(fc.integer({ min: 1, max: 50_000 })),
    ops_status: fc.constantFrom(null, 'maintenance', 'off_rack'),
    created_at: fc.integer({ min: 0, max: Date.UTC(2200, 0) }),
    stale_at: fc.constantFrom(null, NOW_MS - 1, NOW_MS, NOW_MS + 1),
    document: fc.record({ name: textArbitrary, temp: fc.option(fc.double({ noNaN: true, noDefaultInfinity: true })) }),
    extras: fc.record({ name: textArbitrary, flags: fc.array(fc.object({ maxDepth: 1 })) }),
  });
  const { databases, database } = filled();
  const rowIds = await databases.read.selectFrom('miners').select('row_id').limit(20).execute();
  await fc.assert(
    fc.asyncProperty(fc.array(change, { minLength: rowIds.length, maxLength: rowIds.length }), async (changes) => {
      await databases.transact(async (trx) => {
        await trx.updateTable('miners').set({ rack: null, position: null }).execute();
        for (const [index, { document, extras, position, ...columns }] of changes.entries()) {
          const owner = rowIds[index]?.row_id ?? 0;
          // No two in one place.
          const place = position && position * rowIds.length + index;
          await trx
            .updateTable('miners')
            .set({ ...columns, position: place })
            .where('row_id', '=', owner)
            .execute();
          const texts = { document: JSON.stringify(document), extras: JSON.stringify(extras) };
          await trx.updateTable('miner_documents').set(texts).where('row_id', '=', owner).execute();
        }
      });
      for (const version of ['v1', 'v2'] as const) {
        const { own, rows } = await bothWays(version);
        // Each database may escape in its own way.
        expect(rowsOf(own)).toEqual(rowsOf(rows));
      }
    }),
    { numRuns: isPostgresUrl(database.target) ? 2 : 10 },
  );
});

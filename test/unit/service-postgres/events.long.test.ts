// Copies of the service on one database: a client that follows the feed misses no event, whichever copy stored it and
// whichever transaction took longest.
import { expect, onTestFinished, test } from 'vitest';
import { appendEvents } from '../../../src/service/store/events/append.ts';
import { openDatabases, openStore } from '../../../src/service/store/store.ts';
import { temporaryDatabase } from '../../support/database.ts';

const FARM = '019a0000-0000-7000-8000-00000000000a';
const WRITERS = 4;
const EACH = 60;

test('a position is never visible before a lower one, however long transactions take', async () => {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  const copies = Array.from({ length: WRITERS }, () => openDatabases(target));
  onTestFinished(async () => {
    await store.close();
    for (const copy of copies) await copy.close();
  });
  const about = { farmId: FARM, agentId: 'a', minerId: null, type: 'moved', atMs: 1 };
  let isWriting = true;
  const writing = Promise.all(
    copies.map(async ({ transact }, writer) => {
      for (let n = 0; n < EACH; n++)
        await transact(async (trx) => {
          await appendEvents(trx, [{ ...about, detail: { writer, n } }]);
          // Between the position and the commit: where others would overtake.
          await new Promise((resolve) => setTimeout(resolve, Math.random() * 8));
        });
    }),
  ).finally(() => {
    isWriting = false;
  });
  const got: unknown[] = [];
  let after = 0;
  for (let isLast = false; !isLast; ) {
    isLast = !isWriting;
    const { events } = await store.events.feed({ farmId: FARM, after, limit: 7 });
    for (const { position, detail } of events) {
      got.push(detail);
      after = position;
    }
    if (events.length > 0) isLast = false;
  }
  await writing;
  const key = (detail: unknown) => JSON.stringify(detail);
  expect(new Set(got.map(key)).size).toBe(WRITERS * EACH);
  expect(got).toHaveLength(WRITERS * EACH);
});

test('of copies that look at the same moment one records that an agent is offline', async () => {
  const target = await temporaryDatabase();
  const stores = await Promise.all(Array.from({ length: 3 }, () => openStore(target)));
  onTestFinished(async () => void (await Promise.all(stores.map((store) => store.close()))));
  const [first] = stores;
  if (first === undefined) throw new Error('no store was opened');
  await first.tenants.ensure({ id: 'w', name: 'W', slug: 'default' }, { id: FARM, name: 'F' }, 1);
  const agent = { id: 'agent', name: 'A', tokenHash: 'h', identityKey: 'k', version: '1', nowMs: 1_000 };
  await first.agents.admit(agent, FARM);
  const nowMs = 700_000;
  const recorded = await Promise.all(stores.map(({ events }) => events.notePresence(nowMs)));
  expect(recorded.reduce((sum, n) => sum + n, 0)).toBe(1);
  const { events } = await first.events.feed({ farmId: FARM, after: 0, limit: 10 });
  expect(events).toMatchObject([{ type: 'agent_offline', agentId: 'agent', detail: { last_seen_at: null } }]);
  await first.agents.touch(['agent'], nowMs);
  expect(await first.events.notePresence(nowMs + 1)).toBe(1);
  expect(await first.events.notePresence(nowMs + 2)).toBe(0);
});

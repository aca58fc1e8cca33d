// What copies write while they send: forward only and under the lease alone; dead letters within their bounds; times
// that are carried over a step of the clock.
import { expect, onTestFinished, test } from 'vitest';
import { newId, openDatabases, openStore, type Store } from '../../../../../src/service/store/store.ts';
import { trimDeadLetters } from '../../../../../src/service/store/webhooks/dead-letters.ts';
import { queryDatabase, temporaryDatabase } from '../../../../support/database.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const DAY_MS = 86_400_000;

async function setUp() {
  const target = await temporaryDatabase();
  const store = await openStore(target);
  onTestFinished(() => store.close());
  const workspace = { id: newId(NOW_MS), name: 'W', slug: 'w' };
  const { id: farmId } = await store.tenants.ensure(workspace, { id: newId(NOW_MS), name: 'F' }, NOW_MS);
  const about = { workspaceId: workspace.id, name: 'a', url: 'https://example.com/', farmIds: null, types: null };
  const { webhook } = await store.webhooks.create({ ...about, nowMs: NOW_MS });
  return { target, store, farmId, webhook };
}

async function append({ events }: Store, farmId: string, count: number, atMs = NOW_MS) {
  for (let n = 0; n < count; n++)
    await events.recordForAgent({ agent: { id: 'a', farmId }, type: 'moved', atMs, detail: {} });
}

async function take({ webhookDelivery }: Store, id: string, copyId = 'one', nowMs = NOW_MS) {
  const taken = await webhookDelivery.take(id, copyId, nowMs);
  if (taken === undefined) throw new Error('another copy has it');
  return taken;
}

test('a lease keeps others away until it is over, or too far ahead to be of this time', async () => {
  const { store, farmId, webhook } = await setUp();
  await append(store, farmId, 1);
  const { due } = store.webhookDelivery;
  expect(await due('two', NOW_MS)).toEqual([webhook.id]);
  await take(store, webhook.id);
  expect([await due('one', NOW_MS), await due('two', NOW_MS)]).toEqual([[webhook.id], []]);
  expect(await store.webhookDelivery.take(webhook.id, 'two', NOW_MS + 29_999)).toBeUndefined();
  // The clock was set back by a day.
  expect(await due('two', NOW_MS - DAY_MS)).toEqual([webhook.id]);
  await take(store, webhook.id, 'two', NOW_MS + 30_000);
  expect(await due('one', NOW_MS + 30_000)).toEqual([]);
});

test('progress goes forward only', async () => {
  const { store, farmId, webhook } = await setUp();
  await append(store, farmId, 5);
  const leased = await take(store, webhook.id);
  expect(await store.webhookDelivery.noteDelivered(leased, { farmId, position: 4 }, NOW_MS)).toBe(true);
  expect(await store.webhookDelivery.noteDelivered(leased, { farmId, position: 2 }, NOW_MS)).toBe(true);
  expect(await store.webhooks.pending(webhook)).toEqual({ count: 1, isMinimum: false });
});

test('of dead letters the newest are kept, and they go with their event', async () => {
  const { target, store, farmId, webhook } = await setUp();
  await append(store, farmId, 3);
  await append(store, farmId, 3, NOW_MS + 50 * DAY_MS);
  for (let position = 1; position <= 6; position++)
    await queryDatabase(
      target,
      "INSERT INTO webhook_dead_letters VALUES (?, ?, ?, ?, 1, 'x', 0)",
      ...[webhook.id, farmId, position, NOW_MS + position],
    );
  const letters = async () =>
    (await queryDatabase(target, 'SELECT position FROM webhook_dead_letters ORDER BY position')).map(
      (row) => row.position,
    );
  const databases = openDatabases(target);
  onTestFinished(() => databases.close());
  expect(await databases.transact((trx) => trimDeadLetters(trx, webhook.id, 5))).toEqual(new Map([[farmId, 1]]));
  expect(await letters()).toEqual([2, 3, 4, 5, 6]);
  await store.prune(NOW_MS + 401 * DAY_MS);
  expect(await letters()).toEqual([4, 5, 6]);
});

test('a dead letter for which there is no room becomes an event, so that somebody hears of it', async () => {
  const { target, store, farmId, webhook } = await setUp();
  await append(store, farmId, 1);
  await queryDatabase(
    target,
    `INSERT INTO webhook_dead_letters
     WITH RECURSIVE line(n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM line WHERE n <= 100000)
     SELECT ?, ?, n, 0, 1, 'x', 0 FROM line`,
    ...[webhook.id, farmId],
  );
  const leased = await take(store, webhook.id);
  const standing = { attempts: 1, failingSinceMs: NOW_MS, givenUpAtMs: NOW_MS, nextAttemptAtMs: null };
  const failure = { atMs: NOW_MS, status: null, error: 'no answer' };
  expect(await store.webhookDelivery.giveUp(leased, { farmId, position: 1 }, standing, failure)).toBe(true);
  const lost = await queryDatabase(target, "SELECT detail FROM events WHERE type = 'webhook_events_lost'");
  expect(lost.map(({ detail }) => JSON.parse(String(detail)).count)).toEqual([1]);
});

test('a step of the clock carries what a webhook waits for, and since when it fails', async () => {
  const { target, store } = await setUp();
  await queryDatabase(
    target,
    'UPDATE webhooks SET failing_since = 1000, next_attempt_at = 2000, leased_until = 3000, older_secret_expires_at = 4000',
  );
  await store.clock.keepTime(NOW_MS, 0, true);
  await store.clock.carryOver({ fromMs: NOW_MS, toMs: NOW_MS + 500 }, 0);
  const columns = 'failing_since, given_up_at, next_attempt_at, leased_until, older_secret_expires_at';
  expect(await queryDatabase(target, `SELECT ${columns} FROM webhooks`)).toEqual([
    {
      ...{ failing_since: 1500, given_up_at: null, next_attempt_at: 2500, leased_until: 3500 },
      older_secret_expires_at: 4500,
    },
  ]);
});

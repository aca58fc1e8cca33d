// Webhooks in the store, on either database: what one covers and from where on, its secrets, its dead letters.
import { randomBytes } from 'node:crypto';
import { expect, onTestFinished, test } from 'vitest';
import { createVault } from '../../../../../src/base/storage/vault.ts';
import type { EventType } from '../../../../../src/model/events/event-types.ts';
import { newId, openStore, type Store, type Webhook } from '../../../../../src/service/store/store.ts';
import { queryDatabase, temporaryDatabase } from '../../../../support/database.ts';

const NOW_MS = Date.UTC(2026, 5, 1);
const HOUR_MS = 3_600_000;

type Setup = { store: Store; target: string; workspaceId: string; farms: readonly [string, string] };

async function setUp({ vault }: { vault?: ReturnType<typeof createVault> } = {}): Promise<Setup> {
  const target = await temporaryDatabase();
  const store = await openStore(target, undefined, () => vault);
  onTestFinished(() => store.close());
  const workspace = { id: newId(NOW_MS), name: 'W', slug: 'w' };
  const { id: first } = await store.tenants.ensure(workspace, { id: newId(NOW_MS), name: 'F' }, NOW_MS);
  return { store, target, workspaceId: workspace.id, farms: [first, await addFarm(store, workspace.id)] };
}

async function addFarm(store: Store, workspaceId: string): Promise<string> {
  const id = newId(NOW_MS);
  await store.tenants.createFarm({ id, workspaceId, name: null }, NOW_MS);
  return id;
}

const about = ({ workspaceId }: Setup) => ({
  ...{ workspaceId, name: 'tickets', url: 'https://example.com/hook', farmIds: null, types: null, nowMs: NOW_MS },
});

const append = ({ store }: Setup, farmId: string, type: EventType = 'moved') =>
  store.events.recordForAgent({ agent: { id: 'a', farmId }, type, atMs: NOW_MS, detail: {} });

test('a webhook begins with what happens after it was made, in every farm of its workspace, later ones too', async () => {
  const setup = await setUp();
  const { store, farms } = setup;
  await append(setup, farms[0]);
  const { webhook } = await store.webhooks.create(about(setup));
  expect(webhook).toMatchObject({ name: 'tickets', state: 'active', farmIds: null, types: null, lastFailure: null });
  expect(await store.webhooks.pending(webhook)).toEqual({ count: 0, isMinimum: false });
  await append(setup, farms[0]);
  await append(setup, farms[1]);
  await append(setup, await addFarm(store, setup.workspaceId));
  expect(await store.webhooks.pending(webhook)).toEqual({ count: 3, isMinimum: false });
  expect(await store.webhooks.list(setup.workspaceId)).toEqual([webhook]);
  expect(await store.webhooks.find('another', webhook.id)).toBeUndefined();
});

test('only events of its types and farms wait for it', async () => {
  const setup = await setUp();
  const { store, farms } = setup;
  const { webhook } = await store.webhooks.create({ ...about(setup), farmIds: [farms[0]], types: ['moved'] });
  for (const farmId of farms) for (const type of ['moved', 'appeared'] as const) await append(setup, farmId, type);
  expect(await store.webhooks.pending(webhook)).toEqual({ count: 1, isMinimum: false });
  const none = await store.webhooks.create({ ...about(setup), types: [] });
  await append(setup, farms[0]);
  expect(await store.webhooks.pending(none.webhook)).toEqual({ count: 0, isMinimum: false });
});

test('a farm that a change adds begins with its next event; one that stays goes on where it was', async () => {
  const setup = await setUp();
  const { store, workspaceId, farms } = setup;
  const { webhook } = await store.webhooks.create({ ...about(setup), farmIds: [farms[0]] });
  await append(setup, farms[0]);
  await append(setup, farms[1]);
  const change = async (farmIds: readonly string[] | null): Promise<Webhook> => {
    const changed = await store.webhooks.update(workspaceId, webhook.id, { farmIds }, NOW_MS + 1);
    if (changed === undefined) throw new Error('no webhook');
    return changed;
  };
  expect(await store.webhooks.pending(await change(farms))).toEqual({ count: 1, isMinimum: false });
  await append(setup, farms[1]);
  expect(await store.webhooks.pending(await change(null))).toEqual({ count: 2, isMinimum: false });
  expect(await store.webhooks.pending(await change([farms[1]]))).toEqual({ count: 1, isMinimum: false });
  // What was left meanwhile is not sent when the farm comes back.
  expect(await store.webhooks.pending(await change(null))).toEqual({ count: 1, isMinimum: false });
});

test('of a long line so many events are looked at, and no more', async () => {
  const setup = await setUp();
  const { store, target, farms } = setup;
  const all = await store.webhooks.create(about(setup));
  const some = await store.webhooks.create({ ...about(setup), types: ['moved'] });
  for (const farmId of farms)
    await queryDatabase(
      target,
      `INSERT INTO events (farm_id, position, agent_id, miner_id, type, at, detail)
       WITH RECURSIVE line(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM line WHERE n < 6000)
       SELECT ?, n, 'a', NULL, CASE n % 10 WHEN 0 THEN 'moved' ELSE 'appeared' END, 0, '{}' FROM line`,
      farmId,
    );
  expect(await store.webhooks.pending(all.webhook)).toEqual({ count: 10_000, isMinimum: true });
  expect(await store.webhooks.pending(some.webhook)).toEqual({ count: 1_000, isMinimum: true });
});

test('a farm of another workspace is refused, and nothing is changed', async () => {
  const setup = await setUp();
  const { store, workspaceId } = setup;
  const foreign = newId(NOW_MS);
  await expect(store.webhooks.create({ ...about(setup), farmIds: [foreign] })).rejects.toMatchObject({
    code: 'request.not-found',
    message: expect.stringContaining(foreign),
  });
  expect(await store.webhooks.list(workspaceId)).toEqual([]);
});

test('a workspace has twenty, also when copies add them at the same moment', async () => {
  const setup = await setUp();
  const { store, target, workspaceId } = setup;
  const other = await openStore(target);
  onTestFinished(() => other.close());
  const made = await Promise.allSettled(
    Array.from({ length: 24 }, (_, n) => (n % 2 === 0 ? store : other).webhooks.create(about(setup))),
  );
  expect(made.filter(({ status }) => status === 'fulfilled')).toHaveLength(20);
  expect(await store.webhooks.list(workspaceId)).toHaveLength(20);
  await expect(store.webhooks.create(about(setup))).rejects.toMatchObject({ code: 'webhooks.full' });
});

test('changes are kept, active again starts fresh, and what is removed leaves nothing', async () => {
  const setup = await setUp();
  const { store, target, workspaceId } = setup;
  const { webhook } = await store.webhooks.create(about(setup));
  await queryDatabase(
    target,
    "UPDATE webhooks SET state = 'disabled', disabled_reason = 'failing', failing_since = 5, attempts = 9, next_attempt_at = 7",
  );
  expect(await store.webhooks.find(workspaceId, webhook.id)).toMatchObject({
    ...{ state: 'disabled', disabledReason: 'failing', failingSinceMs: 5, nextAttemptAtMs: 7 },
  });
  const changes = { name: 'b', url: 'https://b.example', types: ['moved'], state: 'active' as const };
  const changed = await store.webhooks.update(workspaceId, webhook.id, changes, NOW_MS + 5);
  expect(changed).toMatchObject({
    ...{ ...changes, disabledReason: null, failingSinceMs: null, nextAttemptAtMs: null, updatedAtMs: NOW_MS + 5 },
  });
  expect(await store.webhooks.update('another', webhook.id, { name: 'x' }, NOW_MS)).toBeUndefined();
  expect(await store.webhooks.remove('another', webhook.id)).toBe(false);
  expect(await store.webhooks.remove(workspaceId, webhook.id)).toBe(true);
  expect(await store.webhooks.find(workspaceId, webhook.id)).toBeUndefined();
  expect(await queryDatabase(target, 'SELECT * FROM webhook_cursors')).toEqual([]);
});

test('a secret is given once; while it is rotated two are live, never three', async () => {
  const setup = await setUp({ vault: createVault(randomBytes(32)) });
  const { store, target, workspaceId } = setup;
  const { webhook, secret } = await store.webhooks.create(about(setup));
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(webhook.secrets).toEqual([{ createdAtMs: NOW_MS, expiresAtMs: null }]);
  const first = await store.webhooks.rotate(workspaceId, webhook.id, { overlapMs: HOUR_MS, nowMs: NOW_MS + 1 });
  expect(first?.secret).not.toBe(secret);
  expect(first?.webhook.secrets).toEqual([
    { createdAtMs: NOW_MS + 1, expiresAtMs: null },
    { createdAtMs: NOW_MS, expiresAtMs: NOW_MS + 1 + HOUR_MS },
  ]);
  const second = await store.webhooks.rotate(workspaceId, webhook.id, { overlapMs: 0, nowMs: NOW_MS + 2 });
  expect(second?.webhook.secrets).toEqual([{ createdAtMs: NOW_MS + 2, expiresAtMs: null }]);
  expect(await store.webhooks.rotate('another', webhook.id, { overlapMs: 0, nowMs: NOW_MS })).toBeUndefined();
  expect(await queryDatabase(target, 'SELECT older_secret FROM webhooks')).toEqual([{ older_secret: null }]);
  const stored = JSON.stringify(await queryDatabase(target, 'SELECT * FROM webhooks'));
  expect(stored).toContain('sealed:');
  expect(stored).not.toContain('whsec_');
});

test('secrets from a time without a key are encrypted when there is one', async () => {
  const setup = await setUp();
  const { store, target, workspaceId } = setup;
  const { webhook } = await store.webhooks.create(about(setup));
  await store.webhooks.rotate(workspaceId, webhook.id, { overlapMs: HOUR_MS, nowMs: NOW_MS });
  const secrets = () => queryDatabase(target, 'SELECT secret, older_secret FROM webhooks');
  expect(await secrets()).toMatchObject([{ secret: /^whsec_/, older_secret: /^whsec_/ }].map(asMatchers));
  const vault = createVault(randomBytes(32));
  const later = await openStore(target, undefined, () => vault);
  onTestFinished(() => later.close());
  await later.encryptPlaintext();
  expect(await secrets()).toMatchObject([{ secret: /^sealed:/, older_secret: /^sealed:/ }].map(asMatchers));
});

const asMatchers = (patterns: Readonly<Record<string, RegExp>>) =>
  Object.fromEntries(Object.entries(patterns).map(([name, pattern]) => [name, expect.stringMatching(pattern)]));

test('dead letters are listed with their event, newest first, and marked to be sent again', async () => {
  const setup = await setUp();
  const { store, target, workspaceId, farms } = setup;
  const { webhook } = await store.webhooks.create(about(setup));
  for (let n = 0; n < 3; n++) await append(setup, farms[0]);
  for (const position of [1, 2, 3])
    await queryDatabase(
      target,
      "INSERT INTO webhook_dead_letters VALUES (?, ?, ?, ?, 4, 'status 500', 0)",
      ...[webhook.id, farms[0], position, NOW_MS + position],
    );
  const window = { limit: 2, offset: 0 };
  const { deadLetters, total } = await store.webhooks.deadLetters(workspaceId, webhook.id, window);
  expect([total, deadLetters.map(({ id }) => id)]).toEqual([3, [`${farms[0]}.3`, `${farms[0]}.2`]]);
  expect(deadLetters[0]).toEqual({
    ...{ id: `${farms[0]}.3`, farmId: farms[0], type: 'moved', minerId: null, agentId: 'a', atMs: NOW_MS },
    ...{ failedAtMs: NOW_MS + 3, attempts: 4, reason: 'status 500', isToBeSent: false },
  });
  expect((await store.webhooks.deadLetters('another', webhook.id, window)).total).toBe(0);
  const ids = [`${farms[0]}.2`, `${farms[0]}.9`, `${farms[1]}.1`, 'nonsense'];
  expect(await store.webhooks.resend(workspaceId, webhook.id, { ids })).toBe(1);
  expect((await store.webhooks.deadLetters(workspaceId, webhook.id, window)).deadLetters).toMatchObject([
    { isToBeSent: false },
    { isToBeSent: true },
  ]);
  expect(await store.webhooks.resend('another', webhook.id)).toBeUndefined();
  expect(await store.webhooks.resend(workspaceId, webhook.id)).toBe(3);
});

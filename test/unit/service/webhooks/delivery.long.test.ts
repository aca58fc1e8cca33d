// Webhooks that are sent: every event once and in order, whatever a receiver does; retries, dead letters, and the end
// of one that fails for good. On either database.
import { Webhook } from 'standardwebhooks';
import { expect, test } from 'vitest';
import { queryDatabase } from '../../../support/database.ts';
import type { Delivery } from '../../../support/receiver.ts';
import { firstArrivals, newReceiver, type Sending, startSending, upTo } from './sending.ts';

const [MINUTE_MS, HOUR_MS, DAY_MS] = [60_000, 3_600_000, 86_400_000];
const ALL = { limit: 1_000, offset: 0 };
const numberOf = ({ body }: Delivery): number => body.data.detail.n;

test('events go out in their order, each once, signed with the secret', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  await sending.append(2);
  const { id, secret } = await sending.addWebhook(receiver.url);
  await sending.append(120);
  await expect.poll(() => receiver.deliveries.length, { timeout: 20_000 }).toBe(120);
  expect(receiver.deliveries.map(numberOf)).toEqual(upTo(120, 2));
  for (const { text, headers } of receiver.deliveries)
    new Webhook(secret).verify(text, Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])));
  const [first] = receiver.deliveries;
  expect(first?.body).toMatchObject({
    ...{ type: 'moved', data: { workspace_id: sending.workspaceId, farm_id: sending.farmId, detail: { n: 2 } } },
  });
  // What was received is noted a moment later.
  await expect
    .poll(async () => sending.store.webhooks.pending(await sending.find(id)))
    .toEqual({ count: 0, isMinimum: false });
  expect((await sending.find(id)).lastSuccessAtMs).toEqual(expect.any(Number));
});

test('only events of its types and farms, and those of a farm that is made later from its first', async () => {
  const [sending, all, some] = [await startSending(), await newReceiver(), await newReceiver()];
  const other = await sending.addFarm();
  await sending.addWebhook(all.url);
  await sending.addWebhook(some.url, { farmIds: [other], types: ['moved'] });
  for (const farmId of [sending.farmId, other])
    for (const type of ['appeared', 'moved'] as const) await sending.append(60, { farmId, type });
  const later = await sending.addFarm();
  await sending.append(3, { farmId: later });
  await expect.poll(() => all.deliveries.length, { timeout: 20_000 }).toBe(243);
  for (const farmId of [sending.farmId, other]) expect(firstArrivals(all, farmId)).toEqual(upTo(120));
  expect(firstArrivals(all, later)).toEqual(upTo(3));
  await expect.poll(() => some.deliveries.length).toBe(60);
  expect(firstArrivals(some, other)).toEqual(upTo(60, 60));
});

test('a receiver that fails at random gets each event in order; what it has refused comes again with its id', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const taken: number[] = [];
  const [answers, ids] = [[500, 503, 302, 404], new Map<number, string>()];
  receiver.answer = (delivery) => {
    const n = numberOf(delivery);
    expect(ids.get(n) ?? delivery.id).toBe(delivery.id);
    ids.set(n, delivery.id);
    const chance = Math.random();
    if (chance < 0.2) return answers[Math.floor(chance * 20)] ?? 500;
    if (chance < 0.3) return (response) => response.destroy();
    taken.push(n);
    return 204;
  };
  await sending.addWebhook(receiver.url);
  await sending.append(40);
  for (let tries = 0; taken.length < 40 && tries < 400; tries++) {
    sending.clock.step(MINUTE_MS);
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  expect(taken).toEqual(upTo(40));
  expect(firstArrivals(receiver)).toEqual(upTo(40));
  expect(new Set(ids.values()).size).toBe(40);
});

test('a receiver that never answers, and one that is slow, delay no others', async () => {
  const sending = await startSending();
  const [silent, slow, prompt] = [await newReceiver(), await newReceiver(), await newReceiver()];
  silent.answer = () => () => {};
  slow.answer = () => (response) => void setTimeout(() => response.writeHead(204).end(), 300);
  for (const { url } of [silent, slow, prompt]) await sending.addWebhook(url);
  const startMs = performance.now();
  await sending.append(30);
  await expect.poll(() => prompt.deliveries.length, { interval: 10 }).toBe(30);
  expect(performance.now() - startMs).toBeLessThan(30 * 300);
  expect(slow.deliveries.length).toBeLessThan(30);
  expect(silent.deliveries.length).toBeLessThanOrEqual(2);
});

test('a receiver that was away for a day gets every event once and in order', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  await receiver.away();
  for (let hour = 0; hour < 24; hour++) {
    const sinceMs = sending.clock.nowMs();
    await sending.append(3);
    await sending.failed(id, sinceMs);
    sending.clock.step(HOUR_MS);
  }
  const away = await sending.find(id);
  expect(away).toMatchObject({
    state: 'active',
    lastFailure: { status: null, error: expect.stringContaining('ECONN') },
  });
  expect(await sending.store.webhooks.pending(away)).toEqual({ count: 72, isMinimum: false });
  await receiver.back();
  await expect.poll(() => receiver.deliveries.length, { timeout: 20_000 }).toBe(72);
  expect(receiver.deliveries.map(numberOf)).toEqual(upTo(72));
  expect((await sending.store.webhooks.deadLetters(sending.workspaceId, id, ALL)).total).toBe(0);
  expect(await sending.find(id)).toMatchObject({ failingSinceMs: null, nextAttemptAtMs: null });
});

/** The receiver is away, and an hour passes after each event. */
async function passHours(sending: Sending, id: string, hours: number): Promise<void> {
  for (let hour = 0; hour < hours; hour++) {
    const sinceMs = sending.clock.nowMs();
    await sending.append(1);
    await sending.failed(id, sinceMs);
    sending.clock.step(HOUR_MS);
  }
}

test('what is older than a day when it comes back is among the dead letters, and is sent when a person asks', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  const { webhooks } = sending.store;
  await receiver.away();
  await passHours(sending, id, 40);
  await receiver.back();
  await expect.poll(async () => (await webhooks.pending(await sending.find(id))).count, { timeout: 20_000 }).toBe(0);
  const arrived = firstArrivals(receiver);
  const { deadLetters, total } = await webhooks.deadLetters(sending.workspaceId, id, ALL);
  // Each event is at one of the two places, and the oldest are the dead letters.
  expect(arrived).toEqual(upTo(40 - total, total));
  expect(total).toBeGreaterThanOrEqual(13);
  expect(total).toBeLessThanOrEqual(16);
  expect(deadLetters[0]).toMatchObject({ reason: expect.stringContaining('ECONN'), attempts: expect.any(Number) });

  const [newest] = deadLetters;
  expect(await webhooks.resend(sending.workspaceId, id, { ids: [newest?.id ?? ''] })).toBe(1);
  await expect.poll(() => firstArrivals(receiver)).toEqual([...arrived, total - 1]);
  await expect.poll(async () => (await webhooks.deadLetters(sending.workspaceId, id, ALL)).total).toBe(total - 1);
  expect(await webhooks.resend(sending.workspaceId, id)).toBe(total - 1);
  await expect.poll(() => firstArrivals(receiver).slice(-total)).toEqual([total - 1, ...upTo(total - 1)]);
  await expect.poll(async () => (await webhooks.deadLetters(sending.workspaceId, id, ALL)).total).toBe(0);
  expect(receiver.deliveries).toHaveLength(40);
});

test('an event that the receiver never takes holds up the others for a day, and is the only dead letter', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  const taken: number[] = [];
  receiver.answer = (delivery) => {
    if (numberOf(delivery) === 2) return 500;
    taken.push(numberOf(delivery));
    return 204;
  };
  await sending.append(5);
  const startMs = sending.clock.nowMs();
  for (let hour = 0; hour <= 25; hour++) {
    await sending.failed(id, sending.clock.nowMs() - 10);
    expect(taken).toEqual([0, 1]);
    await sending.append(1);
    sending.clock.step(HOUR_MS);
  }
  await expect
    .poll(() => {
      sending.clock.step(MINUTE_MS);
      return taken.length;
    })
    .toBe(30);
  expect(taken).toEqual(upTo(31).filter((n) => n !== 2));
  const { deadLetters } = await sending.store.webhooks.deadLetters(sending.workspaceId, id, ALL);
  expect(deadLetters).toMatchObject([{ id: `${sending.farmId}.3`, reason: 'the receiver answers 500' }]);
  expect(deadLetters[0]?.failedAtMs ?? 0).toBeGreaterThanOrEqual(startMs + 25 * HOUR_MS);

  // Asked for again it is tried once, and stays.
  await sending.store.webhooks.resend(sending.workspaceId, id);
  await expect
    .poll(async () => (await sending.store.webhooks.deadLetters(sending.workspaceId, id, ALL)).deadLetters)
    .toMatchObject([{ isToBeSent: false, attempts: (deadLetters[0]?.attempts ?? 0) + 1 }]);
});

const disabledEvents = ({ target }: Sending) =>
  queryDatabase(target, "SELECT farm_id, detail FROM events WHERE type = 'webhook_disabled' ORDER BY farm_id");

test('410 disables it, with an event; active again it goes on where it was', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url, { types: ['moved'] });
  receiver.answer = (delivery) => (numberOf(delivery) === 3 ? 410 : 204);
  await sending.append(6);
  await expect.poll(async () => (await sending.find(id)).state).toBe('disabled');
  expect(await sending.find(id)).toMatchObject({ disabledReason: 'gone', lastFailure: { status: 410 } });
  const detail = JSON.stringify({ webhook_id: id, name: 'hook', reason: 'gone' });
  expect(await disabledEvents(sending)).toEqual([{ farm_id: sending.farmId, detail }]);
  receiver.answer = () => 204;
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'active' }, sending.clock.nowMs());
  await expect.poll(() => firstArrivals(receiver)).toEqual(upTo(6));
  expect(receiver.deliveries.map(numberOf)).toEqual([0, 1, 2, 3, 3, 4, 5]);
});

test('seven days of failure disable it, with an event in each farm; what is kept is sent when it is active again', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const other = await sending.addFarm();
  const { id } = await sending.addWebhook(receiver.url, { types: ['moved'] });
  await receiver.away();
  for (let day = 0; (await sending.find(id)).state === 'active' && day < 9; day++) {
    const sinceMs = sending.clock.nowMs();
    await sending.append(10);
    await sending.failed(id, sinceMs);
    sending.clock.step(DAY_MS);
  }
  await expect.poll(async () => (await sending.find(id)).disabledReason).toBe('failing');
  expect((await disabledEvents(sending)).map(({ farm_id }) => farm_id)).toEqual([sending.farmId, other].toSorted());
  await receiver.back();
  const { total } = await sending.store.webhooks.deadLetters(sending.workspaceId, id, ALL);
  const { count: pending } = await sending.store.webhooks.pending(await sending.find(id));
  // Disabled at the attempt that was due after seven days: no event is at neither place.
  expect([total + pending, total > 40]).toEqual([80, true]);
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'active' }, sending.clock.nowMs());
  await expect.poll(() => firstArrivals(receiver).length).toBe(pending);
  expect(firstArrivals(receiver)).toEqual(upTo(pending, total));
});

test('while it is paused nothing is sent, and afterwards everything', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  const set = (state: 'active' | 'paused') =>
    sending.store.webhooks.update(sending.workspaceId, id, { state }, sending.clock.nowMs());
  await set('paused');
  await sending.append(3);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(receiver.deliveries).toEqual([]);
  await set('active');
  await expect.poll(() => firstArrivals(receiver)).toEqual(upTo(3));
});

test('events that were removed before they could be sent are counted in an event, and the others are sent', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  const set = (state: 'active' | 'paused') =>
    sending.store.webhooks.update(sending.workspaceId, id, { state }, sending.clock.nowMs());
  await set('paused');
  await sending.append(10);
  sending.clock.step(401 * DAY_MS);
  await sending.append(5);
  await sending.store.prune(sending.clock.nowMs());
  // A hole between others, as late reports of an old time leave one.
  await queryDatabase(sending.target, 'DELETE FROM events WHERE position IN (12, 13)');
  await set('active');
  const arrived = () => receiver.deliveries.map(({ body }) => body.data.detail);
  await expect.poll(() => arrived().length, { timeout: 20_000 }).toBe(5);
  expect(arrived()).toEqual([
    { n: 10 },
    ...[{ n: 13 }, { n: 14 }],
    { webhook_id: id, name: 'hook', count: 10 },
    { webhook_id: id, name: 'hook', count: 2 },
  ]);
  expect(receiver.deliveries.at(-1)?.body.type).toBe('webhook_events_lost');
});

test('when all that waits was removed, that is said too', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'paused' }, sending.clock.nowMs());
  await sending.append(4);
  await queryDatabase(sending.target, 'DELETE FROM events');
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'active' }, sending.clock.nowMs());
  await expect.poll(() => receiver.deliveries.length).toBe(1);
  expect(receiver.deliveries[0]?.body).toMatchObject({ type: 'webhook_events_lost', data: { detail: { count: 4 } } });
});

test('after a success a failure is the first of a new row, in the same turn too', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  receiver.answer = () => 500;
  await sending.append(3);
  for (let [tries, sinceMs] = [0, 1]; tries < 6; tries++) {
    await sending.failed(id, sinceMs);
    sinceMs = sending.clock.nowMs() + MINUTE_MS;
    sending.clock.step(10 * MINUTE_MS);
  }
  receiver.answer = (delivery) => (numberOf(delivery) === 2 ? 500 : 204);
  await expect.poll(() => receiver.deliveries.some((delivery) => numberOf(delivery) === 2)).toBe(true);
  await expect.poll(async () => (await sending.find(id)).lastSuccessAtMs).toEqual(expect.any(Number));
  await expect.poll(async () => (await sending.find(id)).failingSinceMs).toEqual(expect.any(Number));
  const { failingSinceMs, lastFailure, nextAttemptAtMs } = await sending.find(id);
  expect(failingSinceMs).toBe(lastFailure?.atMs);
  expect((nextAttemptAtMs ?? 0) - (failingSinceMs ?? 0)).toBeLessThanOrEqual(5_000);
});

test('a change of the URL sends the next attempt there, at once', async () => {
  const [sending, first, second] = [await startSending(), await newReceiver(), await newReceiver()];
  const { id } = await sending.addWebhook(first.url);
  first.answer = () => 500;
  await sending.append(2);
  await sending.failed(id, 1);
  await sending.store.webhooks.update(sending.workspaceId, id, { url: second.url }, sending.clock.nowMs());
  await expect.poll(() => firstArrivals(second)).toEqual(upTo(2));
});

test('while a secret is rotated a receiver with either of the two takes the events; later with the new one alone', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id, secret } = await sending.addWebhook(receiver.url);
  const nowMs = sending.clock.nowMs();
  const rotated = await sending.store.webhooks.rotate(sending.workspaceId, id, { overlapMs: HOUR_MS, nowMs });
  const verifies = (key: string, { text, headers }: Delivery) => {
    try {
      new Webhook(key).verify(text, Object.fromEntries(Object.entries(headers).map(([k, v]) => [k, String(v)])));
      return true;
    } catch (error) {
      // The clock of the test is ahead of that of the library.
      return error instanceof Error && error.message.includes('timestamp too new');
    }
  };
  const signatures = ({ headers }: Delivery) => String(headers['webhook-signature']).split(' ').length;
  await sending.append(1);
  await expect.poll(() => receiver.deliveries.length).toBe(1);
  const [both] = receiver.deliveries;
  if (both === undefined || rotated === undefined) throw new Error('no delivery');
  expect([secret, rotated.secret].map((key) => verifies(key, both))).toEqual([true, true]);
  sending.clock.step(2 * HOUR_MS);
  await sending.append(1);
  await expect.poll(() => receiver.deliveries.map(signatures)).toEqual([2, 1]);
});

test('a test message is sent at once, to a paused webhook too, and changes nothing', async () => {
  const [sending, receiver] = [await startSending({ copies: 0 }), await newReceiver()];
  const copy = await sending.startCopy();
  const { id } = await sending.addWebhook(receiver.url);
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'paused' }, sending.clock.nowMs());
  const before = await sending.find(id);
  expect(await copy.test(before)).toMatchObject({ status: 204, error: null });
  receiver.answer = () => 418;
  expect(await copy.test(before)).toMatchObject({ status: 418, error: 'the receiver answers 418' });
  expect(receiver.deliveries.map(({ body }) => body)).toMatchObject(
    Array.from({ length: 2 }, () => ({ type: 'webhook.test', data: { webhook_id: id } })),
  );
  expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(2);
  expect(await sending.find(id)).toEqual(before);
});

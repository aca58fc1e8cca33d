// Copies of the service that send for the same webhooks: one at a time, no event is missed when one of them ends, and
// one that was paused moves nothing back.
import { expect, test } from 'vitest';
import type { Answer, Delivery } from '../../../support/receiver.ts';
import { firstArrivals, newReceiver, startSending, upTo } from './sending.ts';

/** A lease that is not renewed is over. */
const LEASE_OVER_MS = 31_000;
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

test('of three copies one sends: each event comes once, in order', async () => {
  const [sending, receiver] = [await startSending({ copies: 3 }), await newReceiver()];
  await sending.addWebhook(receiver.url);
  for (let n = 0; n < 10; n++) {
    await sending.append(10);
    await pause(Math.random() * 60);
  }
  await expect.poll(() => firstArrivals(receiver).length, { timeout: 20_000 }).toBe(100);
  expect(receiver.deliveries.map(({ body }) => body.data.detail.n)).toEqual(upTo(100));
});

test('what a killed copy has left is sent when its lease is over; one that stops hands it on at once', async () => {
  const [sending, receiver] = [await startSending({ copies: 0 }), await newReceiver()];
  await sending.addWebhook(receiver.url);
  const killed = await sending.startCopy();
  await sending.append(3);
  await expect.poll(() => firstArrivals(receiver).length).toBe(3);
  killed.abandon();
  await killed.stop();
  const second = await sending.startCopy();
  await sending.append(2);
  await pause(300);
  expect(firstArrivals(receiver)).toEqual(upTo(3));
  sending.clock.step(LEASE_OVER_MS);
  await expect.poll(() => firstArrivals(receiver)).toEqual(upTo(5));
  await second.stop();
  await sending.startCopy();
  await sending.append(1);
  await expect.poll(() => firstArrivals(receiver)).toEqual(upTo(6));
  expect(receiver.deliveries).toHaveLength(6);
});

test('a copy that was paused between an answer and its note changes nothing: another one has sent it all', async () => {
  const [sending, receiver] = [await startSending({ copies: 2 }), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  let [release, isHeld] = [() => {}, false];
  receiver.answer = ({ body }: Delivery): Answer => {
    if (body.data.detail.n !== 4 || isHeld) return 204;
    isHeld = true;
    return (response) => {
      release = () => void response.writeHead(204).end();
    };
  };
  await sending.append(20);
  await expect.poll(() => isHeld, { interval: 5 }).toBe(true);
  sending.clock.step(LEASE_OVER_MS);
  await expect.poll(() => firstArrivals(receiver).length, { interval: 5 }).toBe(20);
  release();
  await pause(200);
  await sending.append(5);
  await expect.poll(() => firstArrivals(receiver)).toEqual(upTo(25));
  const repeated = receiver.deliveries.map(({ body }) => body.data.detail.n);
  expect(repeated).toEqual([...upTo(5), 4, ...upTo(20, 5)]);
  expect(new Set(receiver.deliveries.map((delivery) => delivery.id)).size).toBe(25);
  const standing = async () => {
    const webhook = await sending.find(id);
    return [webhook.failingSinceMs, (await sending.store.webhooks.pending(webhook)).count];
  };
  // The last one has arrived before it is noted.
  await expect.poll(standing).toEqual([null, 0]);
});

test('a webhook that is removed or paused while a message is under way gets no other', async () => {
  const [sending, receiver] = [await startSending(), await newReceiver()];
  const { id } = await sending.addWebhook(receiver.url);
  const held: (() => void)[] = [];
  receiver.answer = () => (response) => void held.push(() => response.writeHead(204).end());
  await sending.append(3);
  await expect.poll(() => held.length, { interval: 5 }).toBe(1);
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'paused' }, sending.clock.nowMs());
  held[0]?.();
  await pause(200);
  expect(receiver.deliveries).toHaveLength(1);
  // What was taken is not sent again.
  await sending.store.webhooks.update(sending.workspaceId, id, { state: 'active' }, sending.clock.nowMs());
  await expect.poll(() => firstArrivals(receiver)).toEqual([0, 1]);
  await sending.store.webhooks.remove(sending.workspaceId, id);
  held[1]?.();
  await pause(200);
  expect(receiver.deliveries).toHaveLength(2);
});

// Webhooks that are really sent: copies of the sending part on one database, receivers on the loopback, and a clock
// that tests move.
import { randomUUID } from 'node:crypto';
import { expect, onTestFinished } from 'vitest';
import { silentLog } from '../../../../src/base/log.ts';
import type { EventType } from '../../../../src/model/events/event-types.data.ts';
import { newId, openStore, type Store, type Webhook } from '../../../../src/service/store/store.ts';
import { createAddressPolicy } from '../../../../src/service/webhooks/addresses.ts';
import { createDelivery, type Delivery } from '../../../../src/service/webhooks/delivery.ts';
import { createSender } from '../../../../src/service/webhooks/send.ts';
import { temporaryDatabase } from '../../../support/database.ts';
import { type Receiver, startReceiver } from '../../../support/receiver.ts';
import { type SteppedClock, steppedClock } from '../../service-http/rig.ts';

export type Sending = {
  readonly target: string;
  readonly store: Store;
  readonly clock: SteppedClock;
  readonly workspaceId: string;
  readonly farmId: string;
  /** One more copy of the service, that sends at once. */
  startCopy(): Promise<Copy>;
  addFarm(): Promise<string>;
  addWebhook(url: string, filter?: Partial<Pick<Webhook, 'farmIds' | 'types'>>): Promise<Added>;
  /** Appends so many events to a farm; their details count on from 0 in each farm. */
  append(count: number, about?: { farmId?: string; type?: EventType }): Promise<void>;
  find(id: string): Promise<Webhook>;
  /** Until an attempt failed at this moment or later. */
  failed(id: string, sinceMs: number): Promise<void>;
};
export type Copy = Pick<Delivery, 'test'> & {
  stop(): Promise<void> /** As a kill: it releases nothing. */;
  abandon(): void;
};
export type Added = { readonly id: string; readonly secret: string };

/** Deadlines come so much sooner: late enough for a busy machine, where a late answer would be sent for again. */
const FASTER = 4;

export async function startSending({ copies = 1 } = {}): Promise<Sending> {
  const target = await temporaryDatabase();
  const clock = steppedClock();
  const store = await openStore(target);
  const stops: (() => Promise<unknown>)[] = [];
  onTestFinished(async () => {
    for (const stop of stops) await stop();
    await store.close();
  });
  const workspace = { id: newId(clock.nowMs()), name: 'W', slug: 'w' };
  const { id: farmId } = await store.tenants.ensure(workspace, { id: newId(clock.nowMs()), name: 'F' }, clock.nowMs());
  const counts = new Map<string, number>();
  const sending: Sending = {
    ...{ target, store, clock, workspaceId: workspace.id, farmId },
    async startCopy() {
      const copy = await startCopy(target, clock);
      stops.push(copy.stop);
      return copy;
    },
    async addFarm() {
      const id = newId(clock.nowMs());
      await store.tenants.createFarm({ id, workspaceId: workspace.id, name: null }, clock.nowMs());
      return id;
    },
    async addWebhook(url, { farmIds = null, types = null } = {}) {
      const about = { workspaceId: workspace.id, name: 'hook', url, farmIds, types, nowMs: clock.nowMs() };
      const { webhook, secret } = await store.webhooks.create(about);
      return { id: webhook.id, secret };
    },
    async append(count, { farmId: farm = farmId, type = 'moved' } = {}) {
      const agent = { id: 'a', farmId: farm };
      for (let n = 0; n < count; n++) {
        const next = counts.get(farm) ?? 0;
        counts.set(farm, next + 1);
        await store.events.recordForAgent({ agent, type, atMs: clock.nowMs(), detail: { n: next } });
      }
    },
    async find(id) {
      const webhook = await store.webhooks.find(workspace.id, id);
      if (webhook === undefined) throw new Error('no such webhook');
      return webhook;
    },
    failed: (id, sinceMs) =>
      expect
        .poll(async () => (await sending.find(id)).lastFailure?.atMs ?? 0, { timeout: 20_000 })
        .toBeGreaterThanOrEqual(sinceMs),
  };
  for (let n = 0; n < copies; n++) await sending.startCopy();
  return sending;
}

async function startCopy(target: string, clock: SteppedClock): Promise<Copy> {
  const store = await openStore(target);
  let isAbandoned = false;
  const addresses = createAddressPolicy(['127.0.0.0/8']);
  const soon = { ...clock, after: (ms: number, run: () => void) => clock.after(ms / FASTER, run) };
  const sender = createSender({ addresses, version: 'test', clock: soon });
  const render = ({ detail }: { readonly detail: object }) => ({ unique: randomUUID(), detail });
  const kept = {
    ...store.webhookDelivery,
    release: async (id: string) => isAbandoned || store.webhookDelivery.release(id),
  };
  const delivery = createDelivery({
    ...{ store: { ...kept, release: async (id) => void (await kept.release(id)) }, sender, render, clock },
    ...{ log: silentLog, random: Math.random },
  });
  delivery.part.start();
  let stopped: Promise<void> | undefined;
  return {
    test: delivery.test,
    stop: () => {
      stopped ??= delivery.part.stop().then(() => store.close());
      return stopped;
    },
    abandon: () => {
      isAbandoned = true;
    },
  };
}

/** A receiver that ends with the test. */
export async function newReceiver(): Promise<Receiver> {
  const receiver = await startReceiver();
  onTestFinished(() => receiver.stop());
  return receiver;
}

/** The numbers of the events that it got, in the order of their first arrival. */
export function firstArrivals({ deliveries }: Pick<Receiver, 'deliveries'>, farmId?: string): number[] {
  const seen = new Set<string>();
  return deliveries.flatMap(({ id, body }) => {
    if (seen.has(id) || (farmId !== undefined && body.data.farm_id !== farmId)) return [];
    seen.add(id);
    return [Number(body.data.detail.n)];
  });
}

export const upTo = (count: number, from = 0): number[] => Array.from({ length: count }, (_, n) => from + n);

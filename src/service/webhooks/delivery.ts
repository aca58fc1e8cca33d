// Sends events to webhooks: the part that runs on each copy of the service. It looks for webhooks that have something
// to send, and gives each a turn: some messages of one webhook, one after the other. Others wait for none of them,
// because a turn is short and many take place at once.
import { randomUUID } from 'node:crypto';
import pLimit from 'p-limit';
import { loop } from '../../base/clock.ts';
import { CancelledError, renderError } from '../../base/errors.ts';
import type { Part } from '../../base/lifecycle.ts';
import { oncePerMinute } from '../../base/log.ts';
import type { Webhook } from '../store/store.ts';
import { testMessage } from './message.ts';
import type { Sent } from './send.ts';
import { type TurnParts, takeTurn } from './turn.ts';

/** How soon a new event is found, whichever copy stored it. */
const LOOK_MS = 1_000;
/** Turns at the same time, on each copy. */
const TURNS = 32;

export type DeliveryParts = Omit<TurnParts, 'copyId' | 'signal'>;

export type Delivery = ReturnType<typeof createDelivery>;

export function createDelivery(parts: DeliveryParts) {
  const { store, sender, clock, log } = parts;
  const copyId = randomUUID();
  const limit = pLimit(TURNS);
  const stopping = new AbortController();
  const { signal } = stopping;
  /** Webhooks that have a turn or wait for one. */
  const underWay = new Map<string, Promise<void>>();
  let looking: Promise<void> | undefined;
  const onError = oncePerMinute(clock, (error) =>
    log.error({ error: renderError(error) }, 'sending to webhooks failed'),
  );
  const turn = { ...parts, copyId, signal };

  const work = async (id: string) => {
    try {
      while (!signal.aborted && (await limit(() => takeTurn(id, turn))));
    } catch (error) {
      if (!(error instanceof CancelledError && signal.aborted)) onError(error);
    } finally {
      underWay.delete(id);
    }
  };
  const look = async () => {
    for (const id of await store.due(copyId, clock.nowMs())) if (!underWay.has(id)) underWay.set(id, work(id));
  };
  return {
    test: (webhook: Webhook): Promise<Sent> => sendTest(parts, webhook),
    part: {
      name: 'webhooks',
      start() {
        looking = loop(clock, { intervalMs: LOOK_MS, signal, onError }, look);
      },
      async stop() {
        stopping.abort();
        await looking;
        await Promise.all(underWay.values());
        await sender.close();
        // A copy that was killed does not come here: its leases end by themselves.
        await store.release(copyId);
      },
    } satisfies Part,
  };
}

/** Sends one message of the type `webhook.test` at once, whatever the state; changes nothing of the webhook. */
export async function sendTest(
  { store, sender, clock }: Pick<DeliveryParts, 'store' | 'sender' | 'clock'>,
  { id: webhookId, workspaceId, url }: Webhook,
): Promise<Sent> {
  const nowMs = clock.nowMs();
  const secrets = await store.secretsOf({ id: webhookId }, nowMs);
  return sender.send({ url, secrets }, testMessage({ webhookId, workspaceId }, nowMs, randomUUID()));
}

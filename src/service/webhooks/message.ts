// A message of a webhook by the Standard Webhooks convention: its id, its body and its signature. Pure.
import { createHash, createHmac } from 'node:crypto';
import type { MinerEvent } from '../store/store.ts';

/** `body` is JSON, at most 64 KiB: the detail of an event is bounded where it is stored. */
export type Message = { readonly id: string; readonly body: string };

type About = { readonly webhookId: string; readonly workspaceId: string };

/**
 * Of the same event always the same id, also from another copy of the service, so that a receiver knows a repeat. Where
 * a database that was put back gives a position to another event, that one has another id.
 */
export function eventMessage(
  { webhookId, workspaceId }: About,
  event: MinerEvent,
  item: Readonly<Record<string, unknown>>,
): Message {
  const { farmId, position, type, atMs, minerId, agentId, detail } = event;
  const unique = JSON.stringify([webhookId, farmId, position, type, atMs, minerId, agentId, detail]);
  const id = `msg_${createHash('sha256').update(unique).digest('hex').slice(0, 32)}`;
  const data = { workspace_id: workspaceId, farm_id: farmId, ...item };
  return { id, body: JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data }) };
}

/** One that is sent because a person asks for it; each has another id. */
export function testMessage({ webhookId, workspaceId }: About, nowMs: number, unique: string): Message {
  const id = `msg_${createHash('sha256').update(unique).digest('hex').slice(0, 32)}`;
  const data = { workspace_id: workspaceId, webhook_id: webhookId };
  return { id, body: JSON.stringify({ type: 'webhook.test', timestamp: new Date(nowMs).toISOString(), data }) };
}

/** `secrets` as they were given out, `whsec_…`. `atMs`: of this attempt; receivers refuse what is minutes old. */
export function signedHeaders({ id, body }: Message, secrets: readonly string[], atMs: number) {
  const timestamp = String(Math.floor(atMs / 1_000));
  const signatures = secrets.map((secret) => {
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
    return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
  });
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
}

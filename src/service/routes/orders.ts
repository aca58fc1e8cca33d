// What the routes that create task batches share: who orders, once per idempotency key, and how the order is handed on.
import { z } from 'zod';
import type { Actor, RolloutOrder, TaskName } from '../../model/task.ts';
import type { Caller } from '../auth/authorise.ts';
import { invalidRequest } from './errors.ts';
import { show } from './validation.ts';

const MAX_IDEMPOTENCY_KEY = 255;

export const orderHeaders = z.looseObject({
  'idempotency-key': z.string().optional().meta({ minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY }),
});

/** What a create route hands on; the text of the answer comes back. */
export type CreateBatches = (order: {
  readonly workspaceId: string;
  readonly farmId: string;
  readonly name: TaskName;
  readonly targets: 'miners' | 'agents';
  readonly ids: readonly string[];
  readonly params: Readonly<Record<string, unknown>>;
  readonly rollout?: RolloutOrder | undefined;
  readonly expiresInS?: number | undefined;
  readonly actor: Actor;
  readonly idempotency: { readonly apiKeyId: string; readonly key: string } | undefined;
  readonly wording: 'v1' | 'v2';
  toAnswer(made: Made): unknown;
}) => Promise<string>;

/** What became of an order, to be worded. */
export type Made = {
  readonly batches: readonly { readonly id: string; readonly taskCount: number }[];
  readonly skipped: readonly { readonly reason: string; readonly message: string; readonly ids: readonly string[] }[];
  readonly createdAtMs: number;
};

export function summarise({ batches, skipped }: Made): { created_count: number; skipped_count: number } {
  return {
    created_count: batches.reduce((sum, { taskCount }) => sum + taskCount, 0),
    skipped_count: skipped.reduce((sum, { ids }) => sum + ids.length, 0),
  };
}

/** The idempotency key of the request, which counts per API key. */
export function idempotencyOf(
  { keyId }: Caller,
  { 'idempotency-key': key }: z.infer<typeof orderHeaders>,
): { apiKeyId: string; key: string } | undefined {
  if (key === undefined) return undefined;
  if (key === '' || key.length > MAX_IDEMPOTENCY_KEY)
    throw invalidRequest(`Idempotency-Key: received ${show(key)}, accepted: 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  return { apiKeyId: keyId, key };
}

export const actorOf = ({ keyId, keyName }: Caller): Actor => ({
  type: 'api_key',
  id: keyId,
  name: keyName,
  avatar: '',
  metadata: {},
});

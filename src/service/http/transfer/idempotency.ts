// The header Idempotency-Key: a request that is sent again with the same key is carried out once. Keys count per
// caller.
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { show } from '../../../wire/api/forms.ts';
import type { Caller } from '../../auth/authorise.ts';
import { IDEMPOTENCY_MS, type Once } from '../../store/store.ts';
import { accessOf } from '../guard.ts';
import { invalidRequest } from '../shared/errors.ts';

const MAX_IDEMPOTENCY_KEY = 255;

export const idempotencyHeaders = z.looseObject({
  'idempotency-key': z.string().optional().meta({ minLength: 1, maxLength: MAX_IDEMPOTENCY_KEY }),
});

/** Undefined = the request has none. */
export function idempotencyOf(
  { actor }: Caller,
  key: string | string[] | undefined,
): Pick<Once, 'callerId' | 'key'> | undefined {
  if (typeof key !== 'string') return undefined;
  if (key === '' || key.length > MAX_IDEMPOTENCY_KEY)
    throw invalidRequest(`Idempotency-Key: received ${show(key)}, accepted: 1 to ${MAX_IDEMPOTENCY_KEY} characters`);
  return { callerId: actor.id, key };
}

/** For a request that the store carries out; its address and its body are what has to be the same. */
export function onceOf(request: FastifyRequest, nowMs: number): Once | undefined {
  const keyed = idempotencyOf(accessOf(request).caller, request.headers['idempotency-key']);
  const body = `${request.method} ${request.url} ${JSON.stringify(request.body)}`;
  return keyed && { ...keyed, body, sinceMs: nowMs - IDEMPOTENCY_MS };
}

// Sends an act for some miners, once: a request that is lost on the way is sent again with the same key.
import { useSignal } from '@preact/signals';
import type { z } from 'zod';
import type { createdAnswerSchema } from '../../../wire/api/tasks.ts';
import { farmPath } from '../../api/paths.ts';
import { newIdempotencyKey, type Outcome, type Request } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import type { Refusal } from '../../live/ask/use-asked.ts';
import { useFarm } from '../../live/farm-state.ts';
import { pause } from '../../time.ts';
import { type Act, batchBody } from './acts.ts';

export type Created = z.infer<typeof createdAnswerSchema>;
const TRIES = 3;
const PAUSE_MS = 1_000;

export type Sent =
  | { readonly kind: 'idle' }
  | { readonly kind: 'sending' }
  | { readonly kind: 'sent'; readonly created: Created }
  | { readonly kind: 'not-sent'; readonly refusal: Refusal };

export function useSend(act: Act) {
  const { ask } = useApp();
  const { ref } = useFarm();
  const state = useSignal<Sent>({ kind: 'idle' });
  const send = async (minerIds: readonly string[], more?: Readonly<Record<string, unknown>>): Promise<Sent> => {
    state.value = { kind: 'sending' };
    const idempotencyKey = newIdempotencyKey();
    const request: Request = {
      method: 'POST',
      path: farmPath(ref, 'task-batches'),
      body: batchBody(act, minerIds, more),
      idempotencyKey,
    };
    let outcome: Outcome<Created> = { kind: 'unreachable' };
    for (let tried = 0; tried < TRIES && outcome.kind === 'unreachable'; tried += 1) {
      if (tried > 0) await pause(PAUSE_MS * tried);
      outcome = await ask<Created>(request);
    }
    state.value =
      outcome.kind === 'ok' ? { kind: 'sent', created: outcome.answer } : { kind: 'not-sent', refusal: outcome };
    return state.value;
  };
  return { state, send };
}

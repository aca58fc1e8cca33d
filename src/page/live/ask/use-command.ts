// A request that changes something, one at a time. What it has changed is shown only when the service has said so.
import { useSignal } from '@preact/signals';
import type { Answer, Request } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import type { Refusal } from './use-asked.ts';

export type Command = {
  readonly isBusy: boolean;
  /** Why the newest request was not carried out. */
  readonly refusal: Refusal | undefined;
  /** Undefined = it was not carried out. */
  readonly run: <T>(request: Request) => Promise<T | undefined>;
};

export function useCommand(): Command {
  const { ask } = useApp();
  const isBusy = useSignal(false);
  const refusal = useSignal<Refusal | undefined>(undefined);
  const run = async <T>(request: Request): Promise<T | undefined> => {
    if (isBusy.value) return undefined;
    isBusy.value = true;
    const outcome = await ask<Answer<T>>(request);
    isBusy.value = false;
    refusal.value = outcome.kind === 'ok' ? undefined : outcome;
    return outcome.kind === 'ok' ? outcome.answer.data : undefined;
  };
  return { isBusy: isBusy.value, refusal: refusal.value, run };
}

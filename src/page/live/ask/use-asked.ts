// What a screen has asked the service for, asked again every few seconds while the screen is there. A failure leaves
// what was there, with its age.
import { useSignal } from '@preact/signals';
import { useEffect, useRef } from 'preact/hooks';
import type { Outcome } from '../../api/request.ts';
import { useApp } from '../../app-state.ts';
import { nowMs } from '../../time.ts';
import { repeat } from './repeat.ts';

export type Refusal = Exclude<Outcome<never>, { kind: 'ok' }>;

export type Asked<A> = {
  /** The newest good answer; undefined = none yet. */
  readonly answer: A | undefined;
  readonly atMs: number | undefined;
  /** Why the newest question had no good answer. */
  readonly refusal: Refusal | undefined;
  readonly again: () => void;
};

/** `path` undefined = nothing is to be asked. */
export function useAsked<A>(path: string | undefined, everyMs: number, body?: unknown): Asked<A> {
  const app = useApp();
  const state = useSignal<Omit<Asked<A>, 'again'>>({ answer: undefined, atMs: undefined, refusal: undefined });
  const again = useRef(() => {});
  const text = body === undefined ? undefined : JSON.stringify(body);
  // What is asked more seldom from now on is still known.
  useEffect(() => {
    state.value = { answer: undefined, atMs: undefined, refusal: undefined };
  }, [path, text]);
  useEffect(() => {
    if (path === undefined) return;
    const work = async (abort: AbortSignal) => {
      const sent = text === undefined ? {} : ({ method: 'POST', body: JSON.parse(text) } as const);
      const outcome = await app.ask<A>({ path, signal: abort, ...sent });
      if (abort.aborted) return;
      if (outcome.kind === 'ok') state.value = { answer: outcome.answer, atMs: nowMs(), refusal: undefined };
      else state.value = { ...state.value, refusal: outcome };
    };
    let end = repeat(everyMs, work);
    again.current = () => {
      end();
      end = repeat(everyMs, work);
    };
    return () => end();
  }, [path, everyMs, text]);
  return { ...state.value, again: () => again.current() };
}

// Sends what waits for the network, one after the other, as soon as the service answers again. What waits is kept on
// this device, so that a page that is closed loses nothing.
import { signal } from '@preact/signals';
import { type FarmRef, farmPath } from '../api/paths.ts';
import { newIdempotencyKey } from '../api/request.ts';
import type { AppState } from '../app-state.ts';
import {
  nextWaiting,
  readWaiting,
  requestOf,
  type Waiting,
  type WaitingList,
  withoutWaiting,
  withProblem,
  withWaiting,
  writeWaiting,
} from '../model/field/waiting.ts';
import { nowMs } from '../time.ts';
import { repeat } from './ask/repeat.ts';

const EVERY_MS = 5_000;
/** The service is there and cannot now: it is asked again. */
const isPassing = (status: number): boolean => status === 401 || status === 429 || status >= 500;

export type WaitingChanges = ReturnType<typeof createWaitingChanges>;

export function createWaitingChanges(app: AppState, ref: FarmRef) {
  const name = `waiting.${ref.id}`;
  const list = signal<WaitingList>(readWaiting(app.kept.read(name)));
  const isKept = signal(true);
  /** How many were taken since the page is there: who shows what they changed asks anew. */
  const takenCount = signal(0);
  const personId = () => (app.session.value.kind === 'open' ? app.session.value.session.person.id : '');
  /** Another page of this browser may have changed the list. */
  const change = (next: (list: WaitingList) => WaitingList) => {
    const wanted = next(isKept.value ? readWaiting(app.kept.read(name)) : list.value);
    const text = writeWaiting(wanted);
    app.kept.write(name, text);
    isKept.value = app.kept.read(name) === text;
    list.value = wanted;
  };
  let sendSoon = () => {};
  const sendNext = async (): Promise<boolean> => {
    const next = nextWaiting(list.value, personId());
    if (next === undefined) return false;
    const { path, body } = requestOf(next);
    const request = { method: 'POST', path: farmPath(ref, path), body, idempotencyKey: next.key } as const;
    const outcome = await app.ask(request);
    if (outcome.kind === 'unreachable' || (outcome.kind === 'refused' && isPassing(outcome.status))) return false;
    if (outcome.kind === 'ok') takenCount.value += 1;
    change((all) =>
      outcome.kind === 'ok' ? withoutWaiting(all, next.key) : withProblem(all, next.key, outcome.message),
    );
    return true;
  };
  return {
    list,
    /** False = this browser keeps nothing, and what waits goes with the page. */
    isKept,
    takenCount,
    /** Whether it waits now; it does not where no more can wait. */
    add(minerId: string, ip: string, what: Waiting['what']): boolean {
      const state = app.session.value;
      if (state.kind !== 'open') return false;
      const { id, name: own } = state.session.person;
      const added = { key: newIdempotencyKey(), atMs: nowMs(), person: { id, name: own }, minerId, ip, what } as const;
      let isAdded = false;
      change((all) => {
        const longer = withWaiting(all, { ...added, problem: null });
        isAdded = longer !== undefined;
        return longer ?? all;
      });
      if (isAdded) sendSoon();
      return isAdded;
    },
    drop: (key: string) => change((all) => withoutWaiting(all, key)),
    /** Gives its end. */
    start(): () => void {
      const send = async (abort: AbortSignal) => {
        let goesOn = true;
        while (goesOn && !abort.aborted) goesOn = await sendNext();
      };
      let end = repeat(EVERY_MS, send);
      sendSoon = () => {
        end();
        end = repeat(EVERY_MS, send);
      };
      addEventListener('online', sendSoon);
      return () => {
        removeEventListener('online', sendSoon);
        end();
      };
    },
  };
}

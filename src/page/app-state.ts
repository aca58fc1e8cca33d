// What the whole page shares: who is logged in, the language, the time, and what a person keeps on this device. One
// object, made once and handed down.
import { computed, signal } from '@preact/signals';
import { createContext } from 'preact';
import { useContext } from 'preact/hooks';
import type { Session } from '../wire/api/people/session.ts';
import { SESSION } from './api/paths.ts';
import { type Answer, type Ask, createAsk } from './api/request.ts';
import { createKept } from './kept.ts';
import { createBuild, filesOf } from './live/build.ts';
import { createPresence } from './live/presence.ts';
import { createFormat } from './text/format.ts';
import { ENGLISH, isLanguage, type Language, languageOf, type Texts } from './text/texts.ts';
import { createTicker } from './ticker.ts';
import { after, nowMs } from './time.ts';

export type SessionState =
  | { readonly kind: 'asking' }
  /** The service does not answer: whether there is a session is not known. */
  | { readonly kind: 'unreachable' }
  | { readonly kind: 'none' }
  | { readonly kind: 'open'; readonly session: Session };

/** The end moves with each use. */
const isSame = (one: Session, other: Session): boolean =>
  JSON.stringify({ ...one, expires_at: null }) === JSON.stringify({ ...other, expires_at: null });

export type AppState = ReturnType<typeof createAppState>;

export function createAppState(loadTexts: (language: Language) => Promise<Texts>) {
  const kept = createKept(localStorage);
  const session = signal<SessionState>({ kind: 'asking' });
  const chosen = kept.read('language');
  const language = signal<Language>(
    chosen !== undefined && isLanguage(chosen) ? chosen : languageOf(navigator.languages),
  );
  const texts = signal<Texts>(ENGLISH);
  /** By the clock of the service as far as it is known: ages must not depend on the clock of a phone. */
  const aheadMs = signal(0);
  const tickMs = signal(nowMs());
  const ticker = createTicker({
    after,
    isShown: () => document.visibilityState === 'visible',
    tick: () => {
      tickMs.value = nowMs();
    },
  });
  const presence = createPresence(nowMs);
  const ask: Ask = createAsk({
    isAttended: presence.isThere,
    onRefused(status, path) {
      if (path === SESSION || session.value.kind !== 'open') return;
      if (status === 401) session.value = { kind: 'none' };
      if (status === 403) void lookAgain();
    },
  });
  const build = createBuild(filesOf(document.head.innerHTML));
  let chosenLast = language.value;
  let isLooking = false;
  /** Asks who this is and what they may do now. What has not changed stays the same object. */
  const lookAgain = async () => {
    if (isLooking) return;
    isLooking = true;
    const before = session.value;
    const outcome = await ask<Answer<Session>>({ path: SESSION });
    isLooking = false;
    // A person has logged in or out meanwhile.
    if (session.value !== before) return;
    if (outcome.kind === 'ok') {
      const { data } = outcome.answer;
      if (before.kind !== 'open' || !isSame(before.session, data)) session.value = { kind: 'open', session: data };
    } else if (
      outcome.kind === 'refused' &&
      (outcome.status === 401 || (before.kind !== 'open' && outcome.status < 500))
    )
      session.value = { kind: 'none' };
    else if (before.kind !== 'open') session.value = { kind: 'unreachable' };
  };
  const speak = async (wanted: Language) => {
    chosenLast = wanted;
    const loaded = await loadTexts(wanted).catch(() => {
      void build.check();
      return undefined;
    });
    // The words did not come, or a newer choice has come meanwhile: the page goes on in the words that it has.
    if (loaded === undefined || chosenLast !== wanted) return;
    texts.value = loaded;
    language.value = wanted;
    document.documentElement.lang = wanted;
  };
  return {
    kept,
    session,
    language,
    texts,
    ask,
    build,
    presence,
    format: computed(() => createFormat(language.value)),
    /** By the clock of this device, about once a second. */
    tickMs,
    nowMs: computed(() => tickMs.value + aheadMs.value),
    /** News has come; by the service it is now `atMs`. */
    noteNews: (atMs: number) => {
      ticker.news();
      const ahead = atMs - nowMs();
      // What the way takes is no difference of clocks.
      if (Math.abs(ahead - aheadMs.value) > 1_500) aheadMs.value = ahead;
    },
    speak: (wanted: Language) => {
      kept.write('language', wanted);
      return speak(wanted);
    },
    /** An administrator may have changed what this person may do. */
    lookAgain,
    /** Asks who this is, and begins with the language. */
    async start() {
      ticker.start();
      void speak(language.value);
      await lookAgain();
    },
  };
}

export const AppContext = createContext<AppState | undefined>(undefined);

export function useApp(): AppState {
  const app = useContext(AppContext);
  if (app === undefined) throw new Error('draw a part of the page: it is outside the page');
  return app;
}

/** Its caller is drawn anew when the language changes. */
export const useTexts = (): Texts => useApp().texts.value;

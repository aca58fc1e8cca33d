// The smallest parts that every screen is made of: ages, states, notes of what went wrong.
import { computed } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useMemo } from 'preact/hooks';
import { useApp, useTexts } from '../app-state.ts';
import type { Refusal } from '../live/ask/use-asked.ts';
import type { ShownState } from '../model/label.ts';
import type { Texts } from '../text/texts.ts';

/** How long ago; it counts on by itself. */
export function Age({ atMs }: { atMs: number | null | undefined }) {
  return atMs === null || atMs === undefined ? <span>–</span> : <KnownAge atMs={atMs} />;
}

/** Each second only its text is written: nothing is drawn anew for it. */
function KnownAge({ atMs }: { atMs: number }) {
  const { nowMs, format } = useApp();
  const text = useMemo(() => computed(() => format.value.duration(nowMs.value - atMs)), [nowMs, format, atMs]);
  return <time dateTime={new Date(atMs).toISOString()}>{text}</time>;
}

/** How old the whole of a screen is that was asked for; by the clock of this device. */
export function ReadAge({ atMs }: { atMs: number | undefined }) {
  const { tickMs, format } = useApp();
  const texts = useTexts();
  if (atMs === undefined) return null;
  return <p class="note">{texts.miner.ageOf(format.value.duration(tickMs.value - atMs))}</p>;
}

/** Each has a shape beside its colour. */
const SHAPES = {
  ok: '●',
  ill: '✖',
  silent: '○',
  missing: '◌',
  unknown: '?',
  asleep: '☾',
  maintenance: '⚒',
  off: '■',
  retired: '–',
  off_rack: '–',
  transit: '–',
  archived: '–',
} as const satisfies Readonly<Record<ShownState, string>>;

export function StateMark({ state }: { state: ShownState }) {
  const texts = useTexts();
  return (
    <span class={`state state-${state}`} title={texts.state[state]}>
      <span aria-hidden="true">{SHAPES[state]}</span>
      <span class="hidden">{texts.state[state]}</span>
    </span>
  );
}

export function refusalText(refusal: Refusal, texts: Texts, duration: (ms: number) => string): string {
  if (refusal.kind === 'unreachable') return texts.common.notReached;
  if (refusal.status === 403) return `${texts.common.forbidden} (${refusal.message})`;
  if (refusal.status === 429 && refusal.retryAfterS !== undefined)
    return texts.common.tooOften(duration(refusal.retryAfterS * 1_000));
  return `${texts.common.refused} ${refusal.message}`;
}

/** Of what begins a session: no role is known there, so it is the address that is refused. */
export const entryText = (refusal: Refusal, texts: Texts, duration: (ms: number) => string): string =>
  refusal.kind === 'refused' && refusal.status === 403
    ? `${texts.login.notHere} (${refusal.message})`
    : refusalText(refusal, texts, duration);

export function RefusalNote({ refusal }: { refusal: Refusal | undefined }) {
  const { format } = useApp();
  const texts = useTexts();
  if (refusal === undefined) return null;
  return (
    <p class="note note-bad" role="alert">
      {refusalText(refusal, texts, format.value.duration)}
    </p>
  );
}

export function Loading() {
  return <p class="note">{useTexts().common.loading}</p>;
}

/** A name and its value in a list of facts. */
export function Fact({ name, children }: { name: string; children: ComponentChildren }) {
  return (
    <div class="fact">
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}

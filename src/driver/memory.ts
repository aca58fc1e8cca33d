// What a miner answered earlier to the questions that are asked seldom, and when each question is due again. One per miner; the caller drops it
// when the miner changes its driver or its login. Kept as text: it costs less than objects and nobody can change it by accident.
import type { PeerError } from '../base/errors.ts';
import type { Ask } from './contract.ts';

/** How old answers of `slow` and `static` asks may grow, ms. */
export type Rhythms = { readonly slowMs: number; readonly staticMs: number };

type Entry = {
  askedAtMs: number;
  answeredAtMs?: number;
  /** Answer as JSON text. */
  text?: string;
  /** Why the newest try failed. */
  error?: PeerError;
};

export type VisitMemory = {
  /** By name of the ask; asks of the `poll` rhythm have an entry only while they fail. */
  readonly entries: Map<string, Entry>;
  /** Set when the device restarted or nothing was answered: everything is asked again. */
  isStale: boolean;
  /** Share of the rhythm, [0, 1): miners that were all asked everything at once spread out again by it. */
  readonly phase: number;
  uptimeS?: number;
};

export function createVisitMemory(phase = 0): VisitMemory {
  return { entries: new Map(), isStale: true, phase };
}

/** Larger answers are not kept: they are asked for at every visit. */
const MAX_TEXT_LENGTH = 64 * 1024;
/** An answer that could not be refreshed is dropped at this many times its rhythm. */
const LIFETIMES = 3;
/** Polls come with jitter: an answer that is about to fall due is asked for now rather than one poll late. */
const EARLY = 0.9;

function rhythmMs(ask: Ask, rhythms: Rhythms): number {
  switch (ask.every) {
    case 'poll':
      return 0;
    case 'slow':
      return rhythms.slowMs;
    case 'static':
      return rhythms.staticMs;
  }
}

/** Whether to ask now. What failed in passing is asked again at once; what the device refuses, after `slowMs`. */
export function isDue(memory: VisitMemory, name: string, ask: Ask, rhythms: Rhythms, nowMs: number): boolean {
  const entry = memory.entries.get(name);
  if (entry === undefined || memory.isStale || ask.every === 'poll') return true;
  if (entry.error !== undefined) {
    return entry.error.retry === 'soon' || nowMs - entry.askedAtMs >= rhythms.slowMs * EARLY;
  }
  return entry.text === undefined || nowMs - entry.askedAtMs >= rhythmMs(ask, rhythms) * EARLY;
}

/** Whether the device refused it lately for a reason that does not pass by itself: its substitute is asked in its place. */
export function refusedLately(
  memory: VisitMemory,
  name: string,
  rhythms: Rhythms,
  nowMs: number,
): PeerError | undefined {
  const entry = memory.entries.get(name);
  if (entry?.error === undefined || memory.isStale || nowMs - entry.askedAtMs >= rhythms.slowMs) return undefined;
  return entry.error.code === 'peer.unsupported' || entry.error.code === 'peer.permission' ? entry.error : undefined;
}

export function keepAnswer(
  memory: VisitMemory,
  name: string,
  ask: Ask,
  answer: unknown,
  rhythms: Rhythms,
  nowMs: number,
): void {
  memory.entries.delete(name);
  if (ask.every === 'poll') return;
  const text = JSON.stringify(answer);
  if (text === undefined || text.length > MAX_TEXT_LENGTH) return;
  const agedMs = memory.isStale ? (memory.phase * rhythmMs(ask, rhythms)) / 2 : 0;
  memory.entries.set(name, { askedAtMs: nowMs - agedMs, answeredAtMs: nowMs, text });
}

export function keepFailure(memory: VisitMemory, name: string, error: PeerError, nowMs: number): void {
  memory.entries.set(name, { ...memory.entries.get(name), askedAtMs: nowMs, error });
}

/** The error of an ask that failed and was not asked again since. */
export function lastError(memory: VisitMemory, name: string): PeerError | undefined {
  return memory.entries.get(name)?.error;
}

/** The kept answer of a seldom ask, or undefined when there is none or it is too old to be told. */
export function keptAnswer(memory: VisitMemory, name: string, ask: Ask, rhythms: Rhythms, nowMs: number): unknown {
  const entry = memory.entries.get(name);
  if (entry?.text === undefined || entry.answeredAtMs === undefined) return undefined;
  if (nowMs - entry.answeredAtMs > LIFETIMES * rhythmMs(ask, rhythms)) {
    delete entry.text;
    return undefined;
  }
  const answer: unknown = JSON.parse(entry.text);
  return answer;
}

// What a miner answered to the questions that are asked seldom, and when each is due again. One per miner and driver.
// Kept as text: it costs less than objects and cannot be changed by accident.
import { PeerError } from '../../base/errors.ts';
import type { Ask } from '../contract.ts';

/** How old answers of `slow` and `static` asks may grow, ms. */
export type Rhythms = { readonly slowMs: number; readonly staticMs: number };

type Entry = {
  askedAtMs: number;
  answeredAtMs?: number;
  /** Answer as JSON text. */
  text?: string;
  /** Why the newest try failed. An error itself holds its stack: of thousands of miners that is megabytes. */
  error?: Pick<PeerError, 'code' | 'message' | 'retry'>;
};

/** Larger answers are not kept: they are asked for at every visit. */
const MAX_TEXT_LENGTH = 64 * 1024;
/** An answer that could not be refreshed is dropped at this many times its rhythm. */
const LIFETIMES = 3;
/** Polls come with jitter: an answer that is about to fall due is asked for now rather than one poll late. */
const EARLY = 0.9;
/** Devices count uptime coarsely, and not in the same place for each answer. */
const UPTIME_SLACK_S = 10;

function rhythmMs({ every }: Ask, { slowMs, staticMs }: Rhythms): number {
  if (every === 'poll') return 0;
  return every === 'slow' ? slowMs : staticMs;
}

const errorOf = (entry: Entry | undefined) =>
  entry?.error && new PeerError(entry.error.code, entry.error.message, entry.error.retry);

export class VisitMemory {
  /** By name of the ask; asks of the `poll` rhythm have an entry only while they fail. */
  readonly #entries = new Map<string, Entry>();
  readonly #phase: number;
  #uptimeS: number | undefined;
  #isHashing: boolean | undefined;
  /** It stopped or began to hash: whether its owner has put it to sleep is among the slow answers. */
  #hasTurned = false;
  /** Set when the device restarted or nothing was answered: everything is asked again. */
  isStale = true;
  /** The device refused the login at the last visit: everything is asked again once it accepts a login. */
  isLocked = false;

  /** `phase` = share of the rhythm, [0, 1): miners that were all asked everything at once spread out again by it. */
  constructor(phase = 0) {
    this.#phase = phase;
  }

  /** Whether to ask now. What failed in passing is asked again at once; what the device refuses, after `slowMs`. */
  isDue(name: string, ask: Ask, rhythms: Rhythms, nowMs: number): boolean {
    const entry = this.#entries.get(name);
    if (entry === undefined || this.isStale || ask.every === 'poll') return true;
    if (this.#hasTurned && ask.every === 'slow' && entry.error === undefined) return true;
    if (entry.error !== undefined) {
      return entry.error.retry === 'soon' || nowMs - entry.askedAtMs >= rhythms.slowMs * EARLY;
    }
    return entry.text === undefined || nowMs - entry.askedAtMs >= rhythmMs(ask, rhythms) * EARLY;
  }

  /**
   * Why the device refused it recently, if the reason does not pass: its substitute is asked in its place.
   */
  recentRefusal(name: string, { slowMs }: Rhythms, nowMs: number): PeerError | undefined {
    const entry = this.#entries.get(name);
    if (entry?.error === undefined || this.isStale || nowMs - entry.askedAtMs >= slowMs) return undefined;
    const { code } = entry.error;
    return code === 'peer.unsupported' || code === 'peer.permission' ? errorOf(entry) : undefined;
  }

  keepAnswer(name: string, ask: Ask, answer: unknown, rhythms: Rhythms, nowMs: number): void {
    this.#entries.delete(name);
    if (ask.every === 'poll') return;
    const text = JSON.stringify(answer);
    if (text === undefined || text.length > MAX_TEXT_LENGTH) return;
    const agedMs = this.isStale ? (this.#phase * rhythmMs(ask, rhythms)) / 2 : 0;
    this.#entries.set(name, { askedAtMs: nowMs - agedMs, answeredAtMs: nowMs, text });
  }

  keepFailure(name: string, error: PeerError, nowMs: number): void {
    const { code, message, retry } = error;
    this.#entries.set(name, { ...this.#entries.get(name), askedAtMs: nowMs, error: { code, message, retry } });
  }

  /** The error of an ask that failed and was not asked again since. */
  lastError(name: string): PeerError | undefined {
    return errorOf(this.#entries.get(name));
  }

  /** The kept answer of a seldom ask, or undefined when there is none or it is too old. */
  keptAnswer(name: string, ask: Ask, rhythms: Rhythms, nowMs: number): unknown {
    const entry = this.#entries.get(name);
    if (entry?.text === undefined || entry.answeredAtMs === undefined) return undefined;
    if (nowMs - entry.answeredAtMs > LIFETIMES * rhythmMs(ask, rhythms)) {
      delete entry.text;
      return undefined;
    }
    return JSON.parse(entry.text);
  }

  /** After each visit. The next one asks the slow questions again when the hashing has stopped or begun. */
  noteHashing(hashrateHs: number | undefined): void {
    const isHashing = hashrateHs === undefined ? this.#isHashing : hashrateHs > 0;
    this.#hasTurned = this.#isHashing !== undefined && isHashing !== this.#isHashing;
    this.#isHashing = isHashing;
  }

  /** Uptime that went back means a restart: serial numbers, versions and settings may be other ones now. */
  noteUptime(uptimeS: number | undefined): void {
    if (uptimeS === undefined) return;
    if (this.#uptimeS !== undefined && uptimeS < this.#uptimeS - UPTIME_SLACK_S) this.isStale = true;
    this.#uptimeS = uptimeS;
  }
}

// The asks of one visit: sends those that are due, one at a time, then the substitutes of those that failed. A port
// that is closed or silent costs little time. It reads no answer and sends nothing twice.
import type { Clock } from '../../base/clock.ts';
import { PeerError } from '../../base/errors.ts';
import type { MinerLink } from '../../transport/request.ts';
import type { Ask, Driver } from '../contract.ts';
import type { Rhythms, VisitMemory } from './memory.ts';

export type AskPlan = {
  readonly driver: Pick<Driver, 'quirks'>;
  readonly link: MinerLink;
  /** Of this miner and this driver; the visit updates it. */
  readonly memory: VisitMemory;
  readonly rhythms: Rhythms;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Total, all asks and pauses together. */
  readonly deadlineMs: number;
};

type NamedAsk = readonly [string, Ask];

/** Least time worth giving to a question that shares the visit with others. */
const SHARE_MS = 1_000;
/** A port with so many strikes is left alone. */
const MAX_STRIKES = 2;

type PortState = { strikes: number; last?: PeerError };

export class Asking {
  readonly answers = new Map<string, unknown>();
  readonly failed = new Map<string, PeerError>();
  readonly #plan: AskPlan;
  readonly #asks: readonly NamedAsk[];
  readonly #startMs: number;
  readonly #sent = new Set<string>();
  /** By listening socket of the device. */
  readonly #ports = new Map<string, PortState>();

  constructor(plan: AskPlan, asks: readonly NamedAsk[], startMs: number) {
    this.#plan = plan;
    this.#asks = asks;
    this.#startMs = startMs;
  }

  /** Throws what a link throws beside PeerError. */
  async run(): Promise<void> {
    const due = this.#asks.filter((entry) => entry[1].insteadOf === undefined && this.#isWorthSending(entry));
    for (let batch = due.length > 0 ? due : await this.#next(); batch.length > 0; batch = await this.#next()) {
      let waiting = batch.length;
      try {
        for (const [name, ask] of batch) await this.#send(name, ask, --waiting);
      } catch (error) {
        // Ended before the first answer: the device may have restarted since, or be another unit.
        if (this.answers.size === 0) this.#plan.memory.isStale = true;
        throw error;
      }
    }
  }

  async #next(): Promise<readonly NamedAsk[]> {
    const batch = this.#reopened();
    return batch.length > 0 ? batch : await this.#substitutes();
  }

  /** The device accepts the login again, and may be another unit than before: all that was not asked yet. */
  #reopened(): readonly NamedAsk[] {
    const { memory } = this.#plan;
    if (!memory.isLocked || this.answers.size === 0) return [];
    memory.isLocked = false;
    memory.isStale = true;
    return this.#asks.filter(([name, { insteadOf }]) => insteadOf === undefined && !this.#sent.has(name));
  }

  /** Substitutes of what failed, and the substitutes of those. */
  async #substitutes(): Promise<readonly NamedAsk[]> {
    const { answers, failed } = this;
    for (;;) {
      const failedBefore = failed.size;
      const batch: NamedAsk[] = [];
      for (const entry of this.#asks) {
        const [name, { insteadOf, isLacking }] = entry;
        if (insteadOf === undefined || answers.has(name) || failed.has(name)) continue;
        const isLackingNow = answers.has(insteadOf) && (await isLacking?.(answers.get(insteadOf))) === true;
        if ((failed.has(insteadOf) || isLackingNow) && this.#isWorthSending(entry)) batch.push(entry);
      }
      if (batch.length > 0 || failed.size === failedBefore) return batch;
    }
  }

  /** Whether to send it now. An ask that was refused before and is not sent fails again. */
  #isWorthSending([name, ask]: NamedAsk): boolean {
    const { memory, rhythms } = this.#plan;
    const lead = ask.goesWith === undefined ? undefined : memory.recentRefusal(ask.goesWith, rhythms, this.#startMs);
    const isLeftAlone = lead !== undefined || this.#isSubstituted(name);
    if (!isLeftAlone && memory.isDue(name, ask, rhythms, this.#startMs)) return true;
    const error = lead ?? memory.lastError(name);
    if (error !== undefined) this.failed.set(name, error);
    return false;
  }

  /** A question that the device refused recently is not repeated at each visit if another one stands in for it. */
  #isSubstituted(name: string): boolean {
    const refusal = this.#plan.memory.recentRefusal(name, this.#plan.rhythms, this.#startMs);
    return refusal !== undefined && this.#asks.some(([, other]) => other.insteadOf === name);
  }

  async #send(name: string, ask: Ask, waiting: number): Promise<void> {
    const { link, clock, driver, signal, deadlineMs } = this.#plan;
    const what = `${name} of ${link.ip}`;
    const port = this.#portOf(ask);
    if (this.#sent.size > 0 && driver.quirks.gapMs) await clock.sleep(driver.quirks.gapMs, signal);
    this.#sent.add(name);
    const leftMs = this.#startMs + deadlineMs - clock.monotonicMs();
    if (leftMs <= 0) return this.#fail(name, new PeerError('peer.timeout', `ask ${what} within the visit`, 'soon'));
    if (port.strikes >= MAX_STRIKES && port.last)
      return this.#fail(name, new PeerError(port.last.code, `ask ${what}`, port.last.retry));
    const mostMs = waiting > 0 ? Math.max(leftMs / 2, Math.min(SHARE_MS, leftMs)) : leftMs;
    try {
      const answer = await link.send(ask, { deadlineMs: mostMs, ...(signal && { signal }) });
      this.answers.set(name, answer);
      this.failed.delete(name);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code === 'peer.refused' || error.code === 'peer.unreachable') port.strikes += MAX_STRIKES;
      if (error.code === 'peer.timeout') port.strikes++;
      port.last = error;
      this.#fail(name, error);
    }
  }

  #portOf(ask: Ask): PortState {
    const name = `${ask.via}:${'port' in ask ? ask.port : ''}`;
    const known = this.#ports.get(name);
    if (known !== undefined) return known;
    const port = { strikes: 0 };
    this.#ports.set(name, port);
    return port;
  }

  #fail(name: string, error: PeerError): void {
    this.failed.set(name, error);
    this.#plan.memory.keepFailure(name, error, this.#plan.clock.monotonicMs());
  }
}

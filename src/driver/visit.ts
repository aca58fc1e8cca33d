// One visit to one miner: asks what is due, one question at a time, adds what earlier visits learned, has the driver
// read it all. The caller holds the device mutex and decides when to visit; a visit never retries, never queues and
// ends within its deadline.
import { z } from 'zod';
import type { Clock } from '../base/clock.ts';
import { BugError, type PeerCode, PeerError } from '../base/errors.ts';
import { type Reading, readingSchema } from '../model/reading.ts';
import type { MinerLink } from '../transport/request.ts';
import type { Ask, Driver, Known, ReadResult } from './contract.ts';
import type { Rhythms, VisitMemory } from './memory.ts';

export type Visit = {
  readonly driver: Driver;
  readonly link: MinerLink;
  readonly known: Known;
  /** Of this miner and this driver; the visit updates it. */
  readonly memory: VisitMemory;
  readonly rhythms: Rhythms;
  readonly clock: Clock;
  readonly signal?: AbortSignal;
  /** Total, all asks and pauses together. */
  readonly deadlineMs: number;
};

export type VisitOutcome = {
  readonly reading: Reading;
  /** Asks that were sent and answered in this visit. */
  readonly answered: readonly string[];
  /** Asks without an answer: those that failed now, and those that were refused recently and are not due yet. */
  readonly failed: readonly { readonly ask: string; readonly error: PeerError }[];
  /** Asks whose answer made no sense, and `reading.<field>` for fields that the driver got wrong. */
  readonly unparsable: readonly string[];
  /** The device refuses our login for some asks: what they would tell is missing. */
  readonly isLoginRefused: boolean;
  /** The device lets in whoever knows the family's factory login. Set by whoever holds the logins. */
  readonly isFactoryLogin?: boolean;
  readonly elapsedMs: number;
};

/** Codes that tell most about a device when nothing was answered, most telling first. */
const TELLING: readonly PeerCode[] = [
  'peer.tls-key',
  'peer.auth',
  'peer.permission',
  'peer.rejected',
  'peer.unsupported',
  'peer.busy',
  'peer.unparsable',
  'peer.too-large',
  'peer.reset',
  'peer.refused',
  'peer.timeout',
  'peer.unreachable',
];

/** Least time worth giving to a question that shares the visit with others. */
const SHARE_MS = 1_000;

/**
 * Throws the most telling PeerError when no ask was answered with sense, CancelledError when the signal aborts,
 * BugError when the driver throws. A refused login or a silent port loses what it would have told and nothing else.
 */
export async function visit(plan: Visit): Promise<VisitOutcome> {
  const { driver, known, memory, rhythms, clock } = plan;
  const startMs = clock.monotonicMs();
  const asks = Object.entries(driver.asks).filter(([, ask]) => isFor(ask, known));
  const { answers, failed } = await sendDue(plan, asks, startMs);

  const read = (isUsable: (name: string) => boolean) => {
    const raw: Record<string, unknown> = {};
    for (const [name, ask] of asks) {
      const isFresh = answers.has(name) && isUsable(name);
      const answer = isFresh ? answers.get(name) : memory.keptAnswer(name, ask, rhythms, startMs);
      if (answer !== undefined) raw[name] = answer;
    }
    return readSafely(driver, raw, known);
  };
  let result = read(() => true);
  const nonsense = new Set(result.unparsable);
  const answered = [...answers.keys()];
  // What the miner said last time is better than an answer without sense.
  if (answered.some((name) => nonsense.has(name))) {
    const older = read((name) => !nonsense.has(name));
    result = { reading: older.reading, unparsable: [...new Set([...nonsense, ...older.unparsable])] };
  }
  for (const [name, ask] of asks) {
    if (!answers.has(name)) continue;
    if (nonsense.has(name)) {
      memory.keepFailure(name, new PeerError('peer.unparsable', `read ${name}`, 'later'), clock.monotonicMs());
    } else memory.keepAnswer(name, ask, answers.get(name), rhythms, clock.monotonicMs());
  }
  if (answered.every((name) => nonsense.has(name))) {
    memory.isLocked = [...failed.values()].some(({ code }) => code === 'peer.auth');
    memory.isStale = !memory.isLocked;
    throw mostTelling([...failed.values()], answered.length > 0, `read ${plan.link.ip} as ${driver.id}`);
  }
  memory.isStale = false;
  memory.isLocked = false;
  memory.noteUptime(result.reading.uptimeS ?? result.reading.systemUptimeS);
  memory.noteHashing(result.reading.hashrateHs);
  return {
    ...result,
    answered,
    failed: [...failed].map(([ask, error]) => ({ ask, error })),
    isLoginRefused: asks.some(([name, ask]) => mayCarryLogin(ask) && failed.get(name)?.code === 'peer.auth'),
    elapsedMs: clock.monotonicMs() - startMs,
  };
}

/** A page that wants a login where none is sent has refused none. */
export const mayCarryLogin = (ask: Ask): boolean => ask.via !== 'http' || ask.auth !== 'none';

const isFor = ({ generations }: Ask, { generation }: Known) =>
  generations === undefined || generation === undefined || generations.includes(generation);

/** What became of a listening socket of the device in this visit. Two strikes and it is left alone. */
type PortState = { strikes: number; last?: PeerError };

async function sendDue(plan: Visit, asks: readonly (readonly [string, Ask])[], startMs: number) {
  const { link, memory, rhythms, clock, driver } = plan;
  const answers = new Map<string, unknown>();
  const failed = new Map<string, PeerError>();
  const sent = new Set<string>();
  const ports = new Map<string, PortState>();
  const endMs = startMs + plan.deadlineMs;
  let waiting = 0;
  let hasSent = false;

  const fail = (name: string, error: PeerError, isFresh: boolean) => {
    failed.set(name, error);
    if (isFresh) memory.keepFailure(name, withoutCause(error), clock.monotonicMs());
  };

  const send = async (name: string, ask: Ask) => {
    waiting--;
    sent.add(name);
    const what = `${name} of ${link.ip}`;
    const port: PortState = ports.get(portOf(ask)) ?? { strikes: 0 };
    ports.set(portOf(ask), port);
    if (hasSent && driver.quirks.gapMs) await clock.sleep(driver.quirks.gapMs, plan.signal);
    hasSent = true;
    const leftMs = endMs - clock.monotonicMs();
    if (leftMs <= 0) return fail(name, new PeerError('peer.timeout', `ask ${what} within the visit`, 'soon'), true);
    // A port that is closed, or was silent twice, costs no further time in this visit.
    if (port.strikes >= 2 && port.last)
      return fail(name, new PeerError(port.last.code, `ask ${what}`, port.last.retry), true);
    const deadlineMs = waiting > 0 ? Math.max(leftMs / 2, Math.min(SHARE_MS, leftMs)) : leftMs;
    try {
      const answer = await link.send(ask, { deadlineMs, ...(plan.signal && { signal: plan.signal }) });
      answers.set(name, answer);
      failed.delete(name);
    } catch (error) {
      if (!(error instanceof PeerError)) throw error;
      if (error.code === 'peer.refused' || error.code === 'peer.unreachable') port.strikes += 2;
      if (error.code === 'peer.timeout') port.strikes++;
      port.last = error;
      fail(name, error, true);
    }
  };

  /** A question that the device refused recently is not repeated at each visit if another one stands in for it. */
  const isSubstituted = (name: string) =>
    memory.recentRefusal(name, rhythms, startMs) !== undefined && asks.some(([, other]) => other.insteadOf === name);

  /** Whether to send it now. What was refused before and is left alone fails again without being sent. */
  const isWorthSending = ([name, ask]: readonly [string, Ask]): boolean => {
    const lead = ask.goesWith === undefined ? undefined : memory.recentRefusal(ask.goesWith, rhythms, startMs);
    const isLeftAlone = lead !== undefined || isSubstituted(name);
    if (!isLeftAlone && memory.isDue(name, ask, rhythms, startMs)) return true;
    const error = lead ?? memory.lastError(name);
    if (error !== undefined) fail(name, error, false);
    return false;
  };
  const due = asks.filter((entry) => entry[1].insteadOf === undefined && isWorthSending(entry));
  // Then the substitutes of what failed, and theirs.
  const substitutes = () => {
    for (;;) {
      const failedBefore = failed.size;
      const batch = asks.filter((entry) => {
        const [name, { insteadOf, isLacking }] = entry;
        if (insteadOf === undefined || answers.has(name) || failed.has(name)) return false;
        const isLackingNow = answers.has(insteadOf) && isLacking?.(answers.get(insteadOf)) === true;
        return (failed.has(insteadOf) || isLackingNow) && isWorthSending(entry);
      });
      if (batch.length > 0 || failed.size === failedBefore) return batch;
    }
  };
  /** It lets us in again, and may be another unit than the one that did before: all that was not asked yet. */
  const reopened = () => {
    if (!memory.isLocked || answers.size === 0) return [];
    memory.isLocked = false;
    memory.isStale = true;
    return asks.filter(([name, { insteadOf }]) => insteadOf === undefined && !sent.has(name));
  };
  const next = () => {
    const batch = reopened();
    return batch.length > 0 ? batch : substitutes();
  };
  for (let batch = due.length > 0 ? due : next(); batch.length > 0; batch = next()) {
    waiting = batch.length;
    try {
      for (const [name, ask] of batch) await send(name, ask);
    } catch (error) {
      // Cut short before it said a word: whoever answers next may have restarted, or be another unit.
      if (answers.size === 0) memory.isStale = true;
      throw error;
    }
  }
  return { answers, failed };
}

/** Asks that share a listening socket of the device. */
const portOf = (ask: Ask) => `${ask.via}:${'port' in ask ? ask.port : ''}`;

/** Kept for minutes for thousands of miners: the chain of causes and the stack would weigh more than the answers. */
const withoutCause = (error: PeerError) => new PeerError(error.code, error.message, error.retry);

const readingCheck = z.compile(readingSchema);

function readSafely(driver: Driver, raw: Readonly<Record<string, unknown>>, known: Known): ReadResult {
  let result: ReadResult;
  try {
    result = driver.read(raw, known);
  } catch (error) {
    throw new BugError(`read the answers of a device with driver ${driver.id}`, error);
  }
  const checked = readingCheck.safeParse(result.reading);
  if (checked.success) return { reading: checked.data, unparsable: result.unparsable };
  const wrong = new Set(checked.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.fromEntries(Object.entries(result.reading).filter(([field]) => !wrong.has(field)));
  return {
    reading: readingSchema.parse(rest),
    unparsable: [...result.unparsable, ...[...wrong].map((field) => `reading.${field}`)],
  };
}

function mostTelling(failures: readonly PeerError[], isNonsense: boolean, what: string): PeerError {
  const nonsense = new PeerError('peer.unparsable', what, 'later');
  const rank = ({ code }: PeerError) => TELLING.indexOf(code);
  const [first = nonsense] = [...failures, ...(isNonsense ? [nonsense] : [])].toSorted((a, b) => rank(a) - rank(b));
  return first;
}

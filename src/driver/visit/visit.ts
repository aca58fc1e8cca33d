// One visit to one miner: asks what is due, adds what earlier visits learned, and has the driver read it all. The
// caller holds the device mutex. A visit never retries, never queues and ends within its deadline.
import { BugError, type PeerCode, PeerError } from '../../base/errors.ts';
import { type Reading, readingSchema } from '../../model/reading.ts';
import type { ReadRequest } from '../../transport/request.ts';
import { compiledWhenUsed } from '../compiled.ts';
import type { Ask, Driver, Known, ReadResult } from '../contract.ts';
import { Asking, type AskPlan } from './asking.ts';
import { CostlyAnswer, MAX_READ_MS, processorMs } from './costly.ts';

export type Visit = AskPlan & {
  readonly driver: Driver;
  readonly known: Known;
  /** As `processorMs` of costly.ts, which is used where it is absent. */
  readonly processorMs?: () => number;
};

export type VisitOutcome = {
  readonly reading: Reading;
  /** Asks that were sent and answered in this visit. */
  readonly answered: readonly string[];
  /** Asks without an answer: those that failed now, and those that were refused recently and are not due yet. */
  readonly failed: readonly { readonly ask: string; readonly error: PeerError }[];
  /** Asks whose answer made no sense, and `reading.<field>` for fields that the driver got wrong. */
  readonly unparsable: readonly string[];
  /** The device refuses our login for some asks: their answers are missing. */
  readonly isLoginRefused: boolean;
  /** The device accepts the family's factory login. Set by the module that holds the logins. */
  readonly isFactoryLogin?: boolean;
  readonly elapsedMs: number;
};

/** When nothing was answered: the codes that say most about a device come first. */
const BY_MEANING: readonly PeerCode[] = [
  'peer.tls-key',
  'peer.auth',
  'peer.permission',
  'peer.rejected',
  'peer.unsupported',
  'peer.busy',
  'peer.unparsable',
  'peer.costly',
  'peer.too-large',
  'peer.reset',
  'peer.refused',
  'peer.timeout',
  'peer.unreachable',
];

/**
 * Throws the most meaningful PeerError when no ask was answered with sense, CancelledError when the signal aborts,
 * BugError when the driver throws, CostlyAnswer when it takes too long. A refused login or a silent port loses its own
 * answers and nothing else.
 */
export async function visit(plan: Visit): Promise<VisitOutcome> {
  const { driver, known, memory, rhythms, clock } = plan;
  const startMs = clock.monotonicMs();
  const asks = Object.entries(driver.asks).filter(([, ask]) => isFor(ask, known));
  const asking = new Asking(plan, asks, startMs);
  await asking.run();
  const { answers, failed } = asking;

  const { processorMs: spentMs = processorMs } = plan;
  const read = (isUsable: (name: string) => boolean) => {
    const raw: Record<string, unknown> = {};
    for (const [name, ask] of asks) {
      const isFresh = answers.has(name) && isUsable(name);
      const answer = isFresh ? answers.get(name) : memory.keptAnswer(name, ask, rhythms, startMs);
      if (answer !== undefined) raw[name] = answer;
    }
    const sinceMs = spentMs();
    const result = readSafely(driver, raw, known);
    const tookMs = spentMs() - sinceMs;
    if (tookMs > MAX_READ_MS) throw new CostlyAnswer(`read ${plan.link.ip} as ${driver.id}`, tookMs);
    return result;
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
    throw mostMeaningful([...failed.values()], answered.length > 0, `read ${plan.link.ip} as ${driver.id}`);
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
export const mayCarryLogin = (ask: ReadRequest): boolean => ask.via !== 'http' || ask.auth !== 'none';

const isFor = ({ generations }: Ask, { generation }: Known) =>
  generations === undefined || generation === undefined || generations.includes(generation);

const readingCheck = compiledWhenUsed(readingSchema);

function readSafely(driver: Driver, raw: Readonly<Record<string, unknown>>, known: Known): ReadResult {
  let result: ReadResult;
  try {
    result = driver.read(raw, known);
  } catch (error) {
    throw new BugError(`read the answers of a device with driver ${driver.id}`, error);
  }
  const checked = readingCheck(result.reading);
  if (checked.success) return { reading: checked.data, unparsable: result.unparsable };
  const wrong = new Set(checked.error.issues.map(({ path }) => String(path[0])));
  const rest = Object.fromEntries(Object.entries(result.reading).filter(([field]) => !wrong.has(field)));
  return {
    reading: readingSchema.parse(rest),
    unparsable: [...result.unparsable, ...[...wrong].map((field) => `reading.${field}`)],
  };
}

function mostMeaningful(failures: readonly PeerError[], isNonsense: boolean, what: string): PeerError {
  const nonsense = new PeerError('peer.unparsable', what, 'later');
  const rank = ({ code }: PeerError) => BY_MEANING.indexOf(code);
  const [first = nonsense] = [...failures, ...(isNonsense ? [nonsense] : [])].toSorted((a, b) => rank(a) - rank(b));
  return first;
}

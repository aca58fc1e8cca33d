// One bounded look at the unit that a task is about, and what it means when that is at another address. It judges
// nothing that the unit tells.
import { type PeerCode, PeerError, RefusedError, renderError } from '../../../../base/errors.ts';
import { withDeadline } from '../../../../base/time/deadline.ts';
import type { Reading } from '../../../../model/reading.ts';
import type { TaskOutcome, TaskParts } from '../../contract.ts';
import type { StoredTask } from '../../stored-task.ts';
import type { Look } from './proof.ts';

type Whom = Pick<StoredTask, 'minerKey' | 'unit'>;

/** `observe` within the time that one look may take. Throws what it throws. */
export function observeWithin(
  { clock, settings, deps }: TaskParts,
  minerKey: string,
  signal: AbortSignal,
  isFresh: boolean,
): Promise<Reading> {
  const onDeadline = () => new PeerError('peer.timeout', `look at miner ${minerKey}`, 'soon');
  return withDeadline(clock, { deadlineMs: settings.observeS * 1_000, signal, onDeadline }, (within) =>
    deps.observe(minerKey, within, isFresh),
  );
}

/**
 * Looks at the unit that a task began with. `isFresh` = nothing that it said earlier is taken for an answer. Rejects
 * with CancelledError when `signal` aborts, and with RefusedError when the miner stands at another address by now and
 * too little shows that it is the same unit.
 */
export function createLooker(parts: TaskParts, { minerKey, unit }: Whom, signal: AbortSignal, isFresh = false) {
  const { find, compare } = parts.deps;
  let unsure = 0;
  return async (): Promise<Look> => {
    const look = await lookAt(parts, minerKey, signal, isFresh);
    const ip = find(minerKey)?.ip;
    if (unit === undefined || compare === undefined || ip === undefined || typeof look === 'string') return look;
    const likeness = compare(unit, ip, look);
    if (likeness === 'same') return look;
    if (ip === unit.ip) return 'away';
    if (likeness === 'unsure' && ++unsure < UNSURE_LOOKS) return 'unclear';
    throw new RefusedError(TARGET_CHANGED, targetChanged(unit.ip, ip));
  };
}

/**
 * Looks at another address that show too little, until it is given up: some devices tell all only a while after their
 * start.
 */
const UNSURE_LOOKS = 3;
const TARGET_CHANGED = 'refused.target-changed';

const targetChanged = (from: string | null, to: string): string =>
  `the task began at ${from ?? 'another address'}, and what answers at ${to} by now is not shown to be the same unit; look at both`;

/** The outcome of a task whose miner stands elsewhere by now; undefined when the error says something else. */
export function changedOutcome(error: unknown, { minerKey, unit }: Whom, { deps }: TaskParts): TaskOutcome | undefined {
  if (!(error instanceof RefusedError) || error.code !== TARGET_CHANGED) return undefined;
  const evidence = { code: 'target_changed', from: unit?.ip ?? null, to: deps.find(minerKey)?.ip ?? null };
  return { status: 'failed', message: error.message, evidence };
}

/** The outcome of a task whose miner went to another address before it was sent; undefined when it has not. */
export function movedBefore(deps: TaskParts['deps'], minerKey: string, from: string): TaskOutcome | undefined {
  const to = deps.find(minerKey)?.ip ?? null;
  if (to === from) return undefined;
  const message = `the miner was at ${from} when the task began and is at ${to ?? 'no address'} now: it is not sent there; ask for it again`;
  return { status: 'failed', message, evidence: { code: 'target_changed', from, to } };
}

async function lookAt(parts: TaskParts, minerKey: string, signal: AbortSignal, isFresh: boolean): Promise<Look> {
  try {
    return await observeWithin(parts, minerKey, signal, isFresh);
  } catch (error) {
    if (signal.aborted) throw error;
    // Who answers is another unit: wherever the miner is, it is not there.
    if (error instanceof RefusedError) return 'away';
    if (!(error instanceof PeerError)) {
      parts.log.warn({ minerKey, error: renderError(error) }, 'a look at a miner failed on our side');
      return 'unclear';
    }
    const meaning = MEANINGS[error.code];
    return meaning === 'there' ? {} : meaning;
  }
}

const MEANINGS = {
  'peer.refused': 'away',
  'peer.unreachable': 'away',
  'peer.timeout': 'away',
  'peer.reset': 'away',
  'peer.busy': 'unclear',
  'peer.tls-key': 'unclear',
  'peer.too-large': 'there',
  'peer.unparsable': 'there',
  'peer.costly': 'there',
  'peer.auth': 'there',
  'peer.permission': 'there',
  'peer.unsupported': 'there',
  'peer.rejected': 'there',
} as const satisfies Readonly<Record<PeerCode, 'away' | 'unclear' | 'there'>>;

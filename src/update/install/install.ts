// One update, from the file to a version that has proven itself, and back if it does not. Each step is on the disk
// before it is done, so that the next run can undo it after a kill (`recover`). The host knows the service manager and
// the databases.
import { rmSync } from 'node:fs';
import type { FileHandle } from 'node:fs/promises';
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import { readBundle } from '../trust/bundle.ts';
import { type Pins, refuse } from '../trust/trust.ts';
import { type Patience, type UpdateHost, watchHealthy } from './healthy.ts';
import {
  currentLink,
  incomingPath,
  linkedVersion,
  linkTo,
  type Places,
  programOf,
  provenLink,
  putInPlace,
  removeOthers,
  removeVersion,
} from './layout.ts';
import { type Journal, type Notes, newJournal, type Outcome, type Step } from './notes.ts';

export type UpdateParts = {
  readonly places: Places;
  readonly notes: Notes;
  readonly host: UpdateHost;
  readonly clock: Clock;
  readonly patience: Patience;
  readonly pins: Pins;
  /** `linux-x64`. */
  readonly target: string;
  /** Each step, as it begins. */
  onStep(step: Step, about: string): Promise<void> | void;
};

export type InstallRequest = {
  /** An open file is left open. */
  readonly bundle: string | FileHandle;
  readonly taskId: string | null;
  /** Try it although it was found to be broken. */
  readonly again?: boolean;
  /** Install it although it refuses drivers of this host that are in use. */
  readonly withoutDrivers?: boolean;
};

/** The caller holds the lock and has called `recover`. Throws only when the notes cannot be written. */
export async function install(parts: UpdateParts, request: InstallRequest): Promise<Outcome> {
  const { bundle, taskId, again = false, withoutDrivers = false } = request;
  const { places, notes, host, clock } = parts;
  const from = linkedVersion(currentLink(places));
  const goTo = async (journal: Journal, about: string): Promise<Journal> => {
    notes.setJournal(journal);
    await parts.onStep(journal.step, about);
    return journal;
  };
  let now = await goTo(newJournal(from ?? '', taskId, clock.nowMs()), '');
  try {
    if (from === undefined) throw refuse('update.layout', 'find the installed version: is this a system service?');
    const manifest = await verified(parts, { bundle, taskId, again }, from);
    now = await goTo({ ...now, step: 'staging', to: manifest.version, sha256: manifest.sha256 }, manifest.version);
    putInPlace(places, manifest.version);
    now = await goTo({ ...now, step: 'trying' }, manifest.version);
  } catch (error) {
    rmSync(incomingPath(places), { force: true });
    return undo(parts, now, error instanceof RefusedError ? 'refused' : 'failed', renderError(error));
  }
  const to = now.to ?? '';
  try {
    await host.tryProgram(programOf(places, to), to);
  } catch (error) {
    const reason = `it does not work here: ${renderError(error)}`;
    setBroken(parts, now, reason);
    return undo(parts, now, 'failed', reason);
  }
  const refusal = withoutDrivers
    ? undefined
    : await refusalOfDrivers(host, programOf(places, from ?? ''), programOf(places, to));
  if (refusal !== undefined) return undo(parts, now, 'refused', refusal);
  try {
    now = await goTo({ ...now, step: 'saving' }, from ?? '');
    await host.stop();
    await host.saveDatabases();
  } catch (error) {
    // Started first: a kill in between finds the journal still there.
    await startAgain(parts);
    return undo(parts, now, 'failed', `copy the databases: ${renderError(error)}`);
  }
  try {
    now = await goTo({ ...now, step: 'switching', switched_ms: clock.nowMs() }, to);
    linkTo(places, currentLink(places), to);
    now = await goTo({ ...now, step: 'watching' }, to);
    await host.start();
    await watchHealthy(host, clock, parts.patience);
  } catch (error) {
    setBroken(parts, now, renderError(error));
    return goBack(parts, now, renderError(error), 'rolled-back');
  }
  return succeed(parts, now);
}

/** The new version must take the drivers of this host that the installed one takes. */
async function refusalOfDrivers(host: UpdateHost, before: string, after: string): Promise<string | undefined> {
  if (host.refusedDrivers === undefined) return undefined;
  try {
    const refused = await host.refusedDrivers(after);
    if (refused.length === 0) return undefined;
    const already = new Set((await host.refusedDrivers(before)).map(({ origin }) => origin));
    const lost = refused.filter(({ origin }) => !already.has(origin));
    if (lost.length === 0) return undefined;
    const named = lost.map(({ origin, reason }) => `${origin} (${reason})`).join(', ');
    return `it refuses drivers of this host: ${named}; mend them, or give them up with --without-drivers`;
  } catch (error) {
    return `it cannot look at the drivers of this host: ${renderError(error)}; give them up with --without-drivers`;
  }
}

async function verified(parts: UpdateParts, { bundle, again = false }: InstallRequest, installed: string) {
  const { places, notes, clock, pins, target } = parts;
  const expected = { target, installed, pins, seen: notes.seen, nowMs: clock.nowMs() };
  const manifest = await readBundle(bundle, expected, { into: incomingPath(places) });
  if (again) notes.forgive(manifest.sha256);
  const known = notes.broken().find(({ sha256 }) => sha256 === manifest.sha256);
  if (known !== undefined) {
    const message = `install ${manifest.version}: the same program was tried on ${known.at} and did not work (${known.reason})`;
    throw refuse('update.broken', message);
  }
  return manifest;
}

/** Remembers it before anything else, so that a kill from here on does not make it be tried again. */
function setBroken({ notes, clock }: UpdateParts, { sha256, to }: Journal, reason: string): void {
  if (sha256 !== null)
    notes.setBroken({ sha256, version: to ?? '', reason, at: new Date(clock.nowMs()).toISOString() });
}

/** The new version has proven itself: from now on it looks after updates. */
function succeed(parts: UpdateParts, journal: Journal): Outcome {
  const { places } = parts;
  const to = journal.to ?? '';
  linkTo(places, provenLink(places), to);
  const outcome = end(parts, journal, 'updated', `${journal.from} → ${to}`);
  removeOthers(places, [journal.from]);
  return outcome;
}

/** For a version that was never started: takes it away. */
function undo(parts: UpdateParts, journal: Journal, result: Outcome['result'], message: string): Outcome {
  if (journal.to !== null) removeVersion(parts.places, journal.to);
  return end(parts, journal, result, message);
}

/**
 * Puts the previous version back, with data that it can read. `recover` repeats it from the beginning while the journal
 * is there: then the version or its data could not be put back.
 */
async function goBack(
  parts: UpdateParts,
  journal: Journal,
  reason: string,
  result: 'rolled-back' | 'interrupted',
): Promise<Outcome> {
  const { places, notes, host, clock, patience } = parts;
  notes.setJournal({ ...journal, step: 'returning', reason });
  await parts.onStep('returning', reason);
  const problems: string[] = [];
  const attempt = async (what: string, act: () => Promise<void> | void) => {
    try {
      await act();
    } catch (error) {
      problems.push(`${what}: ${renderError(error)}`);
    }
  };
  await attempt('stop the new version', () => host.stop());
  await attempt('switch back', () => linkTo(places, currentLink(places), journal.from));
  await attempt('put the databases back', () => host.restoreDatabases());
  const isBack = problems.length === 0;
  await attempt('start the version before', async () => {
    await host.start();
    await watchHealthy(host, clock, { ...patience, stableMs: 0 });
  });
  if (!isBack) problems.push('it is tried again; `pithead update --recover` does it at once');
  if (journal.to !== null) removeVersion(places, journal.to);
  return end(parts, journal, result, [reason, ...problems].join('; '), isBack);
}

/** The version that is installed, after a stop for an update that did not come to it. */
async function startAgain({ host, onStep }: UpdateParts): Promise<void> {
  try {
    await host.start();
  } catch (error) {
    await onStep('returning', renderError(error));
  }
}

/** Notes what became of it. `isOver` = it has not to be recovered. */
function end(
  { notes, clock }: UpdateParts,
  { from, to, sha256, task_id, started_ms, switched_ms }: Journal,
  result: Outcome['result'],
  message: string,
  isOver = true,
): Outcome {
  const nowMs = clock.nowMs();
  const outcome: Outcome = {
    ...{ result, message, from, to, sha256, task_id },
    started_at: new Date(started_ms).toISOString(),
    finished_at: new Date(nowMs).toISOString(),
    without_proof_ms: switched_ms === null ? null : Math.max(0, nowMs - switched_ms),
  };
  notes.setOutcome(outcome);
  if (isOver) notes.setJournal(undefined);
  return outcome;
}

const INTERRUPTED = 'interrupted by a kill or a power cut';

/**
 * After a kill or a power cut during an update: undoes it, unless the new version had proven itself. A version whose
 * update was cut short does not count as broken. Returns the outcome, undefined when there was no update. The caller
 * holds the lock. While a journal remains, it must be called again before anything is installed.
 */
export async function recover(parts: UpdateParts): Promise<Outcome | undefined> {
  const { places, notes } = parts;
  rmSync(incomingPath(places), { force: true });
  const journal = notes.journal();
  // One that makes no sense cannot be followed: it is taken away, what is installed stays.
  if (journal === undefined) {
    notes.setJournal(undefined);
    return undefined;
  }
  switch (journal.step) {
    case 'verifying':
    case 'staging':
    case 'trying':
      return undo(parts, journal, 'interrupted', `${INTERRUPTED} before anything was changed`);
    case 'saving':
      await startAgain(parts);
      return undo(parts, journal, 'interrupted', `${INTERRUPTED} before the switch`);
    case 'switching':
    case 'watching':
      if (journal.to !== null && linkedVersion(provenLink(places)) === journal.to) return succeed(parts, journal);
      return goBack(parts, journal, `${INTERRUPTED} before the new version had proven itself`, 'interrupted');
    case 'returning':
      return goBack(parts, journal, journal.reason ?? INTERRUPTED, 'rolled-back');
  }
}

// `pithead update <bundle>` on Windows: puts the bundle where the service host looks, and reports the result. The
// program that people start cannot replace itself; the service host runs one that can.
import { randomUUID } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, renameSync, rmSync, statSync, unlinkSync } from 'node:fs';
import type { Clock } from '../../base/clock.ts';
import { writeFileAtomic } from '../../base/storage/atomic-file.ts';
import type { Patience } from '../../update/install/healthy.ts';
import { bundlePath, currentLink, linkedVersion, type Places, requestPath } from '../../update/install/layout.ts';
import { type Outcome, readNotes, type Step } from '../../update/install/notes.ts';
import type { UpdateRequest } from '../../update/install/request.ts';
import { MAX_BUNDLE_BYTES } from '../../update/trust/bundle.ts';
import { CommandFailed } from '../output/exit.ts';

const LOOK_EVERY_MS = 250;
/** The service host looks every second, and begins at once. */
const TAKEN_WITHIN_MS = 30_000;
const DONE_WITHIN_MS = 20 * 60_000;

type ByHand = {
  readonly bundle: string;
  readonly again: boolean;
  readonly withoutDrivers: boolean;
  readonly patience: Patience;
  onStep(step: Step, about: string): void;
};

/**
 * Throws CommandFailed when the service does not take the request, or the file may not be put there. An update that has
 * begun goes on after `signal` aborts.
 */
export async function updateByHand(
  places: Places,
  { bundle, again, withoutDrivers, patience, onStep }: ByHand,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Outcome> {
  if (linkedVersion(currentLink(places)) === undefined)
    throw new CommandFailed('Pithead is not installed here as a system service: pithead service-install');
  const taskId = `by-hand-${randomUUID()}`;
  const { readyMs, stableMs } = patience;
  const by_hand = { again, without_drivers: withoutDrivers, ready_ms: readyMs, stable_ms: stableMs };
  handOver(places, bundle, { task_id: taskId, by_hand });
  const notes = readNotes(places.notes);
  const startMs = clock.monotonicMs();
  let told: Step | undefined;
  for (;;) {
    const outcome = notes.outcome();
    if (outcome?.task_id === taskId) return outcome;
    const journal = notes.journal();
    if (journal?.task_id === taskId && journal.step !== told) {
      told = journal.step;
      onStep(told, told === 'returning' ? (journal.reason ?? '') : (journal.to ?? ''));
    }
    const waitedMs = clock.monotonicMs() - startMs;
    if (waitedMs >= TAKEN_WITHIN_MS && withdraw(places))
      throw new CommandFailed(
        'the service has not taken the update up: does it run? sc.exe query pithead, sc.exe start pithead',
      );
    if (waitedMs >= DONE_WITHIN_MS)
      throw new CommandFailed('the update has not ended in time: pithead update --status shows more');
    try {
      await clock.sleep(LOOK_EVERY_MS, signal);
    } catch {
      const how = withdraw(places)
        ? 'given up, nothing was begun'
        : 'the update is under way and goes on: pithead update --status';
      throw new CommandFailed(how, 130);
    }
  }
}

/** The bundle first, then who asks: what the updater finds is complete. */
function handOver(places: Places, bundle: string, request: UpdateRequest): void {
  const { requests } = places;
  if (existsSync(requestPath(requests)))
    throw new CommandFailed('another update waits to be begun: pithead update --status');
  if (statSync(bundle).size > MAX_BUNDLE_BYTES) throw new CommandFailed(`${bundle} is too large for an update`);
  const unfinished = `${bundlePath(requests)}.part`;
  try {
    mkdirSync(requests, { recursive: true });
    copyFileSync(bundle, unfinished);
    renameSync(unfinished, bundlePath(requests));
    writeFileAtomic(requestPath(requests), JSON.stringify(request), 0o600);
  } catch (error) {
    if (!(error instanceof Error && 'code' in error)) throw error;
    if (error.code === 'EPERM' || error.code === 'EACCES')
      throw new CommandFailed(`${requests} cannot be written: run this as administrator`);
    rmSync(unfinished, { force: true });
    throw new CommandFailed(`the bundle cannot be copied to ${requests}: ${String(error.code)}`);
  }
}

/** Whether the service had not taken it yet. */
function withdraw({ requests }: Places): boolean {
  try {
    unlinkSync(requestPath(requests));
  } catch {
    return false;
  }
  rmSync(bundlePath(requests), { force: true });
  return true;
}

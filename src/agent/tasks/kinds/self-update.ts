// `agent.self.update`: fetches a signed update from a host that is allowed here, checks it, and puts it where root
// looks. Root checks it again, installs it, and says what came of it; the task ends with that, usually by the version
// that came. It is asked for once, whatever is killed when.
import { existsSync, readFileSync, rmSync, unlinkSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';
import type { Clock } from '../../../base/clock.ts';
import { RefusedError, renderError } from '../../../base/errors.ts';
import type { Log } from '../../../base/log.ts';
import { writeFileAtomic } from '../../../base/storage/atomic-file.ts';
import { VERSION } from '../../../base/version.ts';
import { PARAMS_FIELDS } from '../../../model/tasks/task-params.ts';
import { bundlePath, NOTES_FOLDER, REQUESTS, requestPath, windowsPlaces } from '../../../update/install/layout.ts';
import { type Outcome, readNotes } from '../../../update/install/notes.ts';
import { MAX_BUNDLE_BYTES, type Manifest, readBundle } from '../../../update/trust/bundle.ts';
import { builtInPins, type Pins } from '../../../update/trust/trust.ts';
import { createFetch, type Fetch } from '../../firmware/fetch.ts';
import { type AgentTask, cancelled, failed, succeeded, type TaskOutcome } from '../contract.ts';

const LOOK_EVERY_MS = 500;
/** Root's unit starts as soon as the request is there; it may wait for another update to end. */
const TAKEN_WITHIN_MS = 30_000;
const DONE_WITHIN_MS = 20 * 60_000;
const NOT_BEGUN = 'given up before it was begun';

const paramsSchema = z.object(PARAMS_FIELDS['agent.self.update']);
type Params = z.output<typeof paramsSchema>;
const askedSchema = z.object({ task_id: z.string() });

const FETCH_LIMITS = { deadlineMs: 30 * 60_000, maxBytes: MAX_BUNDLE_BYTES };
const FETCH_NAMES = { kind: 'update', setting: 'update.allowedHosts' };

/** For this program, on this host. */
export function createOwnUpdate(
  stateDir: string,
  allowedHosts: readonly string[],
  { clock, log }: { readonly clock: Clock; readonly log: Log },
): AgentTask {
  const isWindows = process.platform === 'win32';
  const { requests, notes } = isWindows
    ? windowsPlaces(process.env)
    : { requests: join(stateDir, REQUESTS), notes: NOTES_FOLDER };
  return createSelfUpdate({
    clock,
    log,
    version: VERSION,
    target: `${isWindows ? 'win' : process.platform}-${process.arch}`,
    pins: builtInPins(),
    allowedHosts,
    fetchTo: createFetch(clock, FETCH_LIMITS, undefined, FETCH_NAMES),
    requests,
    notes,
  });
}

export function createSelfUpdate(parts: {
  readonly clock: Clock;
  readonly log: Log;
  readonly version: string;
  readonly target: string;
  readonly pins: Pins;
  readonly allowedHosts: readonly string[];
  readonly fetchTo: Fetch;
  /** The agent's own folder for it, and root's notes. */
  readonly requests: string;
  readonly notes: string;
}): AgentTask {
  const { clock, log, requests } = parts;
  const notes = readNotes(parts.notes);
  const asked = join(requests, 'asked.json');
  const fetched = join(requests, 'fetched.part');

  /** Gives what was fetched and is good, or throws RefusedError. */
  const fetchBundle = async ({ url, sha256, version }: Params, signal: AbortSignal): Promise<Manifest> => {
    if (parts.pins.roots.length === 0) {
      throw new RefusedError('update.no-root');
    }
    if (url === undefined) throw new RefusedError('update.params');
    await mkdir(requests, { recursive: true, mode: 0o700 });
    const got = await parts.fetchTo(fetched, new URL(url), parts.allowedHosts, signal);
    if (sha256 !== undefined && got.sha256 !== sha256.toLowerCase()) {
      throw new RefusedError('update.wrong', `the bundle has another SHA-256, ${got.sha256}`);
    }
    // What root has seen is revoked here too; what is seen here is for root to remember.
    const seen = { read: () => notes.sequence(), remember() {} };
    const expected = { target: parts.target, installed: parts.version, pins: parts.pins, seen, nowMs: clock.nowMs() };
    const manifest = await readBundle(fetched, expected, { signal });
    if (version !== undefined && manifest.version !== version) {
      throw new RefusedError('update.version', `the update is ${manifest.version}, not ${version}`);
    }
    const known = notes.broken().find((entry) => entry.sha256 === manifest.sha256);
    if (known !== undefined) throw new RefusedError('update.broken', `it was tried on ${known.at}: ${known.reason}`);
    return manifest;
  };

  /** The bundle first, then who asks: what root finds is complete. */
  const handOver = async (taskId: string) => {
    await rename(fetched, bundlePath(requests));
    const request = JSON.stringify({ task_id: taskId });
    for (const path of [asked, requestPath(requests)]) writeFileAtomic(path, request, 0o600);
  };

  /** Whether root had not taken it yet. */
  const withdraw = (): boolean => {
    try {
      unlinkSync(requestPath(requests));
    } catch {
      return false;
    }
    for (const path of [asked, bundlePath(requests)]) rmSync(path, { force: true });
    return true;
  };

  const outcomeFor = (taskId: string): Outcome | undefined => {
    const outcome = notes.outcome();
    return outcome?.task_id === taskId ? outcome : undefined;
  };

  /** In the order in which root goes on from one to the next. */
  const isWithRoot = (taskId: string): boolean =>
    existsSync(requestPath(requests)) || notes.journal() !== undefined || outcomeFor(taskId) !== undefined;

  const untilDone = async (taskId: string, signal: AbortSignal): Promise<TaskOutcome> => {
    const startMs = clock.monotonicMs();
    for (;;) {
      const outcome = outcomeFor(taskId);
      if (outcome !== undefined) return endOf(outcome);
      const waitedMs = clock.monotonicMs() - startMs;
      if (waitedMs >= TAKEN_WITHIN_MS && withdraw()) return failed('refused: nothing on this host installs updates');
      if (waitedMs >= DONE_WITHIN_MS)
        return failed('the update has not ended in time; pithead update --status shows more');
      try {
        await clock.sleep(LOOK_EVERY_MS, signal);
      } catch {
        return cancelled(withdraw() ? NOT_BEGUN : 'the update was under way already, and goes on');
      }
    }
  };

  return {
    concurrency: 1,
    async run({ taskId, params }, signal, { onProgress }) {
      const done = outcomeFor(taskId);
      if (done !== undefined) return endOf(done);
      // An earlier run of the agent has asked: what it asked for is not asked for again, unless it was cut short before
      // root could see it.
      if (readAsked(asked) === taskId && isWithRoot(taskId)) return untilDone(taskId, signal);
      const wanted = paramsSchema.safeParse(params);
      if (!wanted.success) return failed('refused: the params do not fit agent.self.update');
      try {
        const { version, sha256 } = await fetchBundle(wanted.data, signal);
        onProgress({ version, sha256 });
        log.info({ taskId, from: parts.version, to: version }, 'an update is checked and handed over');
        await handOver(taskId);
      } catch (error) {
        await rm(fetched, { force: true });
        if (signal.aborted) return cancelled(NOT_BEGUN);
        log.warn({ taskId, cause: renderError(error) }, 'an update is not taken');
        if (error instanceof RefusedError) return failed(`refused: ${error.message}`);
        return failed('the update could not be kept here; the log of the agent says why');
      }
      return untilDone(taskId, signal);
    },
  };
}

function endOf({ result, message, from, to, sha256 }: Outcome): TaskOutcome {
  const evidence = { result, from, to, sha256 };
  return result === 'updated' ? succeeded(null, evidence) : failed(`${result}: ${message}`, evidence);
}

function readAsked(path: string): string | undefined {
  try {
    return askedSchema.safeParse(JSON.parse(readFileSync(path, 'utf8'))).data?.task_id;
  } catch {
    return undefined;
  }
}

// The memory of updates: the journal of the current one, the outcome of the last, the versions that must not be tried
// again. Each write is atomic and on the disk before the next step. Only root writes here; every user may read the
// outcome.
import { chmodSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type Clock, sleepOn } from '../../base/clock.ts';
import { writeFileAtomic } from '../../base/storage/atomic-file.ts';
import { takeLock } from '../../base/storage/lock.ts';
import { syncFolder } from '../../base/storage/sync.ts';
import { parseJson, refuse, type SeenSequence } from '../trust/trust.ts';
import { outcomePath } from './layout.ts';

/**
 * The next step. verifying = nothing is changed yet; staging = the program is put beside the others; trying = it is
 * started alone; saving = the service is stopped and its databases are copied; switching = the new version becomes the
 * current one; watching = it is started and has to prove itself; returning = the previous version is put back.
 */
export const STEPS = ['verifying', 'staging', 'trying', 'saving', 'switching', 'watching', 'returning'] as const;
export type Step = (typeof STEPS)[number];

const taskId = z.string().max(128).nullable();
const journalSchema = z.object({
  step: z.enum(STEPS),
  from: z.string().max(64),
  /** Null while it is not verified. */
  to: z.string().max(64).nullable(),
  sha256: z.string().max(64).nullable(),
  task_id: taskId,
  started_ms: z.number(),
  /** When the new version was to be started: from then on the farm had none that was known to work. */
  switched_ms: z.number().nullable(),
  /** Why the version before is put back. */
  reason: z.string().nullable(),
});
export type Journal = z.output<typeof journalSchema>;

const outcomeSchema = z.object({
  /**
   * updated; refused = not installed; rolled-back = installed and taken back; failed = could not be installed;
   * interrupted = cut short by a kill or a power cut, and undone.
   */
  result: z.enum(['updated', 'refused', 'rolled-back', 'failed', 'interrupted']),
  message: z.string(),
  from: z.string(),
  to: z.string().nullable(),
  sha256: z.string().nullable(),
  task_id: taskId,
  started_at: z.string(),
  finished_at: z.string(),
  /** From the start of the new version until the old one worked again; null where none was started. */
  without_proof_ms: z.number().nullable(),
});
export type Outcome = z.output<typeof outcomeSchema>;

const memorySchema = z.object({
  sequence: z.number().default(0),
  broken: z
    .array(z.object({ sha256: z.string(), version: z.string(), reason: z.string(), at: z.string() }))
    .default([]),
});
type Memory = z.output<typeof memorySchema>;

const MAX_BROKEN = 200;
const MAX_REASON = 500;

const journalPath = (folder: string) => join(folder, 'journal.json');
const memoryPath = (folder: string) => join(folder, 'memory.json');
const remembered = (folder: string): Memory => read(memoryPath(folder), memorySchema) ?? { sequence: 0, broken: [] };

/** Of an update that begins now: nothing is verified or changed yet. */
export const newJournal = (from: string, task_id: string | null, startedMs: number): Journal => ({
  ...{ step: 'verifying', from, to: null, sha256: null, task_id },
  ...{ started_ms: startedMs, switched_ms: null, reason: null },
});

/** For those who may only look: the agent, people. */
export const readNotes = (folder: string) => ({
  journal: () => read(journalPath(folder), journalSchema),
  outcome: () => read(outcomePath(folder), outcomeSchema),
  sequence: () => remembered(folder).sequence,
  broken: () => remembered(folder).broken,
});

export type Notes = ReturnType<typeof openNotes>;

/** Creates the folder. */
export function openNotes(folder: string) {
  mkdirSync(folder, { recursive: true });
  // Whatever the umask of the process is: the agent reads the outcome.
  chmodSync(folder, 0o755);
  const remember = (change: Partial<Memory>) => write(memoryPath(folder), { ...remembered(folder), ...change });
  const seen: SeenSequence = {
    read: () => remembered(folder).sequence,
    remember: (sequence) => remember({ sequence }),
  };
  return {
    ...readNotes(folder),
    seen,
    /** Undefined = nothing is under way any more. */
    setJournal(entry: Journal | undefined) {
      if (entry !== undefined) return write(journalPath(folder), entry);
      rmSync(journalPath(folder), { force: true });
      syncFolder(folder);
    },
    setOutcome: (outcome: Outcome) => write(outcomePath(folder), outcome),
    setBroken(entry: Memory['broken'][number]): void {
      const others = remembered(folder).broken.filter(({ sha256 }) => sha256 !== entry.sha256);
      const cut = { ...entry, reason: entry.reason.slice(0, MAX_REASON) };
      remember({ broken: [...others, cut].slice(-MAX_BROKEN) });
    },
    /** A person decides to try it again. */
    forgive(sha256: string): void {
      remember({ broken: remembered(folder).broken.filter((entry) => entry.sha256 !== sha256) });
    },
  };
}

/** Undefined when it is not there or makes no sense. */
function read<T>(path: string, schema: z.ZodType<T>): T | undefined {
  try {
    return schema.safeParse(parseJson(readFileSync(path, 'utf8'))).data;
  } catch {
    return undefined;
  }
}

const write = (path: string, value: unknown): void => writeFileAtomic(path, `${JSON.stringify(value)}\n`, 0o644);

const RETRY_MS = 250;

/**
 * One update at a time on a host; the lock ends with its process. Waits at most `waitMs`, then throws RefusedError.
 * Returns the release.
 */
export async function lockUpdates(
  folder: string,
  { clock, waitMs, signal }: { readonly clock: Clock; readonly waitMs: number; readonly signal?: AbortSignal },
): Promise<() => void> {
  const endsMs = clock.monotonicMs() + waitMs;
  for (;;) {
    const release = takeLock(join(folder, 'lock.sqlite'));
    if (release !== undefined) return release;
    if (clock.monotonicMs() >= endsMs)
      throw refuse('update.busy', 'begin an update: another one is under way; `pithead update --status` shows it');
    await sleepOn(clock, RETRY_MS, signal);
  }
}

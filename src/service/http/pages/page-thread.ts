// The thread that makes large pages and sheets, so that making them holds up no other request: it has a connection to
// the database, a heap and, where the system lets it, a low priority of its own. It starts with the first page and ends
// when none has been asked for in a while. It keeps no page.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { getAsset, isSea } from 'node:sea';
import { Worker } from 'node:worker_threads';
import type { Cancel, Clock } from '../../../base/clock.ts';
import { type DatabaseCode, DatabaseError } from '../../../base/errors.ts';
import type { Availability } from '../../store/store.ts';
import type { WantedPage } from './page.ts';
import { type Blocks, type Body, createPageMemory } from './page-memory.ts';
import type { WantedSheet } from './sheet.ts';

/** To the thread: make a page (`isPackable`: the client takes gzip); here is the memory that you asked for. */
export type ToThread =
  | { readonly id: number; readonly wanted: WantedPage | WantedSheet; readonly isPackable: boolean }
  | { readonly id: number; readonly blocks: Blocks };

/**
 * From the thread, for a page: it needs so many bytes more; it is written to what was lent (undefined = there is no
 * such list); it failed (`database`: the code of a DatabaseError, `errcode`: of SQLite).
 */
export type FromThread =
  | { readonly id: number; readonly needs: number }
  | { readonly id: number; readonly length: number | undefined; readonly isPacked: boolean }
  | { readonly id: number; readonly failed: string; readonly database?: DatabaseCode; readonly errcode?: number };

/** Who gets it releases the body. Undefined when there is no such list. */
export type MadePage = { readonly body: Body; readonly isPacked: boolean } | undefined;

export type PageThread = ReturnType<typeof createPageThread>;

type Job = {
  readonly resolve: (made: MadePage) => void;
  readonly reject: (error: unknown) => void;
  /** It was rejected while the thread goes on. */
  isGivenUp: boolean;
  readonly blocks: SharedArrayBuffer[];
};

/** Starting takes some tenths of a second: who asks every minute finds it running. */
const IDLE_MS = 90_000;
/** A page of 10,000 miners takes a fifth of it. What needs more ends the thread, not the service. */
const HEAP = { maxOldGenerationSizeMb: 512, maxYoungGenerationSizeMb: 16 };
/** More than the limits of unread answers and of kept pages let be in use: V8 would not notice what is let go. */
const MEMORY_BYTES = 512 * 1024 * 1024;

export function createPageThread({
  target,
  availability,
  noteReadError = () => {},
  clock,
}: {
  readonly target: string;
  readonly availability: Availability;
  /** Hears of what failed at an embedded database. */
  readonly noteReadError?: ((error: unknown) => void) | undefined;
  readonly clock: Pick<Clock, 'after'>;
}) {
  const memory = createPageMemory(MEMORY_BYTES);
  const jobs = new Map<number, Job>();
  let worker: Worker | undefined;
  let lastId = 0;
  let isClosed = false;
  let cancelEnd: Cancel = () => {};

  const end = async () => {
    const ending = worker;
    worker = undefined;
    memory.shrink();
    await ending?.terminate();
  };
  const finish = ({ resolve, reject, isGivenUp, blocks }: Job, outcome: Exclude<FromThread, { needs: number }>) => {
    jobs.delete(outcome.id);
    if (jobs.size === 0) cancelEnd = clock.after(IDLE_MS, () => void end(), { unref: true });
    if ('failed' in outcome) {
      memory.giveBack(blocks);
      const error = errorOf(outcome);
      noteReadError(error);
      reject(error);
    } else if (isGivenUp || outcome.length === undefined) {
      memory.giveBack(blocks);
      resolve(undefined);
    } else resolve({ body: memory.bodyOf(blocks, outcome.length), isPacked: outcome.isPacked });
  };
  const hear = (from: Worker, message: FromThread) => {
    const job = jobs.get(message.id);
    if (job === undefined) return;
    if (!('needs' in message)) {
      finish(job, message);
      return;
    }
    const blocks = memory.lend(message.needs);
    job.blocks.push(...blocks);
    from.postMessage({ id: message.id, blocks } satisfies ToThread);
  };
  const start = (): Worker => {
    const started = startWorker(target);
    let cause: unknown;
    started.on('message', (message: FromThread) => hear(started, message));
    started.on('error', (error) => {
      cause = error;
    });
    // Only now it writes no more to the memory that it was lent.
    started.on('exit', () => {
      if (worker === started) worker = undefined;
      for (const [id, job] of jobs) {
        jobs.delete(id);
        memory.giveBack(job.blocks);
        job.reject(cause ?? new DatabaseError('database.away', undefined, 'the thread of large pages has ended'));
      }
    });
    // The service lives as long as it listens.
    started.unref();
    return started;
  };
  return {
    /** Throws DatabaseError when the database is away, also while the page is made. */
    make(wanted: WantedPage | WantedSheet, isPackable: boolean): Promise<MadePage> {
      return new Promise((resolve, reject) => {
        if (isClosed) throw new DatabaseError('database.away');
        const lost = availability.lost();
        lost.throwIfAborted();
        cancelEnd();
        worker ??= start();
        const id = ++lastId;
        const giveUp = () => {
          job.isGivenUp = true;
          reject(lost.reason);
        };
        const over = () => lost.removeEventListener('abort', giveUp);
        lost.addEventListener('abort', giveUp, { once: true });
        const job: Job = {
          resolve(made) {
            over();
            resolve(made);
          },
          reject(error) {
            over();
            reject(error);
          },
          ...{ isGivenUp: false, blocks: [] },
        };
        jobs.set(id, job);
        worker.postMessage({ id, wanted, isPackable } satisfies ToThread);
      });
    },
    async close(): Promise<void> {
      isClosed = true;
      cancelEnd();
      await end();
    },
  };
}

function errorOf({ failed, database, errcode }: Extract<FromThread, { failed: string }>): Error {
  const cause = Object.assign(new Error(failed), errcode === undefined ? {} : { errcode });
  return database === undefined ? cause : new DatabaseError(database, undefined, cause);
}

/** How `packaging/binary` names the bundle of worker.ts, beside that of the program and in the executable. */
export const WORKER_BUNDLE = 'page-worker.cjs';

function startWorker(target: string): Worker {
  const options = { name: 'large pages', workerData: target, resourceLimits: HEAP };
  if (isSea()) return new Worker(getAsset(WORKER_BUNDLE, 'utf8'), { ...options, eval: true });
  const source = join(import.meta.dirname, 'worker.ts');
  return new Worker(existsSync(source) ? source : join(import.meta.dirname, WORKER_BUNDLE), options);
}

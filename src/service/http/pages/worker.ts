// Runs in a thread of its own, see page-thread.ts: makes one page after the other, and writes it into memory that it
// asks for.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseError } from '../../../base/errors.ts';
import { type ListStores, openListStores } from '../../store/lists.ts';
import type { TakeText } from '../../store/store.ts';
import { createPacker } from './packer.ts';
import { type WantedPage, writePage } from './page.ts';
import { type Blocks, createPageWriter } from './page-memory.ts';
import type { FromThread, ToThread } from './page-thread.ts';
import { writeSheet } from './sheet.ts';

/** Added to that of the service: beside others with much to do the thread gets about a third of what each gets. */
const NICER = 5;

/** At least so much at a time. */
const LENT_BYTES = 4 * 1024 * 1024;

// Elsewhere it is the priority of the whole process. The sandbox of the system service forbids it.
try {
  if (process.platform === 'linux') setPriority(Math.min(19, getPriority() + NICER));
} catch {
  // Then pages are made with the priority of the service.
}

/**
 * The scheduler lets a busy thread keep its processor for some milliseconds after another thread has become ready,
 * whatever their priorities. So this thread pauses after each stretch of work, and other threads get the processor.
 */
const WORK_MS = 1;
const PAUSE_MS = 0.2;
const neverNotified = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let resumedAtMs = 0;
function pause(): void {
  if (performance.now() - resumedAtMs < WORK_MS) return;
  Atomics.wait(neverNotified, 0, 0, PAUSE_MS);
  resumedAtMs = performance.now();
}

let stores: ListStores | undefined;
const send = (message: FromThread) => parentPort?.postMessage(message);
const waiting = new Map<number, (blocks: Blocks) => void>();

parentPort?.on('message', (message: ToThread) => {
  if ('wanted' in message) void answer(message);
  else waiting.get(message.id)?.(message.blocks);
});

async function answer({ id, wanted, isPackable }: Extract<ToThread, { wanted: unknown }>): Promise<void> {
  const lend = (bytes: number) =>
    new Promise<Blocks>((resolve) => {
      waiting.set(id, resolve);
      send({ id, needs: Math.max(bytes, LENT_BYTES) });
    });
  const page = createPageWriter(lend);
  const packer = isPackable ? createPacker(page.write) : undefined;
  try {
    const write = packer?.write ?? page.write;
    const isFound = 'sheet' in wanted ? await writeSheet(wanted, write) : await writeList(wanted, write);
    const isPacked = (await packer?.end()) ?? false;
    send({ id, length: isFound ? page.length() : undefined, isPacked });
  } catch (error) {
    const cause = error instanceof DatabaseError ? error.cause : error;
    send({
      id,
      failed: cause instanceof Error ? cause.message : String(cause),
      ...(error instanceof DatabaseError && { database: error.code }),
      ...(cause instanceof Error && 'errcode' in cause && { errcode: Number(cause.errcode) }),
    });
  } finally {
    packer?.close();
    waiting.delete(id);
  }
}

function writeList(wanted: WantedPage, write: TakeText): Promise<boolean> {
  stores ??= openListStores(String(workerData));
  return writePage(stores, wanted, (part) => {
    pause();
    return write(part);
  });
}

// Runs in a thread of its own, see page-thread.ts: makes one page after the other, and writes it into memory that it
// asks for.
import { getPriority, setPriority } from 'node:os';
import { parentPort, workerData } from 'node:worker_threads';
import { DatabaseError } from '../../../base/errors.ts';
import { type ListStores, openListStores } from '../../store/lists.ts';
import { packed, SENT_IN_SLICES_FROM_BYTES, writePage } from './page.ts';
import { type Blocks, createPageWriter } from './page-memory.ts';
import type { FromThread, ToThread } from './page-thread.ts';

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
  try {
    stores ??= openListStores(String(workerData));
    const page = createPageWriter(lend);
    const parts: Buffer[] = [];
    const take = isPackable ? (part: string | Uint8Array) => void parts.push(Buffer.from(part)) : page.write;
    const isFound = await writePage(stores, wanted, take);
    const plain = Buffer.concat(parts);
    const isPacked = plain.length >= SENT_IN_SLICES_FROM_BYTES;
    if (isPackable) await page.write(isPacked ? packed(plain) : plain);
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
    waiting.delete(id);
  }
}

// Two steps on one connection: a request and its answer, then a file to the device and its verdict, or so many bytes
// from the device. It finds where a message ends and caps what grows; what an answer means is decided by the caller.
import { peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';
import type { Receiver } from './connection.ts';
import type { Engine } from './engine.ts';
import { DEFAULT_MAX_BYTES, type Endpoint, exchange, fileChunks } from './exchange.ts';
import { ReplyBytes } from './reply-bytes.ts';

/** `nothing`: the answer is all there is. */
type NextStep = 'nothing' | 'file' | { readonly bytes: number };

type TwoSteps = {
  readonly request: Buffer;
  /** Where the message at the beginning of these bytes ends; undefined while it is not whole. May throw. */
  readonly endOf: (received: Buffer) => number | undefined;
  /** What follows the first answer. May throw. */
  readonly next: (answer: Buffer) => NextStep;
  /** Goes out behind its length in 4 bytes, little-endian. */
  readonly file?: Blob;
};

/** `second` is the verdict on the file, or the bytes that were announced. */
export type TwoStepAnswer = { readonly first: Buffer; readonly second?: Buffer };

const MAX_FILE_BYTES = 0xffff_ffff;
/** Firmware ends a message with these before something else follows. */
const BETWEEN = new Set([0x00, 0x0a, 0x0d, 0x20]);
const MAX_BETWEEN = 4;
const MAX_OBJECT_BYTES = 16 * 1024;

/** `endOf` for JSON objects that follow each other without a length. Text before a brace belongs to the message. */
export function endOfObject(received: Buffer): number | undefined {
  let depth = 0;
  let isInString = false;
  // Read again with each segment: the cap keeps a peer that drips single bytes cheap.
  for (let at = 0; at < received.length; at++) {
    if (at >= MAX_OBJECT_BYTES) throw peerError('peer.too-large', 'read an answer', { wasSent: true });
    const byte = received[at];
    if (isInString) {
      if (byte === 0x5c) at++;
      else if (byte === 0x22) isInString = false;
    } else if (byte === 0x22) isInString = true;
    else if (byte === 0x7b) depth++;
    else if (byte === 0x7d && --depth === 0) return at + 1;
  }
  return undefined;
}

class TwoStepReceiver implements Receiver {
  readonly #what: string;
  readonly #steps: TwoSteps;
  readonly #maxBytes: number;
  readonly #bytes: ReplyBytes;
  #firstEnd: number | undefined;
  #step: NextStep = 'nothing';

  constructor(what: string, steps: TwoSteps, maxBytes: number) {
    this.#what = what;
    this.#steps = steps;
    this.#maxBytes = maxBytes;
    this.#bytes = new ReplyBytes(what, maxBytes + DEFAULT_MAX_BYTES);
  }

  take(chunk: Buffer): boolean | 'send-file' {
    this.#bytes.add(chunk);
    if (this.#firstEnd !== undefined) return this.#second() !== undefined;
    const received = this.#bytes.bytes();
    this.#firstEnd = this.#steps.endOf(received);
    if (this.#firstEnd === undefined) return false;
    this.#step = this.#steps.next(received.subarray(0, this.#firstEnd));
    if (this.#step === 'nothing') return true;
    if (this.#step === 'file') return this.#second() !== undefined || 'send-file';
    // A length beyond the cap is refused before its bytes come.
    if (this.#step.bytes > this.#maxBytes) {
      throw peerError('peer.too-large', `${this.#what}: a file of ${this.#step.bytes} bytes`, { wasSent: true });
    }
    return this.#second() !== undefined;
  }

  #second(): Buffer | undefined {
    if (this.#firstEnd === undefined || this.#step === 'nothing') return undefined;
    const received = this.#bytes.bytes();
    let start = this.#firstEnd;
    while (start < this.#firstEnd + MAX_BETWEEN && BETWEEN.has(received[start] ?? 1)) start++;
    const rest = received.subarray(start);
    const end = this.#step === 'file' ? this.#steps.endOf(rest) : this.#step.bytes;
    return end === undefined || rest.length < end ? undefined : rest.subarray(0, end);
  }

  read(): { readonly first: Buffer | undefined; readonly second: Buffer | undefined; readonly step: NextStep } {
    const first = this.#firstEnd === undefined ? undefined : this.#bytes.bytes().subarray(0, this.#firstEnd);
    return { first, second: this.#second(), step: this.#step };
  }
}

/** Throws PeerError (a file counts as sent when all of it has left), RefusedError `upload.unreadable`. */
export async function exchangeTwoSteps(
  engine: Engine,
  to: Endpoint,
  steps: TwoSteps,
  what: string,
  limits: ExchangeLimits,
): Promise<TwoStepAnswer> {
  const { request, file } = steps;
  if (file !== undefined && file.size > MAX_FILE_BYTES) {
    throw peerError('peer.unsupported', `${what}: a file of ${file.size} bytes`, { wasSent: false });
  }
  const receiver = new TwoStepReceiver(what, steps, limits.maxBytes ?? DEFAULT_MAX_BYTES);
  await exchange(engine, to, request, receiver, what, limits, file && (() => withLength(file)));
  const { first, second, step } = receiver.read();
  if (first === undefined) throw peerError('peer.reset', `${what}: no answer before the end`, { wasSent: !file });
  if (step !== 'nothing' && second === undefined) {
    throw peerError('peer.reset', `${what}: it ended before all had come`, { wasSent: true });
  }
  return { first, ...(second && { second }) };
}

async function* withLength(file: Blob): AsyncGenerator<Uint8Array> {
  const head = Buffer.alloc(4);
  head.writeUInt32LE(file.size);
  yield head;
  yield* fileChunks(file);
}

// Whatsminer API 3 (atlas section 4.3): one request and one reply per connection, each a 4-byte little-endian length
// and JSON. A reply with `code` 0 is handed over whatever its `msg` says; any other code is the device's refusal.
import type { PeerCode } from '../../base/errors.ts';
import { isJsonObject, repairJson } from '../cgminer/json-fixer.ts';
import { refusalCode } from '../cgminer/refusals.ts';
import { cleanWords, deviceSays, peerError } from '../peer-errors.ts';
import type { ExchangeLimits } from '../request.ts';
import type { Receiver } from '../tcp/connection.ts';
import type { Engine } from '../tcp/engine.ts';
import { DEFAULT_MAX_BYTES, type Endpoint, exchange } from '../tcp/exchange.ts';
import { ReplyBytes } from '../tcp/reply-bytes.ts';

export const WHATSMINER3_PORT = 4433;
export const HEADER_BYTES = 4;

export type Whatsminer3Reply = Readonly<Record<string, unknown>> & { readonly code: number };

export type Request3 = Readonly<Record<string, unknown>> & { readonly cmd: string };

export function encodeFrame(value: unknown): Buffer {
  const body = Buffer.from(JSON.stringify(value));
  const frame = Buffer.allocUnsafe(HEADER_BYTES + body.length);
  frame.writeUInt32LE(body.length);
  frame.set(body, HEADER_BYTES);
  return frame;
}

class FrameReceiver implements Receiver {
  readonly #what: string;
  readonly #maxBytes: number;
  readonly #bytes: ReplyBytes;
  #bodyBytes: number | undefined;

  constructor(what: string, maxBytes: number) {
    this.#what = what;
    this.#maxBytes = maxBytes;
    this.#bytes = new ReplyBytes(what, maxBytes + HEADER_BYTES);
  }

  take(chunk: Buffer): boolean {
    // Bytes behind the frame are never kept, so a flood behind a short frame costs nothing.
    const missing = this.#bodyBytes === undefined ? undefined : HEADER_BYTES + this.#bodyBytes - this.#bytes.length;
    this.#bytes.add(missing === undefined ? chunk : chunk.subarray(0, missing));
    if (this.#bodyBytes === undefined) {
      const bytes = this.#bytes.bytes();
      if (bytes.length < HEADER_BYTES) return false;
      this.#bodyBytes = bytes.readUInt32LE(0);
      // A length beyond the cap is refused before its bytes come.
      if (this.#bodyBytes > this.#maxBytes) {
        throw peerError('peer.too-large', `${this.#what}: a frame of ${this.#bodyBytes} bytes`, { wasSent: true });
      }
    }
    return this.#bytes.length >= HEADER_BYTES + this.#bodyBytes;
  }

  body(): Buffer {
    return this.#bytes.bytes().subarray(HEADER_BYTES, HEADER_BYTES + (this.#bodyBytes ?? 0));
  }
}

const CODES: ReadonlyMap<number, PeerCode> = new Map([
  [-1, 'peer.unsupported'],
  [-4, 'peer.permission'],
]);

/** The reply object. Throws PeerError for lost connections, frames that make no sense, and codes other than 0. */
export async function askFramed(
  engine: Engine,
  to: Endpoint,
  request: Request3,
  limits: ExchangeLimits,
): Promise<Whatsminer3Reply> {
  const what = `ask ${to.ip}:${to.port} for ${cleanWords(request.cmd)}`;
  const receiver = new FrameReceiver(what, limits.maxBytes ?? DEFAULT_MAX_BYTES);
  const end = await exchange(engine, to, encodeFrame(request), receiver, what, limits);
  if (end === 'ended') throw peerError('peer.reset', `${what}: no whole frame before the end`, { wasSent: true });
  return readFrame(receiver.body(), what);
}

/** What the body of a frame says. Throws PeerError for one that makes no sense and for codes other than 0. */
export function readFrame(body: Buffer, what: string): Whatsminer3Reply {
  const reply = repairJson(body);
  const value = reply?.value;
  if (!reply || reply.isPartial || !hasCode(value)) throw peerError('peer.unparsable', what, { wasSent: true });
  if (value.code !== 0) {
    const words = typeof value.msg === 'string' ? value.msg : `code ${value.code}`;
    throw deviceSays(CODES.get(value.code) ?? refusalCode(words), what, words);
  }
  return value;
}

function hasCode(value: unknown): value is Whatsminer3Reply {
  return isJsonObject(value) && typeof value.code === 'number' && Number.isInteger(value.code);
}

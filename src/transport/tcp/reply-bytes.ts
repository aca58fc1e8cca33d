// Collects the bytes of one answer up to a cap, in one growing buffer: single bytes that drip in cost no more. Text is
// decoded by the caller when all is there.
import { peerError } from '../peer-errors.ts';

const FIRST_BYTES = 4 * 1024;

export class ReplyBytes {
  readonly #what: string;
  readonly #maxBytes: number;
  #buffer = Buffer.alloc(0);
  #length = 0;

  constructor(what: string, maxBytes: number) {
    this.#what = what;
    this.#maxBytes = maxBytes;
  }

  get length(): number {
    return this.#length;
  }

  /** Throws PeerError `peer.too-large` when the chunk does not fit any more. */
  add(chunk: Uint8Array): void {
    const length = this.#length + chunk.length;
    if (length > this.#maxBytes) {
      this.#buffer = Buffer.alloc(0);
      this.#length = 0;
      throw peerError('peer.too-large', `${this.#what}: more than ${this.#maxBytes} bytes`, { wasSent: true });
    }
    if (length > this.#buffer.length) this.#grow(length);
    this.#buffer.set(chunk, this.#length);
    this.#length = length;
  }

  /** What has come so far; valid until the next `add`. */
  bytes(): Buffer {
    return this.#buffer.subarray(0, this.#length);
  }

  #grow(needed: number): void {
    const larger = Buffer.allocUnsafeSlow(
      Math.min(this.#maxBytes, Math.max(needed, this.#buffer.length * 2, FIRST_BYTES)),
    );
    larger.set(this.bytes());
    this.#buffer = larger;
  }
}

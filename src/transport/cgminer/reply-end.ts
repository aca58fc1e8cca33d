// Knows when a CGMiner answer is complete (atlas section 1.1): at the first NUL, or when the braces balance. Several
// devices keep the socket open, so waiting for its end would cost seconds per command.
import type { Receiver } from '../tcp/connection.ts';
import { ReplyBytes } from '../tcp/reply-bytes.ts';

const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const COMMA = 0x2c;
const CLOSE_BRACE = 0x7d;

const isWord = (byte: number) =>
  (byte >= 0x30 && byte <= 0x39) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f;

/** Depth of braces and brackets, in one pass. Complete JSON ends the wait even when it is broken. */
class Balance {
  #depth = 0;
  #isInString = false;
  #isEscaped = false;
  #stringLength = 0;
  #hasJustClosedEmpty = false;
  #hasStarted = false;

  scan(bytes: Uint8Array, from: number): void {
    for (let i = from; i < bytes.length; i++) this.#step(bytes[i] ?? 0);
  }

  get isComplete(): boolean {
    return this.#hasStarted && this.#depth === 0 && !this.#isInString;
  }

  #step(byte: number): void {
    if (this.#isInString) {
      if (this.#isEscaped) this.#isEscaped = false;
      else if (byte === BACKSLASH) this.#isEscaped = true;
      else if (byte === QUOTE) {
        this.#isInString = false;
        this.#hasJustClosedEmpty = this.#stringLength === 0;
        return;
      }
      this.#stringLength++;
      return;
    }
    // `""temp0":` has lost a comma and a quote (json-fixer.ts): the key runs to the next quote.
    if (this.#hasJustClosedEmpty && isWord(byte)) this.#isInString = true;
    this.#hasJustClosedEmpty = false;
    switch (byte) {
      case QUOTE:
        this.#isInString = true;
        this.#stringLength = 0;
        break;
      case 0x7b:
      case 0x5b:
        this.#depth++;
        this.#hasStarted = true;
        break;
      case CLOSE_BRACE:
      case 0x5d:
        this.#depth--;
        break;
      case COMMA:
        // Some answers begin with a comma where the first brace should be.
        if (!this.#hasStarted) {
          this.#depth++;
          this.#hasStarted = true;
        }
        break;
    }
  }
}

export class CgminerReceiver implements Receiver {
  readonly #reply: ReplyBytes;
  readonly #balance = new Balance();
  #scanned = 0;
  /** Whether the device itself marked the end with a NUL. */
  hasNul = false;

  constructor(what: string, maxBytes: number) {
    this.#reply = new ReplyBytes(what, maxBytes);
  }

  take(chunk: Buffer): boolean {
    const nulAt = chunk.indexOf(0);
    if (nulAt >= 0) {
      this.#reply.add(chunk.subarray(0, nulAt));
      this.hasNul = true;
      return true;
    }
    this.#reply.add(chunk);
    if (!endsWithBrace(chunk)) return false;
    const bytes = this.#reply.bytes();
    this.#balance.scan(bytes, this.#scanned);
    this.#scanned = bytes.length;
    return this.#balance.isComplete;
  }

  bytes(): Buffer {
    return this.#reply.bytes();
  }
}

function endsWithBrace(chunk: Uint8Array): boolean {
  for (let i = chunk.length - 1; i >= 0; i--) {
    const byte = chunk[i] ?? 0;
    if (byte > 0x20) return byte === CLOSE_BRACE;
  }
  // White space only: the newline behind a brace that came alone.
  return true;
}

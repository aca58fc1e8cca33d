// One TCP connection from connect to close: a probe, or one request and its answer. It reports once how it ended. The
// engine judges deadlines and queues; the receiver knows the protocol.
import { Socket } from 'node:net';
import type { Expirable } from '../limits/deadlines.ts';
import { type ClosingSockets, MAX_DROPPED_BYTES } from './closing.ts';

/** How one connection ended. `cause` is for the log only. */
export type Outcome =
  /** A probe reached an open port. */
  | { readonly how: 'open' }
  /** The receiver has its answer. */
  | { readonly how: 'complete' }
  /** The peer closed its side in order before the receiver had enough; the receiver keeps what came. */
  | { readonly how: 'ended' }
  | { readonly how: 'refused' | 'unreachable'; readonly cause: unknown }
  | { readonly how: 'reset'; readonly wasSent: boolean; readonly cause: unknown }
  | { readonly how: 'deadline'; readonly wasSent: boolean }
  /** The receiver threw: `error` is what it threw. */
  | { readonly how: 'rejected'; readonly error: unknown };

export type ConnectionEnd =
  | Outcome
  /** Out of local sockets or ports: nothing about the peer is known. */
  | { readonly how: 'exhausted'; readonly cause: unknown }
  | { readonly how: 'cancelled'; readonly wasSent: boolean };

export type Receiver = {
  /** The bytes are valid only during the call. True = the answer is complete; `send-file` = send the file now. */
  take(chunk: Buffer): boolean | 'send-file';
};

/**
 * What to do on the connection. No `request` = a probe, which ends as soon as it is connected. With a `file`, nothing
 * counts as sent before all of it is; an error of reading it ends the connection as `rejected`.
 */
export type ConnectionRequest = {
  readonly ip: string;
  readonly port: number;
  readonly exchange?: {
    readonly request: Buffer;
    readonly receiver: Receiver;
    readonly file?: () => AsyncIterable<Uint8Array>;
  };
};

/** What connections of one engine share. */
export type Shared = {
  /** May serve any number of connections: bytes are looked at before the next read. */
  readonly readBuffer: Uint8Array;
  readonly closing: ClosingSockets;
  /** Whether a probe of an open port ends with FIN; else with a reset. */
  readonly mayProbeEndWithFin: () => boolean;
};

const UNREACHABLE = new Set(['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'EACCES', 'EPERM', 'EINVAL']);
/** Codes that speak of this process or host, not of the peer. */
export const EXHAUSTED: ReadonlySet<string> = new Set(['EMFILE', 'ENFILE', 'ENOBUFS', 'EADDRNOTAVAIL', 'EAGAIN']);

export class Connection implements Expirable {
  readonly #request: ConnectionRequest;
  readonly #onEnd: (end: ConnectionEnd) => void;
  readonly #socket: Socket;
  #isConnected = false;
  #wasSent = false;
  #hasEnded = false;
  readonly #shared: Shared;
  /** Set while the socket closes in order: what the peer still sends is counted and dropped. */
  #isClosing = false;
  #droppedBytes = 0;

  constructor(request: ConnectionRequest, shared: Shared, onEnd: (end: ConnectionEnd) => void) {
    this.#request = request;
    this.#shared = shared;
    this.#onEnd = onEnd;
    // allowHalfOpen: no write of our own when the peer has finished; the connection is destroyed at once anyway.
    this.#socket = new Socket({
      allowHalfOpen: true,
      onread: { buffer: shared.readBuffer, callback: (length, buffer) => this.#onBytes(length, buffer) },
    });
  }

  get isSettled(): boolean {
    return this.#hasEnded;
  }

  open(): void {
    const socket = this.#socket;
    socket.on('connect', () => this.#onConnect());
    socket.on('end', () => (this.#isClosing ? this.#shared.closing.end(socket) : this.#finish({ how: 'ended' })));
    socket.on('error', (error) => this.#onError(error));
    socket.on('close', () => this.#onClose());
    socket.connect({ host: this.#request.ip, port: this.#request.port });
  }

  expire(): void {
    this.#finish({ how: 'deadline', wasSent: this.#wasSent });
  }

  cancel(): void {
    this.#finish({ how: 'cancelled', wasSent: this.#wasSent });
  }

  #onConnect(): void {
    this.#isConnected = true;
    const exchange = this.#request.exchange;
    if (!exchange) {
      this.#finish({ how: 'open' });
      return;
    }
    this.#socket.write(exchange.request, (error) => {
      if (!error && !exchange.file) this.#wasSent = true;
    });
  }

  /** Never faster than the peer takes it. Rejects with nothing: how it ended is reported as for everything else. */
  async #sendFile(file: AsyncIterable<Uint8Array>): Promise<void> {
    try {
      for await (const chunk of file) {
        if (this.#hasEnded) return;
        if (!this.#socket.write(chunk)) await this.#drained();
      }
      if (this.#socket.writableLength > 0) await this.#drained();
      this.#wasSent = !this.#hasEnded;
    } catch (error) {
      this.#finish({ how: 'rejected', error });
    }
  }

  #drained(): Promise<void> {
    const socket = this.#socket;
    return new Promise((resolve) => {
      const done = () => {
        socket.off('drain', done);
        socket.off('close', done);
        resolve();
      };
      if (this.#hasEnded) {
        resolve();
        return;
      }
      socket.on('drain', done);
      socket.on('close', done);
    });
  }

  #onClose(): void {
    if (this.#isClosing) this.#shared.closing.end(this.#socket);
    this.#finish({ how: 'reset', wasSent: this.#wasSent, cause: undefined });
  }

  /** True = read on. */
  #onBytes(length: number, buffer: Uint8Array): boolean {
    if (this.#hasEnded) return this.#drop(length);
    const chunk = Buffer.from(buffer.buffer, buffer.byteOffset, length);
    try {
      const { receiver, file } = this.#request.exchange ?? {};
      const verdict = receiver?.take(chunk);
      if (verdict === true) this.#finish({ how: 'complete' });
      else if (verdict === 'send-file' && file) void this.#sendFile(file());
    } catch (error) {
      this.#finish({ how: 'rejected', error });
    }
    return !this.#hasEnded || this.#isClosing;
  }

  #drop(length: number): boolean {
    if (!this.#isClosing) return false;
    this.#droppedBytes += length;
    if (this.#droppedBytes > MAX_DROPPED_BYTES) this.#shared.closing.end(this.#socket);
    return this.#droppedBytes <= MAX_DROPPED_BYTES;
  }

  #onError(error: NodeJS.ErrnoException): void {
    const code = error.code ?? '';
    if (EXHAUSTED.has(code)) this.#finish({ how: 'exhausted', cause: error });
    else if (this.#isConnected) this.#finish({ how: 'reset', wasSent: this.#wasSent, cause: error });
    else if (code === 'ETIMEDOUT') this.#finish({ how: 'deadline', wasSent: false });
    else if (UNREACHABLE.has(code)) this.#finish({ how: 'unreachable', cause: error });
    // A reset during the handshake comes from a host or a gateway that refuses us: it counts as a closed port.
    else this.#finish({ how: 'refused', cause: error });
  }

  #finish(end: ConnectionEnd): void {
    if (this.#hasEnded) return;
    this.#hasEnded = true;
    this.#close(end.how);
    this.#onEnd(end);
  }

  #close(how: ConnectionEnd['how']): void {
    const socket = this.#socket;
    // A reset leaves no TIME_WAIT on our side, so a scan of a /16 does not run out of ports; a probe carries no data
    // that could be lost.
    if (how === 'open' && !this.#shared.mayProbeEndWithFin()) socket.resetAndDestroy();
    else if (how === 'open' || how === 'complete' || (how === 'deadline' && this.#isConnected)) {
      this.#isClosing = this.#shared.closing.add(socket);
    } else socket.destroy();
  }
}

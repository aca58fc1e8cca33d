// Sockets that close in order: our FIN is sent, and late bytes are dropped until the device closes too. A reset in
// answer to late bytes would kill small servers. Bounded in time, number and bytes.
import type { Socket } from 'node:net';
import type { Cancel, Clock } from '../../base/clock.ts';

const CLOSING_MS = 1_000;
/** Beyond this many, a socket is closed at once: a FIN all the same, and a reset only for bytes that come later. */
const MAX_CLOSING = 256;
/** What one device may still send. */
export const MAX_DROPPED_BYTES = 64 * 1024;

export class ClosingSockets {
  readonly #clock: Clock;
  readonly #sockets = new Map<Socket, Cancel>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#sockets.size;
  }

  /** False = there are too many, and the socket is destroyed. */
  add(socket: Socket): boolean {
    if (this.#sockets.size >= MAX_CLOSING) {
      socket.destroy();
      return false;
    }
    const cancel = this.#clock.after(CLOSING_MS, () => this.end(socket), { unref: true });
    this.#sockets.set(socket, cancel);
    socket.end();
    return true;
  }

  /** The device has closed its side, or there is no more to wait for. */
  end(socket: Socket): void {
    this.#sockets.get(socket)?.();
    this.#sockets.delete(socket);
    socket.destroy();
  }

  close(): void {
    for (const socket of this.#sockets.keys()) this.end(socket);
  }
}

// One reader of a board on its socket: what it has, whether it reads, and how it is closed. It decides neither what is
// sent nor who may have it.
import type { WebSocket } from 'ws';
import type { Clock } from '../../../base/clock.ts';
import type { Frame } from './frames.ts';

/** Codes of the close frame. 1000 = it has to begin anew, 1001 = we restart, 1013 = we do not know whether it may. */
export const CLOSE = { anew: 1000, restart: 1001, unavailable: 1013, revoked: 4401, full: 4429 } as const;

/** A reader that has left more than this unread gets nothing until it has read all of it. */
export const MAX_UNREAD_BYTES = 256 * 1024;
/** With its pongs, and with one catch-up on top: more, and it only asks. */
const CUT_UNREAD_BYTES = 16 * 1024 * 1024;
const PING_MS = 20_000;
/** A reader that answers no ping for so long reads nothing. */
const SILENCE_MS = 60_000;
/** For the closing handshake. */
const GOODBYE_MS = 5_000;

export type Viewer = ReturnType<typeof createViewer>;

/** It has the version `seq` of the epoch. */
export function createViewer(
  socket: WebSocket,
  { epoch, seq }: { readonly epoch: string | undefined; readonly seq: number },
  clock: Clock,
) {
  let hasSeq = seq;
  let isBehind = false;
  let heardAtMs = clock.monotonicMs();
  let pingedAtMs = heardAtMs;
  const heard = () => {
    heardAtMs = clock.monotonicMs();
  };
  const close = (code: number, reason: string, goodbyeMs = GOODBYE_MS) => {
    socket.close(code, reason);
    clock.after(goodbyeMs, () => socket.terminate(), { unref: true });
  };
  socket.on('pong', heard);
  socket.on('ping', () => {
    if (socket.bufferedAmount > CUT_UNREAD_BYTES) socket.terminate();
  });
  return {
    epoch,
    seq: (): number => hasSeq,
    isOpen: (): boolean => socket.readyState === socket.OPEN,
    /** It reads what it is sent. One that did not gets nothing more until it has. */
    hasRoom(): boolean {
      const unread = socket.bufferedAmount;
      isBehind = unread > MAX_UNREAD_BYTES || (isBehind && unread > 0);
      return !isBehind;
    },
    send({ data, isCompressed, seq: sentSeq }: Frame): void {
      socket.send(data, { binary: isCompressed });
      if (sentSeq === undefined) close(CLOSE.anew, 'ask for all rows anew');
      else hasSeq = sentSeq;
    },
    /** Pings it now and then; cuts it where it has answered nothing for long. Call it every second. */
    tend(): void {
      const nowMs = clock.monotonicMs();
      if (nowMs - heardAtMs > SILENCE_MS) socket.terminate();
      else if (nowMs - pingedAtMs >= PING_MS) {
        pingedAtMs = nowMs;
        socket.ping();
      }
    },
    /** The socket is cut where the other end does not answer in time. */
    close,
    closed: new Promise<number>((resolve) => socket.once('close', resolve)),
  };
}

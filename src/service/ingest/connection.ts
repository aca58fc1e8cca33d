// The socket of one agent: frames are handled one after the other, and the socket is paused when they come too fast. A
// refused frame closes it with the reason. What frames mean is in session.ts.
import type { WebSocket } from 'ws';
import { DatabaseError, RefusedError, renderError } from '../../base/errors.ts';
import { type ClockLook, lookAtClocks } from '../../base/time/clock-steps.ts';
import type { BaselineFrame } from '../../wire/baseline.ts';
import type { Notice, ServiceFrame, TaskCommand } from '../../wire/frames.ts';
import { CLOSE_RESTART } from '../../wire/protocol.ts';
import { Session, type SessionParts } from './session.ts';

/**
 * Codes of the close frame. 1008 = policy, 1011 = our fault, 1012 = we restart, 1013 = no database, 4001 = a newer
 * connection.
 */
export const CLOSE = { refused: 1008, failed: 1011, restart: CLOSE_RESTART, away: 1013, replaced: 4001 } as const;

const MAX_WAITING_FRAMES = 8;
/** Of our frames and pongs that an agent has not read; far more than a whole plan of tasks. */
const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** An agent that has left more than this unread is not sent more tasks. */
const ROOM_BYTES = 1024 * 1024;
const MAX_REASON_BYTES = 120;
export const NO_DATABASE = 'this copy of the service cannot store anything now: try again';

export type Connection = ReturnType<typeof createConnection>;

export function createConnection(socket: WebSocket, parts: SessionParts) {
  const { agent, clock, log, quota } = parts;
  const fields = { agentId: agent.id };
  let heardAtMs = clock.monotonicMs();
  let waiting = 0;
  let isClosed = false;
  let work: Promise<void> = Promise.resolve();

  const transmit = (frame: ServiceFrame | BaselineFrame) => {
    socket.send(JSON.stringify(frame));
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  };
  const close = (code: number, reason: string) => {
    if (isClosed) return;
    isClosed = true;
    socket.close(code, shorten(reason));
  };
  const session = new Session(parts, transmit);

  const handle = async (data: Buffer, isBinary: boolean, came: ClockLook) => {
    if (isClosed) return;
    try {
      // Before the hello the peer may not be the agent, and must not use up the agent's quota.
      if (session.isGreeted) {
        await quota.wait(agent.id);
        if (isClosed) return;
        if (!isBinary) quota.charge(agent.id, { frame: 'text', records: 0, bytes: data.length });
      }
      await (isBinary ? session.takeBinary(data, came) : session.takeText(data.toString('utf8'), came));
    } catch (error) {
      if (error instanceof RefusedError) {
        log.warn({ ...fields, error: error.message }, 'uplink refused');
        close(CLOSE.refused, error.message);
      } else if (error instanceof DatabaseError) {
        log.warn({ ...fields, error: renderError(error) }, 'the database takes nothing from an agent');
        close(CLOSE.away, NO_DATABASE);
      } else {
        log.error({ ...fields, error: renderError(error) }, 'uplink failed');
        close(CLOSE.failed, 'the service could not store this: try again later');
      }
    }
  };

  const heard = () => {
    heardAtMs = clock.monotonicMs();
  };
  socket.on('message', (data, isBinary) => {
    heard();
    const came = lookAtClocks(clock);
    const bytes = Buffer.isBuffer(data) ? data : Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
    if (++waiting >= MAX_WAITING_FRAMES) socket.pause();
    work = work.then(async () => {
      await handle(bytes, isBinary, came);
      if (--waiting < MAX_WAITING_FRAMES && socket.isPaused) socket.resume();
    });
  });
  socket.on('pong', heard);
  socket.on('ping', () => {
    heard();
    if (socket.bufferedAmount > MAX_UNREAD_BYTES) socket.terminate();
  });

  return {
    agent,
    /** When something came last, on the clock's monotonic time. */
    heardAtMs: () => heardAtMs,
    /** Signs it for this connection. False when the socket is not open, or the agent has not said hello. */
    send(message: TaskCommand | Notice): boolean {
      const frame = socket.readyState === socket.OPEN ? session.sign(message) : undefined;
      if (frame !== undefined) transmit(frame);
      return frame !== undefined;
    },
    /** The agent reads what it is sent. */
    hasRoom: () => socket.bufferedAmount < ROOM_BYTES,
    ping() {
      if (socket.readyState === socket.OPEN) socket.ping();
    },
    close,
    terminate: () => socket.terminate(),
    /** Resolves when all frames that came in before are handled. */
    drained: () => work,
  };
}

/** A close frame has room for 123 bytes. */
function shorten(reason: string): string {
  return Buffer.from(reason).subarray(0, MAX_REASON_BYTES).toString('utf8').replaceAll('\uFFFD', '');
}

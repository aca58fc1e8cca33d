// One WebSocket to the service from opening to end: encryption, challenge, signs of life, time limits, goodbye. It
// reads no frame and never reconnects.
import { type RawData, WebSocket } from 'ws';
import type { Cancel, Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import { plainText } from '../../model/plain-text.ts';
import { CHALLENGE_HEADER, CLOSE_RESTART, MAX_FRAME_BYTES, UPLINK_PATH } from '../../wire/protocol.ts';
import type { Credentials } from './enrolment/credentials.ts';

export type ConnectionEnd = {
  /**
   * `refused` = our identity is not accepted; `restarting` = the service says so; `renewed` = the next one sends other
   * epochs; `stopped` = by us.
   */
  readonly kind: 'lost' | 'refused' | 'restarting' | 'renewed' | 'stopped';
  readonly reason: string;
};

/** Close codes that name the side at fault, in the range that is free for applications. */
export const CLOSE = { badFrame: 4400, cannot: 4500 } as const;
const CLOSE_MS = 2_000;
/** Less than this is our own ping on its way into the kernel, which takes it whether or not the peer lives. */
const LEAST_MOVING_BYTES = 4 * 1024;
const MAX_CHALLENGE = 128;
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

export type SocketOptions = {
  /** `ws:` or `wss:`. */
  readonly address: { readonly ws: string };
  readonly credentials: Pick<Credentials, 'agentId' | 'token'>;
  readonly timing: Readonly<Record<'pingMs' | 'silenceMs' | 'answerMs' | 'ackMs', number>>;
  readonly clock: Clock;
};

/** Bytes that leave are a sign of life too: on a slow connection the answer to a ping waits behind them. */
export const isMoving = (unsentBefore: number, unsentNow: number): boolean =>
  unsentBefore > LEAST_MOVING_BYTES && unsentNow < unsentBefore;

export type ServiceSocket = ReturnType<typeof openSocket>;

export function openSocket(
  { address, credentials, timing, clock }: SocketOptions,
  on: {
    open(challenge: string | undefined): void;
    message(data: RawData, isBinary: boolean): void;
    /** Called once, before the goodbye. */
    end(kind: ConnectionEnd['kind']): void;
  },
) {
  const { promise: ended, resolve } = Promise.withResolvers<ConnectionEnd>();
  const socket = connectTo(address.ws, credentials);
  const timers = new Map<'answer' | 'ping' | 'silence' | 'ack', Cancel>();
  let aliveAtMs = clock.monotonicMs();
  let unsentBytes = 0;
  let isGreeted = false;
  let isOver = false;

  const setTimer = (name: 'answer' | 'ping' | 'silence' | 'ack', delayMs: number, run: () => void) => {
    timers.get(name)?.();
    timers.set(name, clock.after(delayMs, run));
  };

  /** The first call decides why the connection ended. Without a `code` there is no goodbye. */
  const end = (kind: ConnectionEnd['kind'], reason: string, code?: number) => {
    if (isOver) return;
    isOver = true;
    for (const cancel of timers.values()) cancel();
    on.end(kind);
    closeSocket(socket, { code, isGreeted, reason, clock }, () => resolve({ kind, reason }));
  };

  const heard = () => {
    aliveAtMs = clock.monotonicMs();
    // Answers to a peer that asks and never reads would pile up here.
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) end('lost', 'the service does not read what it is sent');
  };
  const watchSilence = () => {
    if (isMoving(unsentBytes, socket.bufferedAmount)) aliveAtMs = clock.monotonicMs();
    unsentBytes = socket.bufferedAmount;
    const silentMs = clock.monotonicMs() - aliveAtMs;
    if (silentMs >= timing.silenceMs) end('lost', `the service is silent for ${Math.round(silentMs / 1_000)} s`);
    else setTimer('silence', Math.min(timing.silenceMs - silentMs, timing.pingMs), watchSilence);
  };
  const ping = () => {
    if (socket.readyState === WebSocket.OPEN) socket.ping();
    setTimer('ping', timing.pingMs, ping);
  };

  listen(socket, { heard, end, open: on.open, message: on.message });
  setTimer('answer', timing.answerMs, () => end('lost', 'the service does not accept the connection in time'));

  return {
    ended,
    end,
    isOver: () => isOver,
    send: (frame: string | Buffer) => socket.send(frame),
    /** Bytes that have not left yet. */
    unsentBytes: () => socket.bufferedAmount,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
    /** The hello was sent: the service has to answer it, and to show signs of life. */
    greeted(): void {
      isGreeted = true;
      setTimer('answer', timing.answerMs, () => end('lost', 'the service does not answer the greeting', CLOSE.cannot));
      setTimer('ping', timing.pingMs, ping);
      setTimer('silence', timing.pingMs, watchSilence);
    },
    welcomed: () => timers.get('answer')?.(),
    /** Slices are on the way, and some are confirmed from time to time, or none is. */
    awaitAck(isWaiting: boolean): void {
      if (isWaiting) setTimer('ack', timing.ackMs, () => end('lost', 'the service acknowledges nothing', CLOSE.cannot));
      else timers.get('ack')?.();
    },
  };
}

const connectTo = (address: string, { agentId, token }: SocketOptions['credentials']) =>
  new WebSocket(`${address}${UPLINK_PATH}`, {
    headers: { authorization: `Bearer ${agentId}.${token.reveal()}` },
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    // Independent of the environment.
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });

function listen(
  socket: WebSocket,
  on: {
    heard(): void;
    end(kind: ConnectionEnd['kind'], reason: string): void;
    open(challenge: string | undefined): void;
    message(data: RawData, isBinary: boolean): void;
  },
): void {
  let challenge: string | undefined;
  socket.on('upgrade', ({ headers }) => {
    const text = headers[CHALLENGE_HEADER];
    if (typeof text === 'string' && text.length <= MAX_CHALLENGE) challenge = text;
  });
  socket.on('open', () => {
    on.heard();
    on.open(challenge);
  });
  socket.on('message', (data, isBinary) => {
    on.heard();
    on.message(data, isBinary);
  });
  socket.on('ping', on.heard);
  socket.on('pong', on.heard);
  socket.on('unexpected-response', (request, response) => {
    const status = response.statusCode ?? 0;
    request.destroy();
    const isRefusal = status === 401 || status === 403;
    on.end(isRefusal ? 'refused' : 'lost', `the service answers ${status} to the connection`);
  });
  socket.on('error', (error) => on.end('lost', renderError(error)));
  socket.on('close', (code, reason) => {
    const words = plainText(reason.toString('utf8'), 100);
    const kind = code === CLOSE_RESTART ? 'restarting' : 'lost';
    on.end(kind, `the service closed the connection (${code}${words === undefined ? '' : `: ${words}`})`);
  });
}

/** Says goodbye, where there is a code and a peer that may hear it, and waits for the answer at most CLOSE_MS. */
function closeSocket(
  socket: WebSocket,
  how: {
    readonly code: number | undefined;
    readonly isGreeted: boolean;
    readonly reason: string;
    readonly clock: Clock;
  },
  onClosed: () => void,
): void {
  const { code, isGreeted, reason, clock } = how;
  const finish = () => {
    socket.terminate();
    onClosed();
  };
  const isOpen = socket.readyState === WebSocket.OPEN;
  // A connection that never opened has no peer to wait for.
  if (!isGreeted || !(socket.readyState === WebSocket.CLOSING || (code !== undefined && isOpen))) {
    finish();
    return;
  }
  const cancel = clock.after(CLOSE_MS, finish);
  socket.once('close', () => {
    cancel();
    finish();
  });
  socket.resume();
  if (isOpen) socket.close(code, reason.slice(0, 100));
}

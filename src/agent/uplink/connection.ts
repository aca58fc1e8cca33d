// One connection to the service from opening to end: hello, welcome, slices in order within the window, acknowledgements, tasks. Every frame is
// checked; a wrong one ends the connection with a reason. It never reconnects: that is uplink.ts.
import { WebSocket } from 'ws';
import type { Cancel, Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import {
  type AgentFrame,
  encodeSlice,
  type OpsStatusFrame,
  type ServiceFrame,
  type TaskOrder,
  UNDERSTOOD,
} from '../../wire/frames.ts';
import { MAX_FRAME_BYTES, PROTOCOL_VERSION, UPLINK_PATH } from '../../wire/protocol.ts';
import type { ServiceAddress } from './address.ts';
import type { SliceSource, TaskListener, Timing, UplinkCredentials } from './contract.ts';
import { createInbox } from './inbox.ts';
import { MAX_SLICES_IN_FLIGHT, type Window } from './window.ts';

export type ConnectionEnd = {
  /** `refused` = our identity is not accepted; `renewed` = a new epoch begins with the next connection; `stopped` = by us. */
  readonly kind: 'lost' | 'refused' | 'renewed' | 'stopped';
  readonly reason: string;
};

export type Connection = { stop(): void; readonly ended: Promise<ConnectionEnd> };

type ConnectionOptions = {
  readonly address: ServiceAddress;
  readonly credentials: UplinkCredentials;
  readonly version: string;
  readonly source: SliceSource;
  readonly tasks: TaskListener;
  readonly window: Window;
  readonly timing: Timing;
  readonly clock: Clock;
  readonly log: Log;
  onWelcome(skewMs: number): void;
  /** Absent = the service is not asked for it. */
  readonly onOpsStatus?: ((frame: OpsStatusFrame) => void) | undefined;
};

/** Close codes that say whose fault it was, in the range that is free for applications. */
const CLOSE = { badFrame: 4400, cannot: 4500 } as const;
const CLOSE_MS = 2_000;
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

type OnTheWay = { readonly seq: number; readonly bytes: number; readonly sentAtMs: number };

export function connect(options: ConnectionOptions): Connection {
  const { credentials, source, tasks, window, timing, clock, log } = options;
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<ConnectionEnd>();
  const socket = new WebSocket(`${options.address.ws}${UPLINK_PATH}`, {
    headers: { authorization: `Bearer ${credentials.agentId}.${credentials.token.reveal()}` },
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    minVersion: 'TLSv1.2',
  });

  const timers = new Map<'answer' | 'ping' | 'silence' | 'ack', Cancel>();
  let onTheWay: OnTheWay[] = [];
  let hello: { readonly epoch: string; readonly nextSeq: number; readonly firstSeq: number } | undefined;
  let isWelcome = false;
  let isOver = false;
  let sentSeq = 0;
  let heardAtMs = clock.monotonicMs();
  let unsentBytes = 0;
  let stopListening: (() => void) | undefined;

  const setTimer = (name: 'answer' | 'ping' | 'silence' | 'ack', delayMs: number, run: () => void) => {
    timers.get(name)?.();
    timers.set(name, clock.after(delayMs, run));
  };

  /** The first call decides why the connection ended. `code` = say goodbye with it; without, the peer is not worth waiting for. */
  const end = (kind: ConnectionEnd['kind'], reason: string, code?: number) => {
    if (isOver) return;
    isOver = true;
    for (const cancel of timers.values()) cancel();
    stopListening?.();
    inbox.clear();
    if (kind === 'lost' && onTheWay.length > 0) window.broke();
    const finish = () => {
      socket.terminate();
      resolveEnded({ kind, reason });
    };
    const mayWait =
      socket.readyState === WebSocket.CLOSING || (code !== undefined && socket.readyState === WebSocket.OPEN);
    if (!mayWait) {
      finish();
      return;
    }
    const cancel = clock.after(CLOSE_MS, finish);
    socket.once('close', () => {
      cancel();
      finish();
    });
    socket.resume();
    if (socket.readyState === WebSocket.OPEN) socket.close(code, reason.slice(0, 100));
  };

  const badFrame = (what: string) => end('lost', `bad frame from the service: ${what}`, CLOSE.badFrame);

  const send = (frame: AgentFrame) => socket.send(JSON.stringify(frame));

  const heard = () => {
    heardAtMs = clock.monotonicMs();
    // Answers to a peer that asks and never reads would pile up here.
    if (socket.bufferedAmount > MAX_UNSENT_BYTES) end('lost', 'the service does not read what it is sent');
  };

  /** Bytes that leave are a sign of life too: on a thin line an answer to a ping waits behind them. */
  const watchSilence = () => {
    if (socket.bufferedAmount < unsentBytes) heardAtMs = clock.monotonicMs();
    unsentBytes = socket.bufferedAmount;
    const silentMs = clock.monotonicMs() - heardAtMs;
    if (silentMs >= timing.silenceMs) end('lost', `the service is silent for ${Math.round(silentMs / 1_000)} s`);
    else setTimer('silence', Math.min(timing.silenceMs - silentMs, timing.pingMs), watchSilence);
  };

  const ping = () => {
    if (socket.readyState === WebSocket.OPEN) socket.ping();
    setTimer('ping', timing.pingMs, ping);
  };

  const sendMore = () => {
    if (!isWelcome || isOver || hello === undefined) return;
    for (;;) {
      const room = window.bytes() - onTheWay.reduce((sum, { bytes }) => sum + bytes, 0);
      const maxSlices = MAX_SLICES_IN_FLIGHT - onTheWay.length;
      if (maxSlices <= 0 || (room <= 0 && onTheWay.length > 0)) return;
      const slices = source.read({ afterSeq: sentSeq, maxSlices, maxBytes: Math.max(1, room) });
      if (slices.length === 0) return;
      for (const { header, body } of slices) {
        if (header.epoch !== hello.epoch || header.seq !== sentSeq + 1) {
          end('lost', 'the stored slices do not follow each other', CLOSE.cannot);
          return;
        }
        const frame = encodeSlice(header, body);
        if (onTheWay.length === 0) setTimer('ack', timing.ackMs, onNoAck);
        onTheWay.push({ seq: header.seq, bytes: frame.length, sentAtMs: clock.monotonicMs() });
        sentSeq = header.seq;
        socket.send(frame);
      }
    }
  };

  const onNoAck = () => end('lost', 'the service acknowledges nothing', CLOSE.cannot);

  const onWelcome = (frame: Extract<ServiceFrame, { type: 'welcome' }>) => {
    if (isWelcome || hello === undefined) return badFrame('a second welcome');
    timers.get('answer')?.();
    const skewMs = Date.parse(frame.at) - clock.nowMs();
    if (frame.protocol !== PROTOCOL_VERSION) log.warn({ theirs: frame.protocol }, 'the service speaks another version');
    if (frame.acked_seq >= hello.nextSeq || frame.acked_seq + 1 < hello.firstSeq) {
      source.renewEpoch(frame.acked_seq);
      end('renewed', 'the service has other slices than we do: a new epoch begins', 1000);
      return;
    }
    isWelcome = true;
    sentSeq = frame.acked_seq;
    if (frame.acked_seq > 0) source.acknowledge(frame.acked_seq);
    options.onWelcome(skewMs);
    sendMore();
  };

  const onAck = (frame: Extract<ServiceFrame, { type: 'ack' }>) => {
    if (frame.epoch !== hello?.epoch) return badFrame('an acknowledgement of another epoch');
    if (frame.seq > sentSeq) return badFrame('an acknowledgement of a slice that was not sent');
    const newest = onTheWay.findLast(({ seq }) => seq <= frame.seq);
    if (newest === undefined) return;
    window.acknowledged(clock.monotonicMs() - newest.sentAtMs);
    onTheWay = onTheWay.filter(({ seq }) => seq > frame.seq);
    source.acknowledge(frame.seq);
    if (onTheWay.length === 0) timers.get('ack')?.();
    else setTimer('ack', timing.ackMs, onNoAck);
    sendMore();
  };

  const onTasks = (orders: readonly TaskOrder[]) => {
    if (orders.length === 0) return;
    try {
      tasks.onTasks(orders);
    } catch (error) {
      // Not confirmed, so the service sends them again with the next connection.
      log.error({ error: renderError(error), tasks: orders.length }, 'tasks could not be taken');
      return;
    }
    for (const { task_id } of orders) send({ type: 'task-received', task_id });
  };

  const handle = (frames: readonly ServiceFrame[]) => {
    let orders: TaskOrder[] = [];
    for (const frame of frames) {
      if (isOver) return;
      if (!isWelcome && frame.type !== 'welcome') return badFrame(`${frame.type} before welcome`);
      if (frame.type === 'task') {
        orders.push(frame);
        continue;
      }
      onTasks(orders);
      orders = [];
      if (frame.type === 'welcome') onWelcome(frame);
      else if (frame.type === 'ack') onAck(frame);
      else if (frame.type === 'cancel') tasks.onCancel(frame.task_id);
      else options.onOpsStatus?.(frame);
    }
    if (!isOver) onTasks(orders);
  };

  const guarded = (run: () => void) => {
    try {
      run();
    } catch (error) {
      end('lost', `our side failed: ${renderError(error)}`, CLOSE.cannot);
    }
  };

  const inbox = createInbox({
    handle: (frames) => guarded(() => handle(frames)),
    onBad: badFrame,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  });

  const onOpen = () => {
    heard();
    const { epoch, nextSeq, firstSeq } = source.position();
    hello = { epoch, nextSeq, firstSeq };
    send({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      version: options.version,
      epoch,
      next_seq: nextSeq,
      at: new Date(clock.nowMs()).toISOString(),
      ...(options.onOpsStatus === undefined ? {} : { understands: [...UNDERSTOOD] }),
    });
    setTimer('answer', timing.answerMs, () => end('lost', 'the service does not answer the greeting', CLOSE.cannot));
    setTimer('ping', timing.pingMs, ping);
    setTimer('silence', timing.pingMs, watchSilence);
    stopListening = source.onMore(() => guarded(sendMore));
  };

  socket.on('open', () => guarded(onOpen));
  socket.on('message', (data, isBinary) => {
    heard();
    if (!isOver) inbox.take(data, isBinary);
  });
  socket.on('ping', heard);
  socket.on('pong', heard);
  socket.on('unexpected-response', (request, response) => {
    const status = response.statusCode ?? 0;
    request.destroy();
    const isRefusal = status === 401 || status === 403;
    end(isRefusal ? 'refused' : 'lost', `the service answers ${status} to the connection`);
  });
  socket.on('error', (error) => end('lost', renderError(error)));
  socket.on('close', (code, reason) => {
    const words = reason
      .toString('utf8')
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, 100);
    end('lost', `the service closed the connection (${code}${words === '' ? '' : `: ${words}`})`);
  });
  setTimer('answer', timing.answerMs, () => end('lost', 'the service does not accept the connection in time'));

  return { ended, stop: () => end('stopped', 'stopped', 1000) };
}

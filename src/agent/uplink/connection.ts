// One connection to the service from opening to end: hello, welcome, slices within the window, newest epoch first, acknowledgements, tasks. Every
// frame is checked; a wrong one ends the connection with a reason. It never reconnects: that is uplink.ts.
import { WebSocket } from 'ws';
import type { Cancel, Clock } from '../../base/clock.ts';
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { plainText } from '../../model/plain-text.ts';
import {
  type AgentFrame,
  MAX_EPOCHS,
  type OpsStatusFrame,
  type ServiceFrame,
  type SignedNoticeFrame,
  type SignedTaskFrame,
  type TaskCommand,
} from '../../wire/frames.ts';
import { CHALLENGE_HEADER, MAX_FRAME_BYTES, PROTOCOL_VERSION, UPLINK_PATH } from '../../wire/protocol.ts';
import type { EpochPosition, SliceSource } from '../outbox/outgoing.ts';
import type { Credentials } from './enrolment/credentials.ts';
import { createInbox } from './inbox.ts';
import { createLiveSender, TAKES_LIVE } from './live-sender.ts';
import { createSender, type Window } from './sender.ts';
import type { MessageGuard } from './signatures/message-guard.ts';

export type ConnectionEnd = {
  /** `refused` = our identity is not accepted; `renewed` = a new epoch begins with the next connection; `stopped` = by us. */
  readonly kind: 'lost' | 'refused' | 'renewed' | 'stopped';
  readonly reason: string;
};

/** What an uplink gives to each of its connections. */
export type LinkParts = {
  readonly credentials: Pick<Credentials, 'agentId' | 'token' | 'prove'>;
  readonly version: string;
  /** Names the memory behind our keys; a uuid. */
  readonly instanceId: string;
  readonly source: SliceSource;
  readonly tasks: {
    /** Returns once the commands are journaled: only then are they confirmed. Throws when they are not; they come again. */
    onTasks(commands: readonly TaskCommand[]): void;
    onCancel(taskId: string): void;
  };
  readonly messageGuard: Pick<MessageGuard, 'begin'>;
  readonly clock: Clock;
  readonly log: Log;
  /** What operators say of the miners. */
  onOpsStatus(frame: OpsStatusFrame): void;
};

type ConnectionOptions = LinkParts & {
  /** `ws:` or `wss:`. */
  readonly address: { readonly ws: string };
  readonly window: Window;
  readonly timing: Readonly<Record<'pingMs' | 'silenceMs' | 'answerMs' | 'ackMs', number>>;
  onWelcome(skewMs: number): void;
};

/** Close codes that say whose fault it was, in the range that is free for applications. */
const CLOSE = { badFrame: 4400, cannot: 4500 } as const;
const CLOSE_MS = 2_000;
/** Slices; a shorter backlog is sent before what follows it. */
const LONG_BACKLOG = 32;
/** Less than this is our own ping on its way into the kernel, which takes it whether or not the peer lives. */
const LEAST_MOVING_BYTES = 4 * 1024;
const MAX_CHALLENGE = 128;
const MAX_UNSENT_BYTES = 8 * 1024 * 1024;
const MAX_UNSENT_LIVE_BYTES = 256 * 1024;

export function connect(options: ConnectionOptions) {
  const { credentials, source, tasks, window, timing, clock, log } = options;
  const session = options.messageGuard.begin();
  const { promise: ended, resolve: resolveEnded } = Promise.withResolvers<ConnectionEnd>();
  const socket = new WebSocket(`${options.address.ws}${UPLINK_PATH}`, {
    headers: { authorization: `Bearer ${credentials.agentId}.${credentials.token.reveal()}` },
    maxPayload: MAX_FRAME_BYTES,
    perMessageDeflate: false,
    followRedirects: false,
    // Whatever the environment says.
    minVersion: 'TLSv1.2',
    rejectUnauthorized: true,
  });

  const timers = new Map<'answer' | 'ping' | 'silence' | 'ack', Cancel>();
  let hello: EpochPosition | undefined;
  let isWelcome = false;
  const asked = new Map<string, EpochPosition>();
  let isOver = false;
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
    sender.stop();
    live.stop();
    if (kind === 'lost' && sender.isWaiting()) window.broke();
    const finish = () => {
      socket.terminate();
      resolveEnded({ kind, reason });
    };
    // A connection that never opened has nobody to wait for.
    const mayWait =
      hello !== undefined &&
      (socket.readyState === WebSocket.CLOSING || (code !== undefined && socket.readyState === WebSocket.OPEN));
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
    if (unsentBytes > LEAST_MOVING_BYTES && socket.bufferedAmount < unsentBytes) heardAtMs = clock.monotonicMs();
    unsentBytes = socket.bufferedAmount;
    const silentMs = clock.monotonicMs() - heardAtMs;
    if (silentMs >= timing.silenceMs) end('lost', `the service is silent for ${Math.round(silentMs / 1_000)} s`);
    else setTimer('silence', Math.min(timing.silenceMs - silentMs, timing.pingMs), watchSilence);
  };

  const ping = () => {
    if (socket.readyState === WebSocket.OPEN) socket.ping();
    setTimer('ping', timing.pingMs, ping);
  };

  const onNoAck = () => end('lost', 'the service acknowledges nothing', CLOSE.cannot);

  const sender = createSender({
    source,
    window,
    clock,
    transmit: (frame) => socket.send(frame),
    waits(isWaiting) {
      if (isWaiting) setTimer('ack', timing.ackMs, onNoAck);
      else timers.get('ack')?.();
    },
    cannot: (reason) => end('lost', reason, CLOSE.cannot),
  });

  const live = createLiveSender({
    source,
    clock,
    transmit: (frame) => socket.send(frame),
    hasRoom: () => socket.bufferedAmount < MAX_UNSENT_LIVE_BYTES,
    inTurn: (run) => inTurn(run),
  });

  const sendMore = async () => {
    if (!isWelcome || isOver) return;
    await sender.sendMore();
    // After the outbox began anew its epoch comes with the next connection.
    if (asked.size === 0 && (await sender.isDone()))
      end('renewed', 'the epochs of this connection are sent: others are next', 1000);
  };

  /** False when the connection is over, or the service has other slices than we do; then a new epoch begins with the next connection. */
  const join = async (position: EpochPosition, ackedSeq: number): Promise<boolean> => {
    if (ackedSeq >= position.nextSeq || ackedSeq + 1 < position.firstSeq) {
      await source.renewEpoch(ackedSeq, position.epoch);
      end('renewed', 'the service has other slices than we do: a new epoch begins', 1000);
      return false;
    }
    if (ackedSeq > 0) await source.acknowledge(ackedSeq, position.epoch);
    sender.join(position.epoch, ackedSeq);
    return !isOver;
  };

  const onWelcome = async (frame: Extract<ServiceFrame, { type: 'welcome' }>) => {
    if (isWelcome || hello === undefined) return badFrame('a second welcome');
    timers.get('answer')?.();
    const skewMs = Date.parse(frame.at) - clock.nowMs();
    if (frame.protocol !== PROTOCOL_VERSION) log.warn({ theirs: frame.protocol }, 'the service speaks another version');
    // First: the time of the service that it brings is that of this moment, and the outbox may take its time.
    session.onWelcome(frame);
    if (frame.takes?.includes(TAKES_LIVE)) live.start();
    if (!(await join(hello, frame.acked_seq))) return;
    isWelcome = true;
    await askForEpochs(hello.epoch);
    if (isOver) return;
    options.onWelcome(skewMs);
    await sendMore();
  };

  /** A long backlog gets an epoch of its own; each epoch but that of the hello is sent once the service has said what it has of it. */
  const askForEpochs = async (helloEpoch: string) => {
    const epochs = await source.epochs();
    const open = epochs.at(-1);
    const isLong = open !== undefined && open.nextSeq - 1 - open.ackedSeq > LONG_BACKLOG;
    if (isLong && epochs.length < MAX_EPOCHS)
      // Where that cannot be stored, what follows waits behind the backlog.
      await source
        .split()
        .catch((error: unknown) => log.warn({ error: renderError(error) }, 'the backlog gets no epoch of its own'));
    for (const position of (await source.epochs()).slice(0, MAX_EPOCHS)) {
      if (isOver || position.epoch === helloEpoch) continue;
      asked.set(position.epoch, position);
      send({ type: 'epoch', epoch: position.epoch, next_seq: position.nextSeq });
    }
  };

  const onEpoch = async (frame: Extract<ServiceFrame, { type: 'epoch' }>) => {
    const position = asked.get(frame.epoch);
    if (position === undefined) return badFrame('an epoch that was not asked for');
    asked.delete(frame.epoch);
    if (await join(position, frame.acked_seq)) await sendMore();
  };

  const onAck = async (frame: Extract<ServiceFrame, { type: 'ack' }>) => {
    const outcome = await sender.acknowledged(frame.epoch, frame.seq);
    if (outcome === 'stranger') return badFrame('an acknowledgement of another epoch');
    if (outcome === 'early') return badFrame('an acknowledgement of a slice that was not sent');
    if (outcome === 'news') await sendMore();
  };

  const onTasks = (frames: readonly SignedTaskFrame[]) => {
    if (frames.length === 0) return;
    let commands: readonly TaskCommand[] = [];
    try {
      commands = session.admit(frames);
      if (commands.length > 0) tasks.onTasks(commands);
    } catch (error) {
      // Not confirmed, so the service sends them again with the next connection.
      log.error({ error: renderError(error), tasks: frames.length }, 'tasks could not be taken');
      return;
    }
    for (const { task_id } of commands) send({ type: 'task-received', task_id });
  };

  const onNotice = (frame: SignedNoticeFrame) => {
    const notice = session.hear(frame);
    if (notice?.type === 'cancel') tasks.onCancel(notice.task_id);
    else if (notice !== undefined) options.onOpsStatus(notice);
  };

  const handle = async (frames: readonly ServiceFrame[]) => {
    let commands: SignedTaskFrame[] = [];
    for (const frame of frames) {
      if (isOver) return;
      if (!isWelcome && frame.type !== 'welcome') return badFrame(`${frame.type} before welcome`);
      if (frame.type === 'signed-task') {
        commands.push(frame);
        continue;
      }
      onTasks(commands);
      commands = [];
      if (frame.type === 'welcome') await onWelcome(frame);
      else if (frame.type === 'ack') await onAck(frame);
      else if (frame.type === 'epoch') await onEpoch(frame);
      else onNotice(frame);
    }
    if (!isOver) onTasks(commands);
  };

  let busy: Promise<void> = Promise.resolve();
  /** What waits for the outbox happens one after the other; a failure ends the connection. */
  const inTurn = (run: () => Promise<void>): Promise<void> => {
    busy = busy
      .then(() => (isOver ? undefined : run()))
      .catch((error: unknown) => end('lost', `our side failed: ${renderError(error)}`, CLOSE.cannot));
    return busy;
  };

  let isMoreComing = false;
  const onMore = () => {
    if (isMoreComing) return;
    isMoreComing = true;
    void inTurn(() => {
      isMoreComing = false;
      return sendMore();
    });
  };

  const inbox = createInbox({
    handle: (frames) => inTurn(() => handle(frames)),
    onBad: badFrame,
    onUnknown: session.leaveAside,
    pause: () => socket.pause(),
    resume: () => socket.resume(),
  });

  const onOpen = async () => {
    heard();
    if (challenge === undefined) return end('lost', 'the service does not ask us to prove our key', CLOSE.cannot);
    const [oldest] = await source.epochs();
    if (isOver) return;
    hello = oldest;
    const { epoch, nextSeq, outbox } = hello;
    send({
      type: 'hello',
      protocol: PROTOCOL_VERSION,
      version: options.version,
      epoch,
      next_seq: nextSeq,
      at: new Date(clock.nowMs()).toISOString(),
      instance_id: options.instanceId,
      outbox,
      nonce: session.nonce,
      task_seq: session.taskSeq,
      proof: credentials.prove(credentials.agentId, challenge),
    });
    setTimer('answer', timing.answerMs, () => end('lost', 'the service does not answer the greeting', CLOSE.cannot));
    setTimer('ping', timing.pingMs, ping);
    setTimer('silence', timing.pingMs, watchSilence);
    stopListening = source.onMore(onMore);
  };

  let challenge: string | undefined;
  socket.on('upgrade', ({ headers }) => {
    const told = headers[CHALLENGE_HEADER];
    if (typeof told === 'string' && told.length <= MAX_CHALLENGE) challenge = told;
  });
  socket.on('open', () => void inTurn(onOpen));
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
    const words = plainText(reason.toString('utf8'), 100);
    end('lost', `the service closed the connection (${code}${words === undefined ? '' : `: ${words}`})`);
  });
  setTimer('answer', timing.answerMs, () => end('lost', 'the service does not accept the connection in time'));

  return { ended, stop: () => end('stopped', 'stopped', 1000) };
}

// What agent and service exchange on one connection: hello, welcome, slices, newest epoch first, acknowledgements,
// tasks. A wrong frame ends the connection with a reason. It never reconnects: that is uplink.ts.
import { renderError } from '../../base/errors.ts';
import type { Log } from '../../base/log.ts';
import { type BaselineFrame, helloForBaseline, inBaselineWords } from '../../wire/baseline.ts';
import {
  type AgentFrame,
  MAX_EPOCHS,
  type OpsStatusFrame,
  type ServiceFrame,
  type SignedNoticeFrame,
  type SignedTaskFrame,
  type TaskCommand,
} from '../../wire/frames.ts';
import { type OutlookAnswer, type OutlookQuestion, TAKES_OUTLOOK } from '../../wire/outlook.ts';
import { PROTOCOL_VERSION } from '../../wire/protocol.ts';
import type { EpochPosition, SliceSource } from '../outbox/outgoing.ts';
import { createAnswers } from './answers.ts';
import type { Credentials } from './enrolment/credentials.ts';
import { createInbox } from './inbox.ts';
import { createLiveSender, TAKES_LIVE } from './live-sender.ts';
import { createSender, type Window } from './sender.ts';
import type { MessageGuard } from './signatures/message-guard.ts';
import { CLOSE, type ConnectionEnd, openSocket, type ServiceSocket, type SocketOptions } from './socket.ts';

type CommandHandlers = {
  readonly tasks: {
    /** Returns once the tasks are journaled; they are then confirmed. When it throws they come again. */
    onTasks(commands: readonly TaskCommand[]): void;
    onCancel(taskId: string): void;
    /** What such tasks would come to; begins nothing. */
    outlook(question: OutlookQuestion): Promise<OutlookAnswer>;
  };
  /** The ops status that operators gave to miners. */
  onOpsStatus(frame: OpsStatusFrame): void;
};

/** What an uplink gives to each of its connections. */
export type LinkParts = CommandHandlers & {
  readonly credentials: Pick<Credentials, 'agentId' | 'token' | 'prove'>;
  readonly version: string;
  /** Names the agent's registry of miners and its keys; a uuid. */
  readonly instanceId: string;
  readonly source: SliceSource;
  readonly messageGuard: Pick<MessageGuard, 'begin'>;
  readonly clock: SocketOptions['clock'];
  readonly log: Log;
};

type ConnectionOptions = LinkParts &
  SocketOptions & {
    readonly window: Window;
    onWelcome(skewMs: number): void;
  };

/** Slices; a shorter backlog is sent before what follows it. */
const LONG_BACKLOG = 32;
const MAX_UNSENT_LIVE_BYTES = 256 * 1024;

export const isLongBacklog = ({ nextSeq, ackedSeq }: EpochPosition): boolean => nextSeq - 1 - ackedSeq > LONG_BACKLOG;

/** Whether the service has not more of an epoch than was written, and lacks nothing that is no longer kept. */
export const fits = ({ nextSeq, firstSeq }: EpochPosition, ackedSeq: number): boolean =>
  ackedSeq < nextSeq && ackedSeq + 1 >= firstSeq;

export function connect(options: ConnectionOptions): { readonly ended: Promise<ConnectionEnd>; stop(): void } {
  const { ended, end } = new Connection(options).socket;
  return { ended, stop: () => end('stopped', 'stopped', 1000) };
}

class Connection {
  readonly socket: ServiceSocket;
  readonly #options: ConnectionOptions;
  readonly #session: ReturnType<MessageGuard['begin']>;
  readonly #commands: ReturnType<typeof createCommands>;
  readonly #sender: ReturnType<typeof createSender>;
  readonly #live: ReturnType<typeof createLiveSender>;
  readonly #answers: ReturnType<typeof createAnswers>;
  readonly #inbox: ReturnType<typeof createInbox>;
  /** The epoch of the hello. */
  #hello: EpochPosition | undefined;
  #isWelcome = false;
  /** Epochs that the service was asked about. */
  readonly #asked = new Map<string, EpochPosition>();
  #busy: Promise<void> = Promise.resolve();
  #isMoreComing = false;
  #stopListening: (() => void) | undefined;

  constructor(options: ConnectionOptions) {
    const { source, window, clock, log, messageGuard } = options;
    this.#options = options;
    this.#session = messageGuard.begin();
    this.socket = openSocket(options, {
      open: (challenge) => void this.#inTurn(() => this.#greet(challenge)),
      message: (data, isBinary) => {
        if (!this.socket.isOver()) this.#inbox.take(data, isBinary);
      },
      end: (kind) => this.#onEnd(kind),
    });
    const { end, send, unsentBytes, awaitAck, pause, resume } = this.socket;
    this.#answers = createAnswers({
      ...{ clock, log, answer: options.tasks.outlook },
      send: (answer) => this.#send(answer),
    });
    this.#commands = createCommands(this.#session, options, log, {
      confirm: (task_id) => this.#send({ type: 'task-received', task_id }),
      ask: this.#answers.take,
    });
    this.#sender = createSender({
      ...{ source, window, clock, transmit: send, waits: awaitAck },
      cannot: (reason) => end('lost', reason, CLOSE.cannot),
    });
    this.#live = createLiveSender({
      ...{ source, clock, transmit: send },
      hasRoom: () => unsentBytes() < MAX_UNSENT_LIVE_BYTES,
      inTurn: (run) => this.#inTurn(run),
    });
    this.#inbox = createInbox({
      handle: (frames) => this.#inTurn(() => this.#handle(frames)),
      onBad: (what) => this.#badFrame(what),
      ...{ onUnknown: this.#session.leaveAside, pause, resume, clock },
    });
  }

  /** What waits for the outbox happens one after the other; a failure ends the connection. */
  #inTurn(run: () => Promise<void>): Promise<void> {
    this.#busy = this.#busy
      .then(() => (this.socket.isOver() ? undefined : run()))
      .catch((error: unknown) => this.socket.end('lost', `our side failed: ${renderError(error)}`, CLOSE.cannot));
    return this.#busy;
  }

  #send(frame: AgentFrame | BaselineFrame): void {
    this.socket.send(JSON.stringify(frame));
  }

  #badFrame(what: string): void {
    this.socket.end('lost', `bad frame from the service: ${what}`, CLOSE.badFrame);
  }

  async #greet(challenge: string | undefined): Promise<void> {
    const { source, version, instanceId: instance_id, credentials, clock } = this.#options;
    const { nonce, taskSeq: task_seq } = this.#session;
    if (challenge === undefined)
      return this.socket.end('lost', 'the service does not ask us to prove our key', CLOSE.cannot);
    const [oldest] = await source.epochs();
    if (this.socket.isOver()) return;
    this.#hello = oldest;
    const { epoch, nextSeq: next_seq, outbox } = oldest;
    this.#send({
      ...{ type: 'hello', protocol: PROTOCOL_VERSION, version, epoch, next_seq, outbox, instance_id, nonce, task_seq },
      ...helloForBaseline(instance_id),
      takes: [TAKES_OUTLOOK],
      at: new Date(clock.nowMs()).toISOString(),
      proof: credentials.prove(credentials.agentId, challenge),
    });
    this.socket.greeted();
    this.#stopListening = source.onMore(() => this.#onMore());
  }

  async #handle(frames: readonly ServiceFrame[]): Promise<void> {
    let tasks: SignedTaskFrame[] = [];
    for (const frame of frames) {
      if (this.socket.isOver()) return;
      if (!this.#isWelcome && frame.type !== 'welcome') return this.#badFrame(`${frame.type} before welcome`);
      if (frame.type === 'signed-task') {
        tasks.push(frame);
        continue;
      }
      await this.#take(tasks);
      tasks = [];
      if (this.socket.isOver()) return;
      if (frame.type === 'welcome') await this.#onWelcome(frame);
      else if (frame.type === 'ack') await this.#onAck(frame);
      else if (frame.type === 'epoch') await this.#onEpoch(frame);
      else this.#commands.hear(frame);
    }
    await this.#take(tasks);
  }

  /** What is not taken because the connection ended meanwhile comes again with the next one. */
  async #take(tasks: readonly SignedTaskFrame[]): Promise<void> {
    if (tasks.length === 0 || this.socket.isOver()) return;
    await this.#session.check(tasks);
    if (!this.socket.isOver()) this.#commands.take(tasks);
  }

  async #onWelcome(frame: Extract<ServiceFrame, { type: 'welcome' }>): Promise<void> {
    const { clock, log, onWelcome } = this.#options;
    if (this.#isWelcome || this.#hello === undefined) return this.#badFrame('a second welcome');
    this.socket.welcomed();
    const skewMs = Date.parse(frame.at) - clock.nowMs();
    if (frame.protocol !== PROTOCOL_VERSION) log.warn({ theirs: frame.protocol }, 'the service speaks another version');
    // First: its time of the service is that of this moment, and the outbox may be slow.
    this.#session.onWelcome(frame);
    if (frame.takes?.includes(TAKES_LIVE)) this.#live.start();
    if (!(await this.#join(this.#hello, frame.acked_seq))) return;
    this.#isWelcome = true;
    // A service of the early builds takes nothing beside slices, and does not say so.
    await this.#askForEpochs(this.#hello.epoch, frame.takes === undefined);
    if (this.socket.isOver()) return;
    onWelcome(skewMs);
    await this.#sendMore();
  }

  /** A long backlog gets an epoch of its own. Epochs beside the hello's are sent once the service has answered. */
  async #askForEpochs(helloEpoch: string, isBaseline: boolean): Promise<void> {
    const { source, log } = this.#options;
    const epochs = await source.epochs();
    const open = epochs.at(-1);
    if (open !== undefined && isLongBacklog(open) && epochs.length < MAX_EPOCHS)
      // Where that cannot be stored, what follows waits behind the backlog.
      await source
        .split()
        .catch((error: unknown) => log.warn({ error: renderError(error) }, 'the backlog gets no epoch of its own'));
    for (const position of (await source.epochs()).slice(0, MAX_EPOCHS)) {
      if (this.socket.isOver() || position.epoch === helloEpoch) continue;
      this.#asked.set(position.epoch, position);
      const asking = { type: 'epoch', epoch: position.epoch, next_seq: position.nextSeq } as const;
      this.#send(isBaseline ? inBaselineWords(asking) : asking);
    }
  }

  async #onEpoch({ epoch, acked_seq }: Extract<ServiceFrame, { type: 'epoch' }>): Promise<void> {
    const position = this.#asked.get(epoch);
    if (position === undefined) return this.#badFrame('an epoch that was not asked for');
    this.#asked.delete(epoch);
    if (await this.#join(position, acked_seq)) await this.#sendMore();
  }

  /** False when the connection is over, or the slices do not match; the next connection then begins a new epoch. */
  async #join(position: EpochPosition, ackedSeq: number): Promise<boolean> {
    const { source } = this.#options;
    if (!fits(position, ackedSeq)) {
      await source.renewEpoch(ackedSeq, position.epoch);
      this.socket.end('renewed', 'the service has other slices than we do: a new epoch begins', 1000);
      return false;
    }
    if (ackedSeq > 0) await source.acknowledge(ackedSeq, position.epoch);
    this.#sender.join(position.epoch, ackedSeq);
    return !this.socket.isOver();
  }

  async #onAck({ epoch, seq }: Extract<ServiceFrame, { type: 'ack' }>): Promise<void> {
    const outcome = await this.#sender.acknowledged(epoch, seq);
    if (outcome === 'stranger') return this.#badFrame('an acknowledgement of another epoch');
    if (outcome === 'early') return this.#badFrame('an acknowledgement of a slice that was not sent');
    if (outcome === 'news') await this.#sendMore();
  }

  async #sendMore(): Promise<void> {
    if (!this.#isWelcome || this.socket.isOver()) return;
    await this.#sender.sendMore();
    // The epochs that the outbox has begun meanwhile come with the next connection.
    if (this.#asked.size === 0 && (await this.#sender.isDone()))
      this.socket.end('renewed', 'the epochs of this connection are sent: others are next', 1000);
  }

  #onMore(): void {
    if (this.#isMoreComing) return;
    this.#isMoreComing = true;
    void this.#inTurn(() => {
      this.#isMoreComing = false;
      return this.#sendMore();
    });
  }

  #onEnd(kind: ConnectionEnd['kind']): void {
    this.#stopListening?.();
    this.#inbox.clear();
    this.#sender.stop();
    this.#live.stop();
    this.#answers.stop();
    if ((kind === 'lost' || kind === 'restarting') && this.#sender.isWaiting()) this.#options.window.broke();
  }
}

/** Tasks and notices that the guard lets through, in order. Tasks are confirmed once they are journaled. */
function createCommands(
  session: Pick<ReturnType<MessageGuard['begin']>, 'admit' | 'hear'>,
  { tasks, onOpsStatus }: CommandHandlers,
  log: Log,
  { confirm, ask }: { confirm(taskId: string): void; ask(question: OutlookQuestion): void },
) {
  return {
    take(frames: readonly SignedTaskFrame[]): void {
      let commands: readonly TaskCommand[] = [];
      try {
        commands = session.admit(frames);
        if (commands.length > 0) tasks.onTasks(commands);
      } catch (error) {
        // Not confirmed, so the service sends them again with the next connection.
        log.error({ error: renderError(error), tasks: frames.length }, 'tasks could not be taken');
        return;
      }
      for (const { task_id } of commands) confirm(task_id);
    },
    hear(frame: SignedNoticeFrame): void {
      const notice = session.hear(frame);
      if (notice === undefined) return;
      if (notice.type === 'cancel') tasks.onCancel(notice.task_id);
      else if (notice.type === 'outlook') ask(notice);
      else onOpsStatus(notice);
    },
  };
}

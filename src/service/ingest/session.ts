// What an agent and the service exchange on one connection: hello and welcome, epochs, slices, live states, receipts
// for tasks. A frame that is not allowed ends in a RefusedError. It knows no socket.
import { verify } from 'node:crypto';
import type { Clock } from '../../base/clock.ts';
import { RefusedError, renderError } from '../../base/errors.ts';
import { type Log, oncePerMinute } from '../../base/log.ts';
import { readPublicKey } from '../../base/secrets.ts';
import { type ClockLook, lookAtClocks } from '../../base/time/clock-steps.ts';
import { plainText } from '../../model/plain-text.ts';
import { type BaselineFrame, inBaselineWords } from '../../wire/baseline.ts';
import {
  type AgentFrame,
  type LiveHeader,
  MAX_EPOCHS,
  type Notice,
  readAgentFrame,
  type ServiceFrame,
  type SliceHeader,
  type TaskCommand,
} from '../../wire/frames.ts';
import { type OutlookAnswer, TAKES_OUTLOOK } from '../../wire/outlook.ts';
import { MAX_SLICE_BYTES, PROTOCOL_VERSION, proofBytes } from '../../wire/protocol.ts';
import type { ReportRecord } from '../../wire/records.ts';
import type { SignedConnection, Signing } from '../../wire/signed-messages.ts';
import { MAX_ORDER } from '../store/outbox-order.ts';
import type { Agent, AgentStore, IngestStore, SliceOutcome } from '../store/store.ts';
import { type AgentClock, createAgentClock, datedByUs, toOurClock } from './agent-clock.ts';
import { readBody, readHeader } from './decode.ts';
import type { IngestQuota } from './quota.ts';

/** More than an agent keeps in memory while its disk takes nothing. */
const MAX_WAITING_SLICES = 256;

export type SessionParts = {
  readonly agent: Agent;
  /** Sent to the other side before it has proven anything. */
  readonly challenge: string;
  readonly ingest: IngestStore;
  readonly quota: Pick<IngestQuota, 'wait' | 'charge' | 'mayWelcome'>;
  readonly beginSigning: (connection: SignedConnection) => Promise<Signing>;
  readonly clock: Clock;
  readonly log: Log;
  /** After the welcome: the agent can be given tasks. */
  readonly onReady: (agentId: string) => Promise<void>;
  /** It is the agent: from now on it may take the time that the service takes. */
  readonly onProven: () => void;
  readonly onHello: (hello: Parameters<AgentStore['setHello']>[1]) => Promise<void>;
  /** How far its clock is ahead of ours; returns that where it is worth keeping. */
  readonly noteClock: (agent: Agent, skewMs: number) => number | null;
  readonly onTaskReceived: (agentId: string, taskId: string) => Promise<void>;
  /** The agent answers a question, perhaps one that it was not asked. */
  readonly onOutlook: (agentId: string, answer: OutlookAnswer) => Promise<void>;
};

type Greeting = {
  readonly instanceId: string;
  readonly agentClock: AgentClock;
  /** The order before the first slice of the outbox, if the agent has named it. */
  readonly orderBefore: number | undefined;
  readonly signing: Signing;
  /** Notices that the agent takes beside those that all take, by type. */
  readonly takes: readonly string[];
  /** The agent is an early build: see wire/baseline.ts. */
  readonly isBaseline: boolean;
};

type Transmitted = ServiceFrame | BaselineFrame;

export class Session {
  readonly #parts: SessionParts;
  readonly #fields: { readonly agentId: string };
  readonly #transmit: (frame: Transmitted) => void;
  readonly #reportUnshown: (error: unknown) => void;
  /**
   * The epochs of this connection, with the order before the first slice of the outbox of each; none before the hello.
   */
  readonly #epochs = new Map<string, number>();
  #greeting: Greeting | undefined;

  constructor(parts: SessionParts, transmit: (frame: Transmitted) => void) {
    const { agent, clock, log } = parts;
    const fields = { agentId: agent.id };
    this.#parts = parts;
    this.#fields = fields;
    this.#transmit = transmit;
    this.#reportUnshown = oncePerMinute(clock, (error) =>
      log.warn({ ...fields, error: renderError(error) }, 'live states cannot be shown'),
    );
  }

  get isGreeted(): boolean {
    return this.#epochs.size > 0;
  }

  /** The message signed for this connection; undefined before the hello, and where the agent does not take it. */
  sign(message: TaskCommand | Notice): ServiceFrame | undefined {
    if (this.#greeting === undefined) return undefined;
    const { signing, agentClock, takes } = this.#greeting;
    if (message.type === 'outlook' && !takes.includes(TAKES_OUTLOOK)) return undefined;
    const isTask = message.type === 'task';
    return signing.sign(isTask ? agentClock.inItsTime(message, lookAtClocks(this.#parts.clock)) : message);
  }

  async takeText(text: string, came: ClockLook): Promise<void> {
    const { agent, log, onTaskReceived } = this.#parts;
    const read = readAgentFrame(text);
    if (read.kind === 'bad') throw new RefusedError('frame.invalid', `read a frame: ${read.what}`);
    // The token alone does not prove that this is the agent.
    if (!this.isGreeted && (read.kind !== 'frame' || read.frame.type !== 'hello'))
      throw new RefusedError('frame.order', 'take a frame: the hello is missing');
    if (read.kind === 'newer')
      return log.debug({ ...this.#fields, type: read.type }, 'a frame of a newer agent is left aside');
    const { frame } = read;
    if (frame.type === 'task-received') return onTaskReceived(agent.id, frame.task_id);
    if (frame.type === 'epoch') return this.#openEpoch(frame.epoch);
    if (frame.type === 'outlook') return this.#parts.onOutlook(agent.id, frame);
    if (this.isGreeted) throw new RefusedError('frame.order', 'take a hello: this connection has said it');
    await this.#greet(frame, read.isBaseline === true, came);
  }

  async takeBinary(bytes: Buffer, came: ClockLook): Promise<void> {
    const frame = readHeader(bytes);
    if (frame.kind === 'slice') await this.#takeSlice(frame.header, frame.compressedBody, came);
    else await this.#takeLive(frame.header, frame.compressedBody, came);
  }

  async #greet(frame: Extract<AgentFrame, { type: 'hello' }>, isBaseline: boolean, came: ClockLook): Promise<void> {
    const { agent, ingest, clock, beginSigning, noteClock, onHello, onReady } = this.#parts;
    this.#admit(frame);
    const agentClock = createAgentClock(Date.parse(frame.at), came);
    const clockAheadMs = noteClock(agent, agentClock.skewMs(came));
    const ackedSeq = await ingest.cursor(agent.id, frame.epoch);
    const isRolledBack = frame.next_seq <= ackedSeq;
    if (isRolledBack)
      this.#parts.log.warn(
        { ...this.#fields, nextSeq: frame.next_seq, ackedSeq },
        'the agent counts from before what is stored: its outbox is older than ours',
      );
    await onHello({ version: plainText(frame.version) ?? '', clockAheadMs });
    const orderBefore = await ingest.beginOutbox(agent.id, frame.outbox ?? frame.epoch, { isRolledBack });
    const at = new Date(clock.nowMs()).toISOString();
    const { nonce, task_seq: lastSeq, instance_id: instanceId } = frame;
    const signing = await beginSigning({ agentId: agent.id, nonce, welcomedAt: at, lastSeq, isBaseline });
    // Only now: what other parts send through this connection must not come before the welcome.
    this.#greeting = {
      instanceId,
      agentClock,
      orderBefore: frame.outbox === undefined ? undefined : orderBefore,
      signing,
      takes: frame.takes ?? [],
      isBaseline,
    };
    this.#epochs.set(frame.epoch, orderBefore);
    this.#transmit({
      type: 'welcome',
      protocol: PROTOCOL_VERSION,
      acked_seq: ackedSeq,
      at,
      task_key: signing.publicKey,
      task_key_changes: [...signing.changes],
      takes: ['live'],
    });
    await onReady(agent.id);
  }

  /** Throws RefusedError unless the hello is of this protocol, proves the agent's key, and comes not too often. */
  #admit({ protocol, proof }: Extract<AgentFrame, { type: 'hello' }>): void {
    const { agent, challenge, quota, onProven } = this.#parts;
    if (protocol !== PROTOCOL_VERSION)
      throw new RefusedError('frame.protocol', `speak protocol ${protocol}: this service speaks ${PROTOCOL_VERSION}`);
    if (!isProven(agent, challenge, proof))
      throw new RefusedError('auth.proof', "take a hello: it does not prove the agent's key");
    onProven();
    if (agent.isArchived) throw new RefusedError('farm.archived');
    if (!quota.mayWelcome(agent.id))
      throw new RefusedError('frame.rate', 'welcome this agent: it connects too often, and has to wait');
  }

  async #openEpoch(epoch: string): Promise<void> {
    const { agent, ingest } = this.#parts;
    // It was answered before.
    if (this.#epochs.has(epoch)) return;
    if (this.#epochs.size >= MAX_EPOCHS)
      throw new RefusedError('frame.epochs', `open an epoch: this connection has ${MAX_EPOCHS}`);
    const acked_seq = await ingest.cursor(agent.id, epoch);
    // Where the outbox has no name, each epoch is taken for one: the agent names them oldest first.
    this.#epochs.set(epoch, this.#greeting?.orderBefore ?? (await ingest.beginOutbox(agent.id, epoch)));
    const answer = { type: 'epoch', epoch, acked_seq } as const;
    this.#transmit(this.#greeting?.isBaseline ? inBaselineWords(answer) : answer);
  }

  /** The records of a frame, which cost the agent some of its quota. */
  async #unpack(seq: number, compressedBody: Buffer) {
    const { agent, quota, log } = this.#parts;
    const charge = (records: number, bytes: number) => quota.charge(agent.id, { frame: 'slice', records, bytes });
    const body = await readBody({ seq }, compressedBody).catch((error: unknown) => {
      charge(0, MAX_SLICE_BYTES);
      throw error;
    });
    const { records, rejected, firstProblem } = body;
    charge(records.length + rejected, body.bytes);
    if (rejected > 0) log.warn({ ...this.#fields, seq, rejected, firstProblem }, 'records do not fit their schema');
    return body;
  }

  /** States that the agent cannot keep: they show, and are neither acknowledged nor in any history. */
  async #takeLive(header: LiveHeader, compressedBody: Buffer, came: ClockLook): Promise<void> {
    const { agent, ingest, clock, log } = this.#parts;
    const { agentClock, orderBefore, instanceId } = this.#greeting ?? {};
    if (agentClock === undefined || orderBefore === undefined || instanceId === undefined)
      throw new RefusedError('frame.order', 'take live states: no hello has named the outbox');
    const { produced_at, order, through, fault } = header;
    const { records } = await this.#unpack(order, compressedBody);
    const nowMs = clock.nowMs();
    const offsetMs = agentClock.offsetMs({ produced_at, age_ms: 0 }, came);
    const shown = await ingest
      .showLive({
        ...{ agentId: agent.id, farmId: agent.farmId, instanceId, nowMs, fault: plainText(fault) ?? null },
        // What the outbox writes next replaces it.
        order: orderBefore + order - 1,
        through: orderBefore + Math.min(through, order + MAX_WAITING_SLICES, MAX_ORDER),
        records: records.map((record) => datedByUs(record, offsetMs, nowMs)),
      })
      .catch((error: unknown) => {
        if (error instanceof RefusedError) throw error;
        // The agent loses nothing by it, and the connection is wanted when there is room again.
        this.#reportUnshown(error);
      });
    if (shown?.disk === 'failed')
      log.warn({ ...this.#fields, fault }, 'the agent cannot keep what it reports: live states only');
    if (shown?.disk === 'recovered') log.info(this.#fields, 'the agent keeps what it reports again');
  }

  async #takeSlice(header: SliceHeader, compressedBody: Buffer, came: ClockLook): Promise<void> {
    const { agent, ingest, clock } = this.#parts;
    const { epoch, seq } = header;
    const orderBefore = this.#epochs.get(epoch);
    if (orderBefore === undefined || this.#greeting === undefined)
      throw new RefusedError('frame.order', 'take a slice: it is of no epoch of this connection');
    const { agentClock, instanceId } = this.#greeting;
    const { records, rejected } = await this.#unpack(seq, compressedBody);
    const nowMs = clock.nowMs();
    const offsetMs = agentClock.offsetMs(header, came);
    const outcome = await ingest.storeSlice({
      ...{ agentId: agent.id, farmId: agent.farmId, epoch, instanceId, seq, rejected, nowMs },
      order: orderBefore + (header.order ?? seq),
      producedAtMs: toOurClock(Date.parse(header.produced_at), offsetMs, nowMs),
      records: records.map((record) => datedByUs(record, offsetMs, nowMs)),
    });
    if (outcome.kind === 'out-of-order')
      throw new RefusedError('frame.order', `take slice ${seq}: the next one is ${outcome.seq + 1}`);
    if (outcome.kind === 'stored') {
      this.#logDoubts(outcome);
      this.#logRefusals(records);
    }
    this.#transmit({ type: 'ack', epoch, seq: outcome.kind === 'stored' ? seq : outcome.seq });
  }

  /** What an agent reports and should not: for people to look at. */
  #logDoubts({ strangerTasks, refused, contested }: Extract<SliceOutcome, { kind: 'stored' }>): void {
    const warn = (more: object, text: string) => this.#parts.log.warn({ ...this.#fields, ...more }, text);
    if (strangerTasks > 0) warn({ count: strangerTasks }, 'outcomes of tasks that the agent does not have');
    if (refused.isAnnounced)
      warn(
        { refused: refused.miners },
        'the agent reports more miners than it may have: they are not stored, `pithead agent limit` lets it have more',
      );
    if (contested > 0)
      warn({ count: contested }, 'the agent reports miners that another agent serves: both are kept apart');
  }

  /** An agent that does not trust this service is for people to look at. */
  #logRefusals(records: readonly ReportRecord[]): void {
    for (const record of records) {
      if (record.kind !== 'event' || (record.type !== 'orders_refused' && record.type !== 'task_key_refused')) continue;
      const { reason, count } = record.detail;
      const shown = { ...this.#fields, type: record.type, reason: String(reason ?? '').slice(0, 64), count };
      this.#parts.log.warn(shown, 'the agent refuses tasks');
    }
  }
}

/** Whether `proof`, a signature in base64, was made for this challenge with the agent's key. */
function isProven({ id, identityKey }: Agent, challenge: string, proof: string): boolean {
  const key = readPublicKey(identityKey);
  return key !== undefined && verify(null, proofBytes(id, challenge), key, Buffer.from(proof, 'base64'));
}
